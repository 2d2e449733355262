/** What the cards of a row are worth by the rules: their name, their royalty, and whether a board must foul. */

import { type Card, JOKER, RANKS } from "./cards";
import { type Board, type Row, ROW_SIZES, ROWS } from "./position";
import type { Translate } from "./settings";
import type { Key } from "../texts";

export type Category = "high" | "pair" | "two_pair" | "trips" | "straight" | "flush" | "full_house" | "quads" | "straight_flush" | "royal";
const CATEGORIES: readonly Category[] = ["high", "pair", "two_pair", "trips", "straight", "flush", "full_house", "quads", "straight_flush", "royal"];

/** The part of `GET /rules/{name}` that says what rows pay. */
export interface RuleBook {
  order: { low_middle: unknown };
  royalties: Partial<Record<Row, Partial<Record<Category, number | Record<string, number>>>>>;
}

export interface MadeHand {
  category: Category;
  /** Ranks in the order in which they compare, as numbers from 2 to 14. */
  ranks: readonly number[];
  full: boolean;
}

const valueOf = (card: Card) => 14 - RANKS.indexOf(card[0]!);
const letterOf = (value: number) => RANKS[14 - value]!;

function straightHigh(values: readonly number[]): number | null {
  const sorted = [...new Set(values)].sort((a, b) => b - a);
  if (sorted.length !== 5) return null;
  if (sorted[0]! - sorted[4]! === 4) return sorted[0]!;
  return sorted.join() === "14,5,4,3,2" ? 5 : null;
}

/** What the cards of a row make so far; null for none, and where a joker may be anything. */
export function madeHand(row: Row, cards: readonly Card[]): MadeHand | null {
  if (!cards.length || cards.includes(JOKER)) return null;
  const full = cards.length === ROW_SIZES[row];
  const counts = new Map<number, number>();
  for (const card of cards) counts.set(valueOf(card), (counts.get(valueOf(card)) ?? 0) + 1);
  const groups = [...counts].sort(([a, n], [b, m]) => m - n || b - a);
  const ranks = groups.map(([value]) => value);
  const [most, next] = [groups[0]![1], groups[1]?.[1] ?? 0];
  const five = full && cards.length === 5;
  const straight = five ? straightHigh(cards.map(valueOf)) : null;
  const flush = five && cards.every((card) => card[1] === cards[0]![1]);
  const category: Category =
    straight && flush ? (straight === 14 ? "royal" : "straight_flush")
    : most === 4 ? "quads"
    : most === 3 && next === 2 ? "full_house"
    : flush ? "flush"
    : straight ? "straight"
    : most === 3 ? "trips"
    : most === 2 && next === 2 ? "two_pair"
    : most === 2 ? "pair"
    : "high";
  return { category, ranks: straight ? [straight] : ranks, full };
}

/** A hand in words: "pair of K", "flush". */
export function handName(t: Translate, hand: MadeHand): string {
  const [first = 0, second = 0] = hand.ranks;
  return t(`hand_${hand.category}` as Key, { first: letterOf(first), second: second ? letterOf(second) : "" });
}

/** The royalty of a full row. */
export function royaltyOf(rules: RuleBook, row: Row, hand: MadeHand): number {
  if (!hand.full || (row === "middle" && rules.order.low_middle)) return 0;
  const paid = rules.royalties[row]?.[hand.category];
  return typeof paid === "number" ? paid : (paid?.[letterOf(hand.ranks[0]!)] ?? 0);
}

/** Negative if the first hand is weaker; a kicker that one of them lacks counts as nothing. */
function compare(a: MadeHand, b: MadeHand): number {
  const by = CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category);
  if (by) return by;
  for (let at = 0; at < Math.max(a.ranks.length, b.ranks.length); at += 1) {
    const difference = (a.ranks[at] ?? 0) - (b.ranks[at] ?? 0);
    if (difference) return difference;
  }
  return 0;
}

/** The rows that make a board foul whatever comes: a full row is already beaten by the one above it. */
export function foulingRows(rules: RuleBook, board: Board): [Row, Row] | null {
  if (rules.order.low_middle) return null;
  const made = ROWS.map((row) => madeHand(row, board[row]));
  for (const [above, below] of [[0, 1], [1, 2], [0, 2]] as const) {
    const [upper, lower] = [made[above], made[below]];
    if (!upper || !lower?.full) continue;
    const known = upper.full ? upper : { ...upper, ranks: upper.category === "high" ? [] : upper.ranks.slice(0, upper.category === "two_pair" ? 2 : 1) };
    if (known.category === "high" && !upper.full) continue;
    if (compare(known, lower) > 0) return [ROWS[above]!, ROWS[below]!];
  }
  return null;
}
