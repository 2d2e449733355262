/** A Gomoku board: stones, the last one marked, and what candidates are worth. Arrow keys move, Enter plays. */

import type { JSX, TargetedKeyboardEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { fixed } from "../../lib/numbers";
import { useText } from "../../lib/settings";
import { type Candidate, type GomokuView, LETTERS } from "./types";

interface BoardProps {
  size: number;
  view: GomokuView | null;
  candidates: readonly Candidate[];
  best: string | null;
  open: boolean;
  onPlay: (cell: string) => void;
}

const UNIT = 24; // of the drawing, a cell
const MARKED = 12; // candidates that are shown on the board

export function GomokuBoard({ size, view, candidates, best, open, onPlay }: BoardProps): JSX.Element {
  const t = useText();
  const grid = useRef<HTMLDivElement>(null);
  const [focus, setFocus] = useState((size * size - 1) >> 1);
  const stones = new Map(view?.stones ?? []);
  const legal = new Set(view?.legal ?? []);
  const last = view?.stones.at(-1)?.[0];
  const marked = new Map(candidates.slice(0, MARKED).map((one) => [one.move, one]));
  const names = Array.from({ length: size * size }, (_, at) => `${LETTERS[at % size]}${size - Math.floor(at / size)}`);
  const most = Math.max(...candidates.map((one) => one.visits), 1);

  const steer = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: size, ArrowUp: -size }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = Math.min(Math.max(focus + step, 0), size * size - 1);
    setFocus(to);
    grid.current?.querySelectorAll("button")[to]?.focus();
  };
  const label = (cell: string) => {
    const stone = stones.get(cell);
    const value = marked.get(cell)?.value;
    return [cell, stone === 1 ? t("black") : stone === 2 ? t("white") : "", value != null ? fixed(value) : ""].filter(Boolean).join(", ");
  };
  return (
    <div class="gomoku-board" style={{ "--size": size }} role="group" aria-label={t("gomokuBoard")} ref={grid} onKeyDown={steer}>
      <Lines size={size} />
      {names.map((cell, at) => {
        const candidate = stones.has(cell) ? undefined : marked.get(cell);
        return (
          <button
            type="button"
            key={cell}
            class={cell === best ? "cell best" : "cell"}
            tabIndex={at === Math.min(focus, size * size - 1) ? 0 : -1}
            aria-label={label(cell)}
            aria-disabled={!open || !legal.has(cell)}
            onFocus={() => setFocus(at)}
            onClick={() => open && legal.has(cell) && onPlay(cell)}
          >
            {stones.has(cell) && <span class={`stone s${stones.get(cell)}${cell === last ? " last" : ""}`} />}
            {candidate && candidate.value !== null && (
              <span class="value" style={{ "--share": 0.25 + (0.75 * candidate.visits) / most }}>
                {Math.round(50 * (1 + candidate.value))}
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}

/** The lines, and the names of rows and columns beside them. */
function Lines({ size }: { size: number }): JSX.Element {
  const [from, to] = [UNIT / 2, (size - 0.5) * UNIT];
  const steps = Array.from({ length: size }, (_, at) => from + at * UNIT);
  return (
    <svg class="lines" viewBox={`0 0 ${size * UNIT} ${size * UNIT}`} aria-hidden="true">
      <path d={steps.map((at) => `M${at} ${from}V${to}M${from} ${at}H${to}`).join("")} />
      {steps.map((at, i) => (
        <g key={i}>
          <text x={at} y={size * UNIT + 2}>{LETTERS[i]}</text>
          <text x={0} y={at + 3}>{size - i}</text>
        </g>
      ))}
    </svg>
  );
}
