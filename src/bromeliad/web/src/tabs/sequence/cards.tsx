/** The cards of a game of Sequence: your hand, the face-up cards, and what is known of the others. */

import type { JSX } from "preact";
import { CardImage, cardName, Face } from "../../components/card";
import type { Card } from "../../lib/cards";
import { useText } from "../../lib/settings";
import { cardOf, type SequenceView, TEAMS } from "./types";

interface HandProps {
  cards: readonly Card[];
  chosen: Card | null;
  playable: (card: Card) => boolean;
  onChoose: (card: Card) => void;
  label: string;
}

/** Cards to choose one of, or just to look at while none can be chosen. */
export function Choice({ cards, chosen, playable, onChoose, label }: HandProps): JSX.Element {
  const t = useText();
  const choosing = cards.some(playable);
  return (
    <div class="tray" role="group" aria-label={label}>
      <h3>{label}</h3>
      <div class="row wrap sequence-cards">
        {cards.map((card, at) =>
          choosing ? (
            <button
              type="button"
              key={at}
              class={playable(card) ? "card-box" : "card-box held"}
              aria-label={cardName(t, card)}
              aria-pressed={card === chosen}
              aria-disabled={!playable(card)}
              onClick={() => playable(card) && onChoose(card)}
            >
              <Face card={card} />
            </button>
          ) : (
            <CardImage key={at} card={card} />
          ),
        )}
      </div>
    </div>
  );
}

/** What can be done without a square: exchange a dead card, keep it, pass. */
export function OtherMoves({ moves, onPlay }: { moves: readonly string[]; onPlay: (move: string) => void }): JSX.Element | null {
  const t = useText();
  const others = moves.filter((move) => move.endsWith("!") || move === "keep" || move === "pass");
  if (!others.length) return null;
  return (
    <div class="run">
      {others.map((move) => (
        <button type="button" key={move} onClick={() => onPlay(move)}>
          {move.endsWith("!") ? t("exchangeDead", { card: cardName(t, cardOf(move)) }) : t(move === "keep" ? "keepDead" : "passTurn")}
        </button>
      ))}
    </div>
  );
}

/** The others, the deck and the discards. */
export function Others({ game }: { game: SequenceView }): JSX.Element {
  const t = useText();
  const others = game.players.filter(({ seat }) => seat !== game.seat);
  return (
    <div class="opponents">
      {others.map(({ seat, team, cards, known }) => (
        <div key={seat} class="opponent">
          <div class="opponent-head">
            <h3><span class={`chip key t${team}`} /> {t("seatOf", { seat: seat + 1, team: t(TEAMS[team]!) })}</h3>
            <span>{t("holds", { count: cards })}</span>
          </div>
          {known.length > 0 && (
            <div class="row wrap small-cards" aria-label={t("knownCards")} role="group">
              {known.map((card, at) => <CardImage key={at} card={card} />)}
            </div>
          )}
        </div>
      ))}
      <p class="muted">{t("deckAndDiscards", { deck: game.deck, discards: game.discards.length })}</p>
    </div>
  );
}
