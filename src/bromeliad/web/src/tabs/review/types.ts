/** The JSON of `bromeliad review --json`. */

import type { Placement } from "../../lib/position";
import type { ActionAnswer } from "../../lib/types";

export interface Mistake {
  hand: number;
  decision: number;
  player: string;
  seat: number;
  street: number | null;
  cards: string;
  board: string;
  opponents: string[];
  placed: Placement;
  chosen: ActionAnswer;
  best: ActionAnswer;
  ev_loss: number;
  stderr: number | null;
  exact: boolean;
  objective: "solo" | "versus";
}

/** What one decision was worth. */
export interface DecisionValue {
  hand: number;
  decision: number;
  player: string;
  ev: number | null;
  best_ev: number;
  ev_loss: number;
}

export interface LossSum {
  player: string;
  street: number | null;
  of_all: boolean;
  decisions: number;
  mistakes: number;
  ev_loss: number;
  stderr: number;
  mean: number;
}

export interface Review {
  hands: number;
  decisions: number;
  reviewed: number;
  sums: LossSum[];
  mistakes: Mistake[];
  /** Losses that are too small to matter, or too close to call. */
  unclear: Mistake[];
  /** Every decision, in the order of play. */
  values: DecisionValue[];
}
