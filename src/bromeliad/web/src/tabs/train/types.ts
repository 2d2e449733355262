/** Quizzes as the service tells them. */

import type { Placement } from "../../lib/position";
import type { ActionAnswer, Answer } from "../../lib/types";

export interface Quiz {
  id: string;
  street: number;
  request: { rules?: string; cards: string; board?: string; dead?: string; opponents?: string[] };
  retried: number | null;
}

/** What the best placement has over the chosen one, in points. */
export interface Explanation {
  royalties: number | null;
  foul: number | null;
  fantasyland: number | null;
  rows: number | null;
  opponents: number | null;
  p_foul: number | null;
  p_fantasyland: number | null;
}

export interface QuizGrade {
  ev_loss: number;
  stderr: number | null;
  exact: boolean;
  grade: "best" | "good" | "inaccuracy" | "mistake" | "blunder";
  chosen: ActionAnswer | null;
  best: ActionAnswer;
  answer: Answer;
  explanation: Explanation | null;
  mistake: number | null;
}

export interface Mistake {
  id: number;
  request: Quiz["request"];
  chosen: Placement;
  best: ActionAnswer;
  street: number | null;
  ev_loss: number;
  created_at: string;
  retried: number;
  solved: boolean;
}

export interface Step {
  at: string;
  street: number | null;
  ev_loss: number;
}
