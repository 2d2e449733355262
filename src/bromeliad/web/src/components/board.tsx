/** Boards: small ones to look at, and rows that cards are placed into. */

import type { JSX, TargetedMouseEvent } from "preact";
import type { Card } from "../lib/cards";
import type { Drag } from "../lib/drag";
import { type Board, type Row, ROW_SIZES, ROWS } from "../lib/position";
import { useText } from "../lib/settings";
import { CardImage, cardName, cardNames, Face } from "./card";

interface MiniBoardProps {
  board: Board;
  fresh?: Board;
}

/** A board to look at: what a placement adds stands out. */
export function MiniBoard({ board, fresh }: MiniBoardProps): JSX.Element {
  const t = useText();
  const label = ROWS.map((row) => `${t(row)}: ${cardNames(t, [...board[row], ...(fresh?.[row] ?? [])]) || t("empty")}`);
  return (
    <div class={fresh ? "mini board two-tone" : "mini board"} role="img" aria-label={label.join("; ")}>
      {ROWS.map((row) => (
        <MiniRow key={row} row={row} old={board[row]} added={fresh?.[row] ?? []} />
      ))}
    </div>
  );
}

function MiniRow({ row, old, added }: { row: Row; old: readonly Card[]; added: readonly Card[] }): JSX.Element {
  const free = Math.max(ROW_SIZES[row] - old.length - added.length, 0);
  return (
    <div class={`row ${row}`}>
      {old.map((card, at) => (
        <span class="card-box" key={at}>
          <Face card={card} />
        </span>
      ))}
      {added.map((card, at) => (
        <span class="card-box fresh" key={`+${at}`}>
          <Face card={card} />
        </span>
      ))}
      {Array.from({ length: free }, (_, at) => (
        <span class="slot" key={`-${at}`} />
      ))}
    </div>
  );
}

export interface RowZoneProps {
  zone: string;
  label: string;
  cards: readonly Card[];
  /** Cards that lie here for good: not to be picked up. */
  fixed?: readonly Card[];
  size: number;
  active?: boolean;
  /** Which of the cards is selected. */
  selected?: number | null;
  /** A name for the i-th movable card, unique on the page. */
  item: (at: number) => string;
  drag: Drag;
  onPick: (at: number) => void;
  onPlace: () => void;
}

/** A row that takes cards: by a click on it or on its free place, by a drop, or by what the keyboard does to them. */
export function RowZone(props: RowZoneProps): JSX.Element {
  const t = useText();
  const { zone, label, cards, fixed = [], size, active, selected, item, drag, onPick, onPlace } = props;
  const free = Math.max(size - fixed.length - cards.length, 0);
  const classes = ["row", "zone", active ? "active" : ""].join(" ");
  const clicked = (event: TargetedMouseEvent<HTMLElement>) => {
    if (!(event.target as Element).closest("button")) onPlace();
  };
  return (
    <div class={classes} data-zone={zone} role="group" aria-label={label} onClick={clicked}>
      {fixed.map((card, at) => (
        <CardImage card={card} key={`=${at}`} />
      ))}
      {cards.map((card, at) => (
        <button
          type="button"
          key={`${card}${at}`}
          class={fixed.length || props.fixed ? "card-box fresh" : "card-box"}
          aria-label={cardName(t, card)}
          aria-pressed={selected === at}
          data-card={card}
          onClick={() => onPick(at)}
          {...drag(item(at))}
        >
          <Face card={card} />
        </button>
      ))}
      {Array.from({ length: free }, (_, at) =>
        at === 0 ? (
          <button type="button" class="slot" key="-0" aria-label={t("placeInto", { row: label })} onClick={onPlace} />
        ) : (
          <span class="slot" key={`-${at}`} />
        ),
      )}
    </div>
  );
}
