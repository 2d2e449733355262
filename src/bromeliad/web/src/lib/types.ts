/** What the service answers: the JSON of `bromeliad solve --json` and of the resources under /api/v1. */

import type { Card } from "./cards";
import type { Placement, Street } from "./position";

/** What an EV is made of, in points, signed as they count; under *solo* what belongs to opponents is null. */
export interface EvParts {
  rows: number | null;
  scoop: number | null;
  royalties: number;
  opponent_royalties: number | null;
  foul: number;
  fantasyland: number;
  opponent_fantasyland: number | null;
}

export interface ActionAnswer extends Placement {
  top: Card[];
  middle: Card[];
  back: Card[];
  discards: Card[];
  ev: number | null;
  ev_loss: number | null;
  stderr: number | null;
  exact: boolean;
  visits: number;
  p_foul: number | null;
  p_fantasyland: number | null;
  royalties: number | null;
  p_scoop: number | null;
  row_points: number | null;
  opponent_royalties: number | null;
  opponent_p_foul: number | null;
  opponent_p_fantasyland: number | null;
  ev_loss_stderr?: number | null;
  parts?: EvParts | null;
  parts_stderr?: EvParts | null;
  guess?: number | null;
}

export interface Answer {
  rules: string;
  street: number | null;
  objective: "solo" | "versus";
  foul_cost: number;
  fantasyland_worth: Record<string, number>;
  elapsed_s: number;
  simulations: number;
  method: "exact" | "halving" | "mcts" | "book" | "sampled opponents";
  stop_reason: string;
  value: number;
  best: ActionAnswer;
  actions: ActionAnswer[];
  confidence: number;
  opponent_values?: "both boards" | "own board" | null;
  stored?: boolean;
}

export interface Rules {
  name: string;
  title: string;
  jokers: number;
  players: { min: number; max: number };
  streets: Street[];
  fantasyland: { cards: number[] };
  objective: { foul_cost: number };
}
