/** Cards as SVG: a big index, four colours, readable when small. */

import type { JSX } from "preact";
import { type Card, JOKER } from "../lib/cards";
import { useText, type Translate } from "../lib/settings";
import type { Key } from "../texts";

const PIPS: Record<string, string> = {
  s: "M0-11C3-5 11-1 11 5a5.6 5.6 0 0 1-9.6 4C1.8 12 2.6 13.4 4 15h-8c1.4-1.6 2.2-3 2.6-6A5.6 5.6 0 0 1-11 5C-11-1-3-5 0-11z",
  h: "M0 14C-4 9-12 4-12-3.5A6.3 6.3 0 0 1 0-6.5 6.3 6.3 0 0 1 12-3.5C12 4 4 9 0 14z",
  d: "M0-14C3-8 6-4 10 0 6 4 3 8 0 14-3 8-6 4-10 0-6-4-3-8 0-14z",
  c: "M0-12a5.8 5.8 0 0 1 4.6 9.2A5.8 5.8 0 1 1 1.6 7c.3 3 1 5.6 2.9 8h-9C-2.6 12.6-1.9 10-1.6 7a5.8 5.8 0 1 1-3-9.8A5.8 5.8 0 0 1 0-12z",
};

const STAR = "M0-13 3.6-4.4 12.8-4 5.7 2 8 11 0 6-8 11-5.7 2-12.8-4-3.6-4.4z";
const SUIT_KEYS: Record<string, Key> = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const RANK_KEYS: Record<string, Key> = { A: "ace", K: "king", Q: "queen", J: "jack" };

/** The card's name for those who listen. */
export function cardName(t: Translate, card: Card): string {
  if (card === JOKER) return t("joker");
  const [rank, suit] = [card[0]!, card[1]!];
  const name = RANK_KEYS[rank] ? t(RANK_KEYS[rank]) : rank === "T" ? "10" : rank;
  return t("cardName", { rank: name, suit: t(SUIT_KEYS[suit]!) });
}

export function cardNames(t: Translate, cards: readonly Card[]): string {
  return cards.map((card) => cardName(t, card)).join(", ");
}

/** The face alone, without a name: for cards inside something that is named. */
export function Face({ card }: { card: Card }): JSX.Element {
  const joker = card === JOKER;
  return (
    <svg class={`card suit-${joker ? "joker" : card[1]}`} viewBox="0 0 60 80" aria-hidden="true" focusable="false">
      <rect class="paper" x="1" y="1" width="58" height="78" rx="8" />
      {joker ? (
        <path d={STAR} transform="translate(30 40) scale(1.6)" />
      ) : (
        <>
          <text x="30" y="40" text-anchor="middle">
            {card[0]}
          </text>
          <path d={PIPS[card[1]!]} transform="translate(30 61) scale(.92)" />
        </>
      )}
    </svg>
  );
}

export function CardImage({ card, fresh }: { card: Card; fresh?: boolean }): JSX.Element {
  const t = useText();
  return (
    <span class={fresh ? "card-box fresh" : "card-box"} role="img" aria-label={cardName(t, card)}>
      <Face card={card} />
    </span>
  );
}

/** Some small cards with a word before them: discards, dead cards. */
export function Pile({ label, cards }: { label: string; cards: readonly Card[] }): JSX.Element {
  return (
    <span class="pile">
      <span class="small-label">{label}</span>
      {cards.map((card, at) => (
        <CardImage card={card} key={at} />
      ))}
    </span>
  );
}

export function Back(): JSX.Element {
  return (
    <span class="card-box">
      <svg class="card back" viewBox="0 0 60 80" aria-hidden="true" focusable="false">
        <rect class="paper" x="1" y="1" width="58" height="78" rx="8" />
        <path d="M30 64C18 58 14 46 17 36c7 3 12 12 13 28zm0 0c12-6 16-18 13-28-7 3-12 12-13 28zm0-8c-6-9-6-24 0-36 6 12 6 27 0 36z" />
      </svg>
    </span>
  );
}
