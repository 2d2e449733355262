/** Cards as SVG: a big index, four colours, readable when small. */

import type { JSX } from "preact";
import { type Card, JOKER } from "../lib/cards";
import { PIPS, STAR } from "../lib/faces";
import { useText, type Translate } from "../lib/settings";
import type { Key } from "../texts";

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
