/** All mistakes of a review once more, deeper, one after the other; a review afterwards finds the deeper answers in the store. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ask, Problem } from "../../lib/api";
import { finish } from "../../lib/jobs";
import type { Hand } from "./history";
import { discardsBefore } from "./replay";
import type { Mistake } from "./types";

export interface Deepening {
  /** Mistakes done of all of them; null while nothing is being deepened. */
  done: number | null;
  problem: Problem | null;
  start: (mistakes: readonly Mistake[], hands: readonly Hand[], time: number, then: () => void) => void;
  stop: () => void;
}

function questionOf(mistake: Mistake, hands: readonly Hand[]): Record<string, unknown> | null {
  const hand = hands.find((one) => one.number === mistake.hand);
  if (!hand || mistake.street === null) return null;
  return { rules: hand.rules, cards: mistake.cards, board: mistake.board, dead: discardsBefore(hand, mistake).join(" "), opponents: mistake.opponents, objective: mistake.objective };
}

export function useDeepening(): Deepening {
  const [done, setDone] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef<AbortController | null>(null);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);

  const run = async (mistakes: readonly Mistake[], hands: readonly Hand[], time: number, then: () => void) => {
    stop();
    const control = new AbortController();
    running.current = control;
    setProblem(null);
    try {
      for (const [at, mistake] of mistakes.entries()) {
        setDone(at);
        const question = questionOf(mistake, hands);
        if (question) await finish(await ask<{ id: string }>("POST", "/jobs", { game: "ofc", request: { ...question, time }, deeper: true }), control.signal);
        if (control.signal.aborted) break;
      }
      if (!control.signal.aborted) then();
    } catch (error) {
      if (!control.signal.aborted) setProblem(error instanceof Problem ? error : new Problem(0, String(error)));
    } finally {
      if (running.current === control) setDone(null);
    }
  };
  return { done, problem, start: (...given) => void run(...given), stop };
}
