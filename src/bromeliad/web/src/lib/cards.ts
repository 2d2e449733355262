/** Cards as text, the way every interface of Bromeliad writes them: `As`, `Td`, a joker `Jk`. */

export type Card = string;

export const RANKS = "AKQJT98765432";
export const SUITS = "shdc";
export const JOKER: Card = "Jk";

const SYMBOLS: Record<string, string> = { "♠": "s", "♥": "h", "♦": "d", "♣": "c" };
const TOKEN = /[\s,;]*(?:(?:(10|[2-9tjqka])\s?([shdc♠♥♦♣]))|(jk))[\s,;]*/iy;

export function deck(jokers: number): Card[] {
  const cards = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
  return [...cards, ...Array<Card>(jokers).fill(JOKER)];
}

/** What a text names: the cards, and the first piece that is no card (null if all are). */
export function parseCards(text: string): { cards: Card[]; bad: string | null } {
  const cards: Card[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) return { cards, bad: text.slice(from).trim().slice(0, 8) };
    const [, rank, suit] = found;
    if (rank === undefined || suit === undefined) cards.push(JOKER);
    else cards.push((rank === "10" ? "T" : rank.toUpperCase()) + (SYMBOLS[suit] ?? suit.toLowerCase()));
  }
  return { cards, bad: null };
}

/** The first card that a list has more often than the deck does, or null. */
export function duplicate(cards: readonly Card[], jokers: number): Card | null {
  const seen = new Map<Card, number>();
  for (const card of cards) {
    const count = (seen.get(card) ?? 0) + 1;
    if (count > (card === JOKER ? jokers : 1)) return card;
    seen.set(card, count);
  }
  return null;
}

/** `cards` without each of `gone`, once for each time it is there. */
export function without(cards: readonly Card[], gone: readonly Card[]): Card[] {
  const left = [...cards];
  for (const card of gone) {
    const at = left.indexOf(card);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

const ORDER = new Map(deck(0).map((card) => [card, RANKS.indexOf(card[0]!) * 4 + SUITS.indexOf(card[1]!)]));

/** High cards first, jokers before all. */
export function byRank(cards: readonly Card[]): Card[] {
  return [...cards].sort((a, b) => (ORDER.get(a) ?? -1) - (ORDER.get(b) ?? -1));
}

export function bySuit(cards: readonly Card[]): Card[] {
  const key = (card: Card) => (card === JOKER ? -1 : SUITS.indexOf(card[1]!) * 13 + RANKS.indexOf(card[0]!));
  return [...cards].sort((a, b) => key(a) - key(b));
}
