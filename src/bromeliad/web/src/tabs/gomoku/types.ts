/** Gomoku as the service tells it; values are of the side to move, from -1 to 1. */

export const RULES = ["freestyle", "exact", "renju", "caro"] as const;
export type Rule = (typeof RULES)[number];

export interface Candidate {
  move: string;
  visits: number;
  value: number | null;
  stderr: number | null;
  prior: number;
}

export interface GomokuAnswer {
  best: string;
  value: number;
  method: string;
  proved: boolean;
  line: string[];
  candidates: Candidate[];
  simulations: number;
  elapsed_s: number;
}

export interface GomokuView {
  to_move: 1 | 2;
  over: boolean;
  winner: 0 | 1 | 2;
  stones: [string, 1 | 2][];
  legal: string[];
}

export interface GomokuPosition {
  /** Cells in turn, black first. */
  stones: readonly string[];
  rule: Rule;
  size: number;
}

export const LETTERS = "ABCDEFGHIJKLMNOPQRST";

export function readStones(text: string): string[] {
  return text.toUpperCase().match(/[A-T]\d{1,2}/g) ?? [];
}
