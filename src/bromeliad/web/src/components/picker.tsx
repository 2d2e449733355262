/** The deck to click on: 52 cards and the jokers. Arrow keys move, Enter takes. */

import type { JSX, TargetedKeyboardEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { type Card, deck, JOKER, RANKS, SUITS } from "../lib/cards";
import type { Drag } from "../lib/drag";
import { useText } from "../lib/settings";
import { cardName, Face } from "./card";

interface PickerProps {
  jokers: number;
  used: readonly Card[];
  /** Cards of the place that is being filled: a click takes them out again. */
  here: readonly Card[];
  onPick: (card: Card) => void;
  /** Makes the cards of the deck draggable, as `deck:As`. */
  drag?: Drag;
}

const COLUMNS = RANKS.length;
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };

export function Picker({ jokers, used, here, onPick, drag }: PickerProps): JSX.Element {
  const t = useText();
  const [focus, setFocus] = useState(0);
  const grid = useRef<HTMLDivElement>(null);
  const cards = deck(jokers);
  const left = (card: Card) => (card === JOKER ? jokers : 1) - used.filter((one) => one === card).length;
  const usedJokers = used.filter((card) => card === JOKER).length;

  const steer = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = Math.min(Math.max(focus + step, 0), cards.length - 1);
    setFocus(to);
    grid.current?.querySelectorAll("button")[to]?.focus();
  };

  return (
    <div class="picker" role="group" aria-label={t("deck")} ref={grid} onKeyDown={steer}>
      {cards.map((card, at) => {
        const gone = card === JOKER ? at - SUITS.length * COLUMNS < usedJokers : left(card) <= 0;
        const mine = here.includes(card) && gone;
        return (
          <button
            type="button"
            key={at}
            class={`card-box ${gone ? (mine ? "mine" : "gone") : ""}`}
            tabIndex={at === focus ? 0 : -1}
            aria-label={cardName(t, card)}
            aria-pressed={gone}
            onFocus={() => setFocus(at)}
            onClick={() => onPick(card)}
            {...(gone ? {} : drag?.(`deck:${card}`))}
          >
            <Face card={card} />
          </button>
        );
      })}
    </div>
  );
}
