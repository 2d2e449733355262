/** The board in the middle: rows with what they make, the hand below; cards of the hand are laid out on it. */

import type { JSX, TargetedMouseEvent } from "preact";
import { cardName, Face } from "../../components/card";
import type { Card } from "../../lib/cards";
import { foulingRows, handName, madeHand, royaltyOf, type RuleBook } from "../../lib/hands";
import { type Board, type Placement, type Row, ROW_SIZES, ROWS, type Zone } from "../../lib/position";
import { useText } from "../../lib/settings";
import { clicked, type ZonesProps, ZoneView } from "./zones";

interface TableProps extends ZonesProps {
  /** Cards that the street places; 0 where no street begins here. */
  place: number;
  book: RuleBook | null;
  /** A placement that is shown in the free places, as long as nothing is laid out. */
  preview: Placement | null;
}

/** The board with the cards that are laid out on it. */
export function boardAsLaid({ editor }: ZonesProps): Board {
  const { position, laid } = editor;
  const row = (name: Row) => [...position.board[name], ...laid.filter((one) => one.row === name).map((one) => position.cards[one.at]!)];
  return { top: row("top"), middle: row("middle"), back: row("back") };
}

export function Table(props: TableProps): JSX.Element {
  const t = useText();
  const board = boardAsLaid(props);
  const fouling = props.book && foulingRows(props.book, board);
  const royalties = ROWS.reduce((sum, row) => sum + (royaltyIn(props.book, row, board[row]) ?? 0), 0);
  return (
    <div class="felt">
      <div class="own-board" role="group" aria-label={t("yourBoard")}>
        {ROWS.map((row) => (
          <TableRow key={row} row={row} {...props} bad={fouling?.includes(row) ?? false} />
        ))}
      </div>
      <p class={fouling ? "standing foul-warning" : "standing"} role="status">
        {fouling ? t("mustFoul", { above: t(fouling[0]), below: t(fouling[1]) }) : royalties ? t("royaltiesSoFar", { points: royalties }) : "\u00a0"}
      </p>
      {props.deal > 0 && <Hand {...props} />}
    </div>
  );
}

function royaltyIn(book: RuleBook | null, row: Row, cards: readonly Card[]): number | null {
  const hand = madeHand(row, cards);
  return book && hand ? royaltyOf(book, row, hand) : null;
}

function TableRow({ row, bad, ...props }: TableProps & { row: Row; bad: boolean }): JSX.Element {
  const t = useText();
  const { editor, dispatch, drag, book, place, preview } = props;
  const zone: Zone = `own.${row}`;
  const fixed = editor.position.board[row];
  const laid = editor.laid.filter((one) => one.row === row);
  const cards = [...fixed, ...laid.map((one) => editor.position.cards[one.at]!)];
  const hand = book?.order.low_middle && row === "middle" ? null : madeHand(row, cards);
  const paid = royaltyIn(book, row, cards);
  const free = ROW_SIZES[row] - cards.length;
  const shown = preview?.[row] ?? [];
  const hit = () => placeHere(props, zone);
  const here = (event: TargetedMouseEvent<HTMLElement>) => {
    if (!(event.target as Element).closest("button")) hit();
  };
  const picked = (one: { zone: Zone; at: number }) => editor.selected?.zone === one.zone && editor.selected.at === one.at;
  const pick = (from: Zone, at: number) => {
    if (editor.selected && !picked({ zone: from, at })) hit();
    else dispatch({ do: "select", zone: from, at });
  };
  const card = (name: Card, from: Zone, at: number, fresh: boolean) => (
    <button
      type="button"
      key={`${name}${from}${at}`}
      class={fresh ? "card-box fresh" : "card-box"}
      aria-label={cardName(t, name)}
      aria-pressed={picked({ zone: from, at })}
      data-card={name}
      onClick={() => pick(from, at)}
      {...drag(`${from}:${at}`)}
    >
      <Face card={name} />
    </button>
  );
  return (
    <div class={`table-row ${bad ? "bad" : ""}`}>
      <span class="row-label">{t(row)}</span>
      <div class={`row zone ${editor.target === zone ? "active" : ""}`} data-zone={zone} role="group" aria-label={`${t("yourBoard")}, ${t(row)}`} onClick={here}>
        {fixed.map((name, at) => card(name, zone, at, false))}
        {laid.map((one) => card(editor.position.cards[one.at]!, "cards", one.at, place > 0))}
        {Array.from({ length: free }, (_, at) => (
          <span class="place" key={`-${at}`}>
            {at === 0 ? (
              <button type="button" class="slot" aria-label={t("placeInto", { row: `${t("yourBoard")}, ${t(row)}` })} onClick={hit} />
            ) : (
              <span class="slot" />
            )}
            {shown[at] && <Shadow card={shown[at]} />}
          </span>
        ))}
      </div>
      <span class="row-hand">
        {hand && hand.category !== "high" && handName(t, hand)} {!!paid && <b>+{paid}</b>}
      </span>
    </div>
  );
}

/** Puts the selected card into a row: a card of the hand is laid out, any other is moved. */
export function placeHere(props: TableProps, zone: Zone): void {
  const { editor, dispatch, place } = props;
  const from = editor.selected;
  const row = zone.split(".")[1] as Row | undefined;
  if (from?.zone === "cards" && zone.startsWith("own.") && place > 0 && row) dispatch({ do: "lay", at: from.at, row, most: place });
  else if (from?.zone === "cards" && zone === "cards") dispatch({ do: "lay", at: from.at, row: null, most: place });
  else clicked(props, zone);
}

/** Where a card of the placement would lie that is looked at. */
function Shadow({ card }: { card: Card }): JSX.Element {
  return (
    <span class="shadow" aria-hidden="true">
      <Face card={card} />
    </span>
  );
}

function Hand(props: TableProps): JSX.Element {
  const t = useText();
  const { editor } = props;
  const out = new Set(editor.laid.map((one) => one.at));
  return (
    <div class="hand-tray">
      <h2>{t("dealt")}</h2>
      <ZoneView zone="cards" label={t("dealt")} {...props} without={out} size={Math.max(props.deal - out.size, 0)} onHit={() => placeHere(props, "cards")} />
    </div>
  );
}
