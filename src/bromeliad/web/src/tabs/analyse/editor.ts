/** What can be done to a position in the editor; every change can be undone. */

import { type Card, duplicate, without } from "../../lib/cards";
import { allCards, capacity, cardsIn, type Opponent, type Placement, playOn, type Position, type Row, ROW_SIZES, ROWS, toQuery, withCards, type Zone, zonesOf } from "../../lib/position";

export interface Editor {
  position: Position;
  past: readonly Position[];
  /** Where the deck's cards go. */
  target: Zone;
  /** A card that was clicked in the position, waiting for its place. */
  selected: { zone: Zone; at: number } | null;
  /** Cards of the hand that are laid out on the board, in the order in which that was done; the decision stays the same. */
  laid: readonly Laid[];
}

export interface Laid {
  at: number;
  row: Row;
}

export type Edit =
  | { do: "aim"; zone: Zone }
  | { do: "pick"; card: Card; jokers: number; deal: number }
  | { do: "select"; zone: Zone; at: number }
  | { do: "lay"; at: number; row: Row | null; most: number }
  | { do: "layOut"; placement: Placement }
  | { do: "move"; from: Zone; at: number; to: Zone; deal: number }
  | { do: "set"; zone: Zone; cards: readonly Card[]; deal: number }
  | { do: "opponent"; add?: Opponent; remove?: number; change?: [number, Opponent] }
  | { do: "play"; placement: Placement }
  | { do: "open"; position: Position }
  | { do: "undo" };

const MEMORY = 100;

export function edit(editor: Editor, change: Edit): Editor {
  switch (change.do) {
    case "aim":
      return { ...editor, target: change.zone, selected: null };
    case "select": {
      const { zone, at } = change;
      const same = editor.selected?.zone === zone && editor.selected.at === at;
      return { ...editor, target: zone, selected: same ? null : { zone, at } };
    }
    case "lay":
      return { ...editor, laid: lay(editor, change.at, change.row, change.most), selected: null };
    case "layOut":
      return { ...editor, laid: laidAs(editor.position.cards, change.placement), selected: null };
    case "undo": {
      if (editor.laid.length) return { ...editor, laid: editor.laid.slice(0, -1), selected: null };
      const before = editor.past.at(-1);
      return before ? aimed({ ...editor, position: before, past: editor.past.slice(0, -1), selected: null, laid: [] }) : editor;
    }
    default: {
      const position = changed(editor, change);
      if (position === editor.position) return editor;
      const past = [...editor.past, editor.position].slice(-MEMORY);
      const target = targetAfter(change, position) ?? editor.target;
      return aimed({ position, past, target, selected: null, laid: [] });
    }
  }
}

/** What is filled next after a change: the hand of a new position, the board of a new opponent. */
function targetAfter(change: Edit, position: Position): Zone | null {
  if (change.do === "play" || change.do === "open") return "cards";
  return change.do === "opponent" && change.add?.kind === "board" ? `${position.opponents.length - 1}.top` : null;
}

/** Falls back to the hand where the place that was aimed at is gone. */
function aimed(editor: Editor): Editor {
  return zonesOf(editor.position).includes(editor.target) ? editor : { ...editor, target: "cards" };
}

function changed({ position, target }: Editor, change: Exclude<Edit, { do: "aim" | "select" | "undo" | "lay" | "layOut" }>): Position {
  switch (change.do) {
    case "pick":
      return picked(position, target, change.card, change.jokers, change.deal);
    case "move":
      return moved(position, change.from, change.at, change.to, change.deal);
    case "set":
      return withCards(position, change.zone, change.cards.slice(0, capacity(change.zone, change.deal)));
    case "opponent":
      return { ...position, opponents: opponents(position.opponents, change) };
    case "play":
      return playOn(position, change.placement);
    case "open":
      return toQuery(change.position) === toQuery(position) ? position : change.position;
  }
}

function opponents(now: readonly Opponent[], change: { add?: Opponent; remove?: number; change?: [number, Opponent] }): Opponent[] {
  const kept = now.filter((_, at) => at !== change.remove);
  const replaced = kept.map((opponent, at) => (change.change?.[0] === at ? change.change[1] : opponent));
  return change.add ? [...replaced, change.add] : replaced;
}

/** A card from the deck goes where the editor aims; one that lies somewhere goes back to the deck. */
function picked(position: Position, target: Zone, card: Card, jokers: number, deal: number): Position {
  const here = cardsIn(position, target);
  if (duplicate([...allCards(position), card], jokers) === null) {
    if (here.length >= capacity(target, deal)) return position;
    return withCards(position, target, [...here, card]);
  }
  const home = here.includes(card) ? target : zonesOf(position).find((zone) => cardsIn(position, zone).includes(card));
  return home ? withCards(position, home, without(cardsIn(position, home), [card])) : position;
}

function moved(position: Position, from: Zone, at: number, to: Zone, deal: number): Position {
  const card = cardsIn(position, from)[at];
  if (card === undefined || from === to || cardsIn(position, to).length >= capacity(to, deal)) return position;
  const left = cardsIn(position, from).filter((_, i) => i !== at);
  const lifted = withCards(position, from, left);
  return withCards(lifted, to, [...cardsIn(lifted, to), card]);
}

/** The hand's cards on the board after one more goes to a row, or back to the hand (null). */
function lay({ position, laid }: Editor, at: number, row: Row | null, most: number): readonly Laid[] {
  const others = laid.filter((one) => one.at !== at);
  if (row === null) return others;
  const inRow = position.board[row].length + others.filter((one) => one.row === row).length;
  return inRow < ROW_SIZES[row] && others.length < most ? [...others, { at, row }] : laid;
}

function laidAs(cards: readonly Card[], placement: Placement): Laid[] {
  const left = cards.map((card, at) => ({ card, at }));
  return ROWS.flatMap((row) =>
    placement[row].flatMap((card) => {
      const found = left.findIndex((one) => one.card === card);
      return found < 0 ? [] : [{ at: left.splice(found, 1)[0]!.at, row }];
    }),
  );
}

/** What is laid out as a placement; null until it has as many cards as the street places. */
export function laidPlacement({ position, laid }: Editor, place: number): Placement | null {
  if (!place || laid.length !== place) return null;
  const of = (row: Row) => laid.filter((one) => one.row === row).map((one) => position.cards[one.at]!);
  const discards = position.cards.filter((_, at) => !laid.some((one) => one.at === at));
  return { top: of("top"), middle: of("middle"), back: of("back"), discards };
}
