/** Rule sets, asked for once. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { ask } from "./api";
import type { Rules } from "./types";

export const DEFAULT_RULES = "pineapple";

const Context = createContext<readonly Rules[]>([]);
export const RulesProvider = Context.Provider;

export function fetchRules(): Promise<Rules[]> {
  return ask<Rules[]>("GET", "/rules");
}

export function useAllRules(): readonly Rules[] {
  return useContext(Context);
}

/** The rule set of this name; the default one for a name that nobody knows. */
export function useRules(name: string): Rules {
  const all = useAllRules();
  const found = all.find((rules) => rules.name === name) ?? all.find((rules) => rules.name === DEFAULT_RULES) ?? all[0];
  if (!found) throw new Error("no rule sets");
  return found;
}
