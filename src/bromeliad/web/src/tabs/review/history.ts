/** Hand histories (docs/hand-histories.md) as the decisions that they tell. */

import { askText } from "../../lib/api";
import { type Card, parseCards } from "../../lib/cards";
import { type Board, EMPTY_BOARD, parseBoard, place, type Placement } from "../../lib/position";

interface HandEvent {
  event: string;
  seat?: number;
  cards?: string;
  board?: string;
  points?: number[];
  royalties?: number[];
  fouls?: boolean[];
}

export interface HandRecord {
  hand: number;
  rules: string | { name: string };
  players: { name: string; fantasyland: number }[];
  events: HandEvent[];
}

/** One decision: the boards before it by seat, what was dealt and where it went. */
export interface Decision {
  seat: number;
  cards: Card[];
  boards: Board[];
  placed: Placement;
}

export interface Hand {
  number: number;
  rules: string;
  players: { name: string; fantasyland: number }[];
  decisions: Decision[];
  final: Board[];
  points: number[];
}

/** Reads lines of histories; lines that are none are left to the service to complain about. */
export function readHands(text: string): Hand[] {
  return text.split("\n").flatMap((line) => {
    try {
      const record = JSON.parse(line) as HandRecord;
      return Array.isArray(record.events) ? [readHand(record)] : [];
    } catch {
      return [];
    }
  });
}

function readHand(record: HandRecord): Hand {
  const boards: Board[] = record.players.map(() => EMPTY_BOARD);
  const decisions: Decision[] = [];
  let dealt: Card[] = [];
  let points: number[] = [];
  for (const event of record.events) {
    const seat = (event.seat ?? 1) - 1;
    if (event.event === "deal") dealt = parseCards(event.cards ?? "").cards;
    if (event.event === "place") {
      const rows = parseBoard(event.board ?? "") ?? EMPTY_BOARD;
      decisions.push({ seat, cards: dealt, boards: [...boards], placed: { ...rows, discards: [] } });
      boards[seat] = place(boards[seat] ?? EMPTY_BOARD, { ...rows, discards: [] });
    }
    const last = decisions.at(-1);
    if (event.event === "discard" && last) last.placed = { ...last.placed, discards: parseCards(event.cards ?? "").cards };
    if (event.event === "score") points = event.points ?? [];
  }
  const rules = typeof record.rules === "string" ? record.rules : record.rules.name;
  return { number: record.hand, rules, players: record.players, decisions, final: boards, points };
}

/** The histories of a match on this page; none if it is gone. */
export async function fetchHistory(game: string): Promise<string> {
  try {
    return await askText(`/games/${encodeURIComponent(game)}/history`);
  } catch {
    return "";
  }
}
