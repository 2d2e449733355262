/** How an analysis is to be done: effort, objective, and what fouls and fantasyland count. */

import { numeric } from "../../lib/numbers";

export interface Effort {
  /** Seconds, or a number of simulations for answers that can be repeated. */
  by: "time" | "simulations";
  time: number;
  simulations: string;
  threads: string;
  seed: string;
  objective: "auto" | "solo" | "versus";
  foulCost: string;
  worth: string;
}

export const DEFAULT_EFFORT: Effort = {
  by: "time",
  time: 5,
  simulations: "20000",
  threads: "",
  seed: "1",
  objective: "auto",
  foulCost: "",
  worth: "",
};

export const TIMES = [1, 2, 5, 15, 60] as const;

/** The fields of a question that say how to answer it; what was left empty is left to the service. */
export function effortFields(effort: Effort): Record<string, unknown> {
  const fields: Record<string, unknown> = { seed: numeric(effort.seed || "1") };
  if (effort.by === "time") fields.time = effort.time;
  else fields.simulations = numeric(effort.simulations);
  if (effort.threads.trim()) fields.threads = numeric(effort.threads);
  if (effort.objective !== "auto") fields.objective = effort.objective;
  if (effort.foulCost.trim()) fields.foul_cost = numeric(effort.foulCost);
  if (effort.worth.trim()) fields.fantasyland_worth = effort.worth.trim();
  return fields;
}
