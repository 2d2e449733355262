/** A game against the AI as the service tells it; lists by player, oneself first. */

import type { Card } from "../../lib/cards";
import type { Placement } from "../../lib/position";
import type { ActionAnswer } from "../../lib/types";

export interface SheetRow {
  hand: number;
  points: number[];
  royalties: number[];
  fouls: boolean[];
  next_fantasyland: number[];
}

/** The end of a hand: boards and royalties by player and row, and what you got from each opponent. */
export interface Showdown {
  boards: string[];
  fouls: boolean[];
  points: number[];
  row_royalties: number[][];
  settlements: { rows: number[]; scoop: number; royalties: number }[];
}

/** A graded decision: the board before it, and where its cards went. */
export interface Grade {
  ev_loss: number;
  stderr: number | null;
  exact: boolean;
  best: ActionAnswer;
  chosen: ActionAnswer;
  board: string;
  placed: Placement;
}

export interface Game {
  id: string;
  rules: string;
  hand: number;
  street: number | null;
  you: { board: string; cards: Card[]; discards: Card[]; fantasyland: number };
  opponents: { name: string; board: string; fantasyland: number; hidden: number }[];
  score_sheet: SheetRow[];
  totals: number[];
  hand_over: boolean;
  showdown: Showdown | null;
  over: boolean;
  last_grade: Grade | null;
  can_undo: boolean;
}
