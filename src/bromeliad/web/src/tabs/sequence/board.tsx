/** The board of Sequence: cards, chips, what candidates are worth. Arrow keys move, Enter plays. */

import type { JSX, TargetedKeyboardEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { cardName } from "../../components/card";
import { type Translate, useText } from "../../lib/settings";
import { type Candidate, CHIPS, SIDE, SQUARES, squareOf, TEAMS } from "./types";

interface BoardProps {
  /** A hundred letters: chips, corners, empty squares. */
  letters: string;
  candidates: readonly Candidate[];
  best: string | null;
  last: ReadonlySet<number>;
  open: (square: number) => boolean;
  onPlay: (square: number) => void;
}

const SUITS: Record<string, string> = { s: "♠", h: "♥", d: "♦", c: "♣" };

/** What candidates say of squares: the best of each. */
function marks(candidates: readonly Candidate[]): Map<number, Candidate> {
  const found = new Map<number, Candidate>();
  for (const one of candidates) {
    const square = squareOf(one.move);
    if (square !== null && one.value !== null && !found.has(square)) found.set(square, one);
  }
  return found;
}

/** A value as a chance to win, in percent. */
function chance(value: number): number {
  return Math.round(50 * (1 + value));
}

function teamOf(letter: string): number {
  return CHIPS.indexOf(letter.toLowerCase());
}

function chipName(t: Translate, letter: string): string {
  const team = TEAMS[teamOf(letter)];
  if (!team) return "";
  return t("chipOf", { team: t(team) }) + (letter < "a" ? `, ${t("inSequence")}` : "");
}

export function SequenceBoard({ letters, candidates, best, last, open, onPlay }: BoardProps): JSX.Element {
  const t = useText();
  const grid = useRef<HTMLDivElement>(null);
  const [focus, setFocus] = useState(44);
  const marked = marks(candidates);
  const target = best === null ? null : squareOf(best);
  const most = Math.max(...candidates.map((one) => one.visits), 1);

  const steer = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: SIDE, ArrowUp: -SIDE }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = Math.min(Math.max(focus + step, 0), SIDE * SIDE - 1);
    setFocus(to);
    grid.current?.querySelectorAll("button")[to]?.focus();
  };
  const label = (at: number) => {
    const card = SQUARES[at]!;
    const value = marked.get(at)?.value;
    const parts = [String(at).padStart(2, "0"), card ? cardName(t, card) : t("corner"), chipName(t, letters[at]!)];
    return [...parts, value != null ? String(chance(value)) : ""].filter(Boolean).join(", ");
  };
  return (
    <div class="sequence-board" role="group" aria-label={t("sequenceBoard")} ref={grid} onKeyDown={steer}>
      {Array.from({ length: SIDE + 1 }, (_, at) => <span key={`c${at}`} class="edge" aria-hidden="true">{at || ""}</span>)}
      {SQUARES.map((card, at) => {
        const letter = letters[at]!;
        const candidate = marked.get(at);
        return [
          at % SIDE === 0 && <span key={`r${at}`} class="edge" aria-hidden="true">{at / SIDE + 1}</span>,
          <button
            type="button"
            key={at}
            class={["cell square", card ? `suit-${card[1]}` : "corner", open(at) && "open", at === target && "best", last.has(at) && "last"].filter(Boolean).join(" ")}
            tabIndex={at === focus ? 0 : -1}
            aria-label={label(at)}
            aria-disabled={!open(at)}
            onFocus={() => setFocus(at)}
            onClick={() => open(at) && onPlay(at)}
          >
            <span class="index" data-rank={card ? card[0] : "★"} data-suit={SUITS[card[1] ?? ""]} />
            {teamOf(letter) >= 0 && <span class={`chip t${teamOf(letter)}${letter < "a" ? " locked" : ""}`} />}
            {candidate && candidate.value !== null && (
              <span class="value" style={{ "--share": 0.35 + (0.65 * candidate.visits) / most }}>
                {chance(candidate.value)}
              </span>
            )}
          </button>,
        ];
      })}
    </div>
  );
}
