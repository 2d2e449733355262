/** A game of Sequence against the agent: the service deals, and keeps what one may not know. */

import { useEffect, useState } from "preact/hooks";
import { ask, Problem } from "../../lib/api";
import { type Opponent, type Rule, type SequenceView } from "./types";

export interface NewGame {
  rules: Rule;
  players: number;
  seat: number;
  opponent: Opponent;
  time: number;
}

export interface Match {
  game: SequenceView | null;
  busy: boolean;
  problem: Problem | null;
  start: (wanted: NewGame) => void;
  play: (move: string) => void;
  undo: () => void;
}

/** Follows a game; the one of this id is looked up when the tab is opened. */
export function useMatch(id: string | null, visible: boolean): Match {
  const [game, setGame] = useState<SequenceView | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const step = (asked: Promise<SequenceView>) => {
    setBusy(true);
    asked
      .then((found) => (setGame(found), setProblem(null)), setProblem)
      .finally(() => setBusy(false));
  };
  useEffect(() => {
    if (visible && id && id !== game?.id) step(ask("GET", `/sequence/games/${encodeURIComponent(id)}`));
  }, [visible, id]);
  return {
    game,
    busy,
    problem,
    start: (wanted) => step(ask("POST", "/sequence/games", wanted)),
    play: (move) => game && step(ask("POST", `/sequence/games/${game.id}/play`, { move })),
    undo: () => game && step(ask("POST", `/sequence/games/${game.id}/undo`)),
  };
}
