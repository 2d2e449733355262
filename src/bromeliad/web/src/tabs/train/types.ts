/** Quizzes as the service tells them. */

import type { Placement } from "../../lib/position";
import type { ActionAnswer, Answer } from "../../lib/types";

export const THEMES = ["openings", "fantasyland", "foul", "flush", "made", "endgames"] as const;
export type Theme = (typeof THEMES)[number];

export interface Quiz {
  id: string;
  street: number;
  request: { rules?: string; cards: string; board?: string; dead?: string; opponents?: string[] };
  retried: number | null;
  /** The lesson that it repeats. */
  lesson: number | null;
}

/** What comes after a decision of a drill: a decision, or the end of the hand. */
interface AfterDrill {
  skipped: number;
  points: number | null;
  boards: string[] | null;
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
  chosen: ActionAnswer;
  best: ActionAnswer;
  answer: Answer;
  explanation: Explanation | null;
  mistake: number | null;
  themes: Theme[];
  /** When it is asked again. */
  due: string | null;
  after: AfterDrill | null;
  following: Quiz | null;
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

interface Mean {
  count: number;
  mean: number | null;
  stderr: number | null;
}

/** What the answers of a theme or a street lose; neither of them: in fantasyland. */
export interface Leak {
  theme: Theme | null;
  street: number | null;
  loss: Mean;
  mistakes: { count: number; of: number; share: number | null; low: number | null; high: number | null };
}

export interface Course {
  answers: number;
  due: number;
  lessons: number;
  next_due: string | null;
  accuracy: Mean;
  streak: number;
  best_streak: number;
  days: number;
  leaks: Leak[];
}
