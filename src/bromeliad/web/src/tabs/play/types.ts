/** A game against the AI as the service tells it; lists by player, oneself first. */

import type { Card } from "../../lib/cards";
import type { ActionAnswer } from "../../lib/types";

export interface SheetRow {
  hand: number;
  points: number[];
  royalties: number[];
  fouls: boolean[];
  next_fantasyland: number[];
}

export interface Grade {
  ev_loss: number;
  stderr: number | null;
  exact: boolean;
  best: ActionAnswer;
  chosen: ActionAnswer | null;
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
  over: boolean;
  last_grade: Grade | null;
  can_undo: boolean;
}
