/** Names for what the service knows by a short key: rule sets, players, the parts of a text that are code. */

import type { Key } from "../texts";
import { texts } from "../texts";
import type { Translate } from "./settings";

/** A rule set in the reader's language; one that the page does not know keeps its own name. */
export function rulesName(t: Translate, name: string): string {
  const key = `rules_${name.replaceAll("-", "_")}`;
  return key in texts ? t(key as Key) : name;
}

/** The page's opponents from the weakest to the strongest: what they are called, and the strategy that plays. */
export const LEVELS = [
  ["Tillandsia", "random"],
  ["Guzmania", "heuristic"],
  ["Vriesea", "look"],
  ["Aechmea", "evaluation"],
  ["Neoregelia", "solver:200sims"],
  ["Puya", "solver:1000sims"],
] as const;

export const DEFAULT_LEVEL = "solver:200sims";
const YOU = "you";

/** A player as people call them: you, an opponent by its name, a solver by its time. */
export function playerName(t: Translate, name: string): string {
  if (name === YOU) return t("you");
  const level = LEVELS.find(([, strategy]) => strategy === name);
  if (level) return level[0];
  const solver = /^solver:([\d.]+)$/.exec(name);
  return solver ? t("solverOf", { count: solver[1]! }) : name;
}
