/** Sequence as the service tells it; values are of the side to move, from -1 to 1. */

import type { Card } from "../../lib/cards";
import type { Translate } from "../../lib/settings";
import type { Key } from "../../texts";

export const RULES = ["course", "official"] as const;
export type Rule = (typeof RULES)[number];
export const OPPONENTS = ["mcts", "greedy", "random"] as const;
export type Opponent = (typeof OPPONENTS)[number];
/** How many can play by each rule set. */
export const PLAYERS: Record<Rule, readonly number[]> = { course: [2, 4], official: [2, 3, 4] };

export const SIDE = 10;
export const EMPTY_BOARD = `#________#${"_".repeat(80)}#________#`;
/** Letters of the teams' chips; capitals are chips of finished sequences. */
export const CHIPS = "rbg";
export const TEAMS: readonly Key[] = ["red", "blue", "green"];

/** The card of every square, row by row; "" for the corners, which are everybody's. */
export const SQUARES: readonly Card[] = (
  "jk2s3s4s5s6s7s8s9sjk" +
  "6c5c4c3c2cahkhqhthts" +
  "7cas2d3d4d5d6d7d9hqs" +
  "8cks6c5c4c3c2c8d8hks" +
  "9cqs7c6h5h4hah9d7has" +
  "tcts8c7h2h3hkhtd6h2d" +
  "qc9s9c8h9hthqhqd5h3d" +
  "kc8stcqckcacadkd4h4d" +
  "ac7s6s5s4s3s2s2h3h5d" +
  "jkadkdqdtd9d8d7d6djk"
)
  .match(/../g)!
  .map((name) => (name === "jk" ? "" : name[0]!.toUpperCase() + name[1]));

export interface Candidate {
  move: string;
  visits: number;
  value: number | null;
  stderr: number | null;
}

export interface SequenceAnswer {
  best: string;
  /** The whole turn: a play, and the face-up card taken after it. */
  turn: string[];
  value: number;
  candidates: Candidate[];
  simulations: number;
}

export interface Seat {
  seat: number;
  team: number;
  cards: number;
  known: Card[];
}

export interface SequenceView {
  id: string;
  rules: Rule;
  seat: number;
  opponent: Opponent;
  time: number;
  board: string[];
  players: Seat[];
  draft: Card[];
  discards: Card[];
  deck: number;
  sequences: number[];
  goal: number;
  mover: number | null;
  moves: string[];
  over: boolean;
  winner: number | null;
  log: { seat: number; move: string }[];
  can_undo: boolean;
  /** What can be analysed; null while it is not your turn. */
  position: object | null;
}

/** The square that a move is about, or null. */
export function squareOf(move: string): number | null {
  const found = /[@-](\d\d)$/.exec(move);
  return found ? Number(found[1]) : null;
}

/** The card that a move plays or takes, "" for none. */
export function cardOf(move: string): Card {
  return /^\+?(..)(?:[@!-]|$)/.exec(move)?.[1] ?? "";
}

/** The move onto a square with the card that is held in mind, else with the one that is least dear: no jack. */
export function moveTo(moves: readonly string[], square: number, card: Card | null): string | undefined {
  const found = moves.filter((move) => squareOf(move) === square && (card === null || cardOf(move) === card));
  return found.find((move) => move[0] !== "J") ?? found[0];
}

const SYMBOLS: Record<string, string> = { s: "♠", h: "♥", d: "♦", c: "♣" };

/** A move in words: rows and columns count from 1. */
export function moveWords(t: Translate, move: string): string {
  if (move === "keep" || move === "pass") return t(move === "keep" ? "moveKeep" : "movePass");
  const name = cardOf(move);
  const card = (name[0] === "T" ? "10" : name[0]) + (SYMBOLS[name[1] ?? ""] ?? "");
  if (move.startsWith("+")) return t("moveTake", { card });
  const square = squareOf(move);
  if (square === null) return t("moveExchange", { card });
  return t(move.includes("@") ? "moveChip" : "moveRemove", { card, row: Math.floor(square / SIDE) + 1, column: (square % SIDE) + 1 });
}
