/** Cards by typing: `AsAhKd7c2s`. */

import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { type Card, duplicate, parseCards } from "../lib/cards";
import { useText } from "../lib/settings";

interface CardInputProps {
  label: string;
  cards: readonly Card[];
  /** Cards that lie elsewhere and cannot be typed again. */
  elsewhere: readonly Card[];
  jokers: number;
  most: number;
  onCards: (cards: Card[]) => void;
  onEnter?: () => unknown;
}

const same = (a: readonly Card[], b: readonly Card[]) => a.length === b.length && a.every((card, at) => card === b[at]);

export function CardInput({ label, cards, elsewhere, jokers, most, onCards, onEnter }: CardInputProps): JSX.Element {
  const t = useText();
  const id = useId();
  const [text, setText] = useState(cards.join(" "));
  const read = parseCards(text);
  useEffect(() => {
    if (!same(parseCards(text).cards, cards)) setText(cards.join(" "));
  }, [cards.join(" ")]);

  const twice = duplicate([...elsewhere, ...read.cards], jokers);
  const unfinished = read.bad !== null && /^(10|[2-9tjqka1])?$/i.test(read.bad);
  const problem = read.bad !== null && !unfinished
    ? t("noCard", { text: read.bad })
    : twice !== null
      ? t("cardTwice", { card: twice })
      : read.cards.length > most
        ? t("tooMany", { most })
        : null;

  const typed = (value: string) => {
    setText(value);
    const next = parseCards(value);
    const fine = duplicate([...elsewhere, ...next.cards], jokers) === null && next.cards.length <= most;
    if (fine && (next.bad === null || /^(10|[2-9tjqka1])$/i.test(next.bad)) && !same(next.cards, cards)) onCards(next.cards);
  };

  return (
    <div class="field card-input">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={text}
        placeholder="AsAhKd7c2s"
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        aria-invalid={problem !== null}
        aria-describedby={problem ? `${id}-problem` : undefined}
        onInput={(event) => typed(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && onEnter?.()}
      />
      {problem && (
        <p class="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
