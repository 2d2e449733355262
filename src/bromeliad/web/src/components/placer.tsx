/** A decision to make: cards in hand go to the rows of a board, the rest is discarded. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { bySuit, byRank, type Card } from "../lib/cards";
import { useDrag } from "../lib/drag";
import { useHotkeys } from "../lib/hotkeys";
import { type Board, BOARD_SIZE, type Placement, type Row, ROW_SIZES, ROWS } from "../lib/position";
import { useText } from "../lib/settings";
import { RowZone } from "./board";
import { Pile } from "./card";

const HAND = "hand";
const MANY = 6; // cards from which a hand can be sorted

interface PlacerProps {
  board: Board;
  cards: readonly Card[];
  /** How many of the cards are placed. */
  place: number;
  visible: boolean;
  busy: boolean;
  confirm: string;
  onConfirm: (placement: Placement) => void;
}

type Spots = readonly (Row | null)[];

export function Placer({ board, cards: dealt, place, visible, busy, confirm, onConfirm }: PlacerProps): JSX.Element {
  const t = useText();
  const [cards, setCards] = useState(dealt.length >= MANY ? byRank(dealt) : dealt);
  const [spots, setSpots] = useState<Spots>(dealt.map(() => null));
  const [selected, setSelected] = useState<number | null>(dealt.length >= MANY ? null : 0);
  const placed = spots.filter((spot) => spot !== null).length;
  const inRow = (row: Row) => spots.flatMap((spot, at) => (spot === row ? [at] : []));
  const inHand = spots.flatMap((spot, at) => (spot === null ? [at] : []));

  const put = (at: number, to: Row | null) => {
    const room = to === null || (spots[at] === to ? false : ROW_SIZES[to] - board[to].length > inRow(to).length);
    if (busy || !room || (to !== null && spots[at] === null && placed >= place)) return;
    const next = spots.map((spot, i) => (i === at ? to : spot));
    setSpots(next);
    const waiting = next.flatMap((spot, i) => (spot === null ? [i] : []));
    setSelected(to !== null && placed + 1 < place ? (waiting.find((i) => i > at) ?? waiting[0] ?? null) : null);
  };
  const here = (to: Row | null) => {
    if (selected !== null) put(selected, to);
  };
  const sort = (by: (cards: readonly Card[]) => Card[]) => {
    const order = by(cards);
    const left = cards.map((_, at) => at); // two jokers are told apart by their places
    const from = order.map((card) => left.splice(left.findIndex((at) => cards[at] === card), 1)[0]!);
    setSpots(from.map((at) => spots[at] ?? null));
    setCards(order);
    setSelected(null);
  };
  const drag = useDrag((item, zone) => put(Number(item), zone === HAND ? null : (zone as Row)));
  const done = placed === place;
  const submit = () => {
    if (!done || busy) return false;
    const of = (row: Row) => inRow(row).map((at) => cards[at]!);
    onConfirm({ top: of("top"), middle: of("middle"), back: of("back"), discards: inHand.map((at) => cards[at]!) });
    return true;
  };
  useHotkeys(visible, { t: () => here("top"), m: () => here("middle"), b: () => here("back"), x: () => here(null), enter: submit });

  const pick = (at: number) => setSelected(selected === at ? null : at);
  const many = cards.length >= MANY;
  return (
    <div class={many ? "placer many" : "placer"}>
      <div class="felt">
        <div class="board big" role="group" aria-label={t("yourBoard")}>
          {ROWS.map((row) => (
            <RowZone
              key={row}
              zone={row}
              label={t(row)}
              fixed={board[row]}
              cards={inRow(row).map((at) => cards[at]!)}
              size={ROW_SIZES[row]}
              selected={selected === null ? null : inRow(row).indexOf(selected)}
              item={(i) => String(inRow(row)[i])}
              drag={drag}
              onPick={(i) => pick(inRow(row)[i]!)}
              onPlace={() => here(row)}
            />
          ))}
        </div>
        <div class="hand-tray">
          <h2>{t("yourCards")}</h2>
          <RowZone
            zone={HAND}
            label={t("yourCards")}
            cards={inHand.map((at) => cards[at]!)}
            size={inHand.length}
            selected={selected === null ? null : inHand.indexOf(selected)}
            item={(i) => String(inHand[i])}
            drag={drag}
            onPick={(i) => pick(inHand[i]!)}
            onPlace={() => here(null)}
          />
        </div>
      </div>
      <div class="buttons stay">
        <button type="button" class="primary" disabled={!done || busy} onClick={submit}>
          {confirm}
        </button>
        <button type="button" disabled={!placed || busy} onClick={() => (setSpots(cards.map(() => null)), setSelected(null))}>
          {t("takeBack")}
        </button>
        {many && (
          <>
            <button type="button" onClick={() => sort(byRank)}>{t("byRank")}</button>
            <button type="button" onClick={() => sort(bySuit)}>{t("bySuit")}</button>
          </>
        )}
      </div>
      <div class="hint" role="status">
        {!done && t("placeMore", { count: place - placed, all: Math.min(place, BOARD_SIZE) })}
        {done && !inHand.length && t("allPlaced")}
        {done && inHand.length > 0 && <Pile label={t("restDiscarded")} cards={inHand.map((at) => cards[at]!)} />}
      </div>
    </div>
  );
}
