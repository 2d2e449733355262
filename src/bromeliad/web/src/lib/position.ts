/** A decision of open-face Chinese poker as the editor holds it, and as the address bar and the service read it. */

import { type Card, parseCards } from "./cards";

export type Row = "top" | "middle" | "back";
export const ROWS: readonly Row[] = ["top", "middle", "back"];
export const ROW_SIZES: Readonly<Record<Row, number>> = { top: 3, middle: 5, back: 5 };
export const BOARD_SIZE = 13;

export type Board = Readonly<Record<Row, readonly Card[]>>;
export type Opponent = { kind: "board"; board: Board } | { kind: "fantasyland"; cards: number };

export interface Position {
  rules: string;
  board: Board;
  cards: readonly Card[];
  dead: readonly Card[];
  opponents: readonly Opponent[];
}

export interface Street {
  deal: number;
  place: number;
}

/** Where a card can lie: the hand, the dead cards, a row of one's own board (`own.top`) or of an opponent's (`0.top`). */
export type Zone = "cards" | "dead" | `${"own" | number}.${Row}`;

export interface Placement {
  top: readonly Card[];
  middle: readonly Card[];
  back: readonly Card[];
  discards: readonly Card[];
}

export const EMPTY_BOARD: Board = { top: [], middle: [], back: [] };

export function emptyPosition(rules: string): Position {
  return { rules, board: EMPTY_BOARD, cards: [], dead: [], opponents: [] };
}

export function boardCards(board: Board): Card[] {
  return ROWS.flatMap((row) => [...board[row]]);
}

export function boardText(board: Board): string {
  return ROWS.map((row) => board[row].join(" ") || "-").join(" / ");
}

/** Reads `Kd / 7c 2s / As Ah`, an empty row as `-`; null where it is no board. */
export function parseBoard(text: string): Board | null {
  const parts = text.split(text.includes("/") ? "/" : "-").map((part) => part.trim().replace(/^-$/, ""));
  if (parts.length !== 3) return null;
  const rows = parts.map(parseCards);
  if (rows.some((row, at) => row.bad !== null || row.cards.length > ROW_SIZES[ROWS[at]!])) return null;
  return { top: rows[0]!.cards, middle: rows[1]!.cards, back: rows[2]!.cards };
}

function opponentCards(opponent: Opponent): Card[] {
  return opponent.kind === "board" ? boardCards(opponent.board) : [];
}

export function allCards(position: Position): Card[] {
  const others = position.opponents.flatMap(opponentCards);
  return [...boardCards(position.board), ...position.cards, ...position.dead, ...others];
}

/** The board that a zone's row belongs to: "own", or the number of the opponent. */
function owner(zone: Zone): { who: "own" | number; row: Row } {
  const [who, row] = zone.split(".") as [string, Row];
  return { who: who === "own" ? "own" : Number(who), row };
}

export function cardsIn(position: Position, zone: Zone): readonly Card[] {
  if (zone === "cards" || zone === "dead") return position[zone];
  const { who, row } = owner(zone);
  if (who === "own") return position.board[row];
  const opponent = position.opponents[who];
  return opponent?.kind === "board" ? opponent.board[row] : [];
}

export function withCards(position: Position, zone: Zone, cards: readonly Card[]): Position {
  if (zone === "cards" || zone === "dead") return { ...position, [zone]: cards };
  const { who, row } = owner(zone);
  if (who === "own") return { ...position, board: { ...position.board, [row]: cards } };
  const opponents = position.opponents.map((opponent, at) =>
    at === who && opponent.kind === "board" ? { ...opponent, board: { ...opponent.board, [row]: cards } } : opponent,
  );
  return { ...position, opponents };
}

/** Cards that fit into a zone; the hand takes what the street deals. */
export function capacity(zone: Zone, deal: number): number {
  if (zone === "cards") return deal;
  if (zone === "dead") return 52;
  return ROW_SIZES[owner(zone).row];
}

export function zonesOf(position: Position): Zone[] {
  const rows = (who: "own" | number) => ROWS.map((row): Zone => `${who}.${row}`);
  const others = position.opponents.flatMap((opponent, at) => (opponent.kind === "board" ? rows(at) : []));
  return ["cards", ...rows("own"), ...others, "dead"];
}

/** The street that begins with this board, from 0; null where none does. */
export function streetAt(board: Board, streets: readonly Street[]): number | null {
  let placed = boardCards(board).length;
  for (const [at, street] of streets.entries()) {
    if (placed === 0) return at;
    placed -= street.place;
  }
  return null;
}

/** The numbers of cards on a board with which a street begins. */
export function streetStarts(streets: readonly Street[]): number[] {
  return streets.map((_, at) => streets.slice(0, at).reduce((sum, one) => sum + one.place, 0));
}

export function place(board: Board, placement: Placement): Board {
  return {
    top: [...board.top, ...placement.top],
    middle: [...board.middle, ...placement.middle],
    back: [...board.back, ...placement.back],
  };
}

/** The position after a placement, before the next deal. */
export function playOn(position: Position, placement: Placement): Position {
  const dead = [...position.dead, ...placement.discards];
  return { ...position, board: place(position.board, placement), cards: [], dead };
}

function opponentText(opponent: Opponent): string {
  return opponent.kind === "board" ? boardText(opponent.board) : `fantasyland:${opponent.cards}`;
}

/** The fields of a question to the solver. */
export function toRequest(position: Position): Record<string, unknown> {
  return {
    rules: position.rules,
    cards: position.cards.join(" "),
    board: boardCards(position.board).length ? boardText(position.board) : "",
    dead: position.dead.join(" "),
    opponents: position.opponents.map(opponentText),
  };
}

const compact = (board: Board) => ROWS.map((row) => board[row].join("")).join("/");

export function toQuery(position: Position): string {
  const query = new URLSearchParams({ rules: position.rules });
  if (position.cards.length) query.set("cards", position.cards.join(""));
  if (boardCards(position.board).length) query.set("board", compact(position.board));
  if (position.dead.length) query.set("dead", position.dead.join(""));
  for (const opponent of position.opponents)
    query.append("opponent", opponent.kind === "board" ? compact(opponent.board) : `fantasyland:${opponent.cards}`);
  return query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
}

function readOpponent(text: string): Opponent | null {
  const hidden = /^fantasyland:(\d{2})$/.exec(text.trim());
  if (hidden) return { kind: "fantasyland", cards: Number(hidden[1]) };
  const board = parseBoard(text);
  return board && { kind: "board", board };
}

/** Reads what `toQuery` and `toRequest` write; pieces that cannot be read are left out. */
export function fromQuery(query: URLSearchParams, fallback: string): Position {
  const opponents = query.getAll("opponent").map(readOpponent);
  return {
    rules: query.get("rules") ?? fallback,
    board: parseBoard(query.get("board") ?? "") ?? EMPTY_BOARD,
    cards: parseCards(query.get("cards") ?? "").cards,
    dead: parseCards(query.get("dead") ?? "").cards,
    opponents: opponents.filter((opponent) => opponent !== null).slice(0, 3),
  };
}
