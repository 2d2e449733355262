/** The JSON of `bromeliad book explore --json`. */

import type { Card } from "../../lib/cards";

export interface Opening {
  cards: string;
  deals: number;
  kind: string;
  shape: string;
  top: Card[];
  middle: Card[];
  back: Card[];
  ev: number;
  stderr: number;
  lead: number | null;
  foul: number | null;
  fantasyland: number | null;
  royalties: number | null;
}

export interface Cell {
  high: string;
  second: string;
  share: number;
  ev: number;
}

export interface Explored {
  hands: number;
  deals: number;
  share: number;
  ev: number | null;
  lead: number | null;
  foul: number | null;
  fantasyland: number | null;
  royalties: number | null;
  shapes: Record<string, number>;
  cells: Cell[];
  openings: Opening[];
}

/** What the reader filters by; an empty text is any. */
export const FIELDS = ["kind", "pair", "high", "second", "suited", "connected", "shape", "lead"] as const;
export type Field = (typeof FIELDS)[number];
export type Filter = Record<Field, string>;

export const ANY: Filter = { kind: "", pair: "", high: "", second: "", suited: "", connected: "", shape: "", lead: "" };
export const KINDS = ["high card", "pair", "two pair", "three of a kind", "full house", "four of a kind", "with a joker"] as const;

/** Conditions as the service and the command line write them. */
export function conditions(filter: Filter): string[] {
  return FIELDS.flatMap((field) => (filter[field] ? [`${field}${field === "lead" ? ">=" : "="}${filter[field]}`] : []));
}

export function readFilter(query: URLSearchParams): Filter {
  const filter = { ...ANY };
  for (const text of query.getAll("filter")) {
    const found = /^([a-z]+)(?:>=|=)(.+)$/.exec(text);
    const field = FIELDS.find((one) => one === found?.[1]);
    if (field && found) filter[field] = found[2]!;
  }
  return filter;
}
