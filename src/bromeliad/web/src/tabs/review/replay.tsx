/** A hand, decision by decision, with what the review says about each. */

import type { JSX } from "preact";
import { MiniBoard } from "../../components/board";
import { CardImage } from "../../components/card";
import { Compare, LossLine, Why } from "../../components/compare";
import { Panel } from "../../components/form";
import { Icon } from "../../components/icons";
import { Share } from "../../components/share";
import type { Card } from "../../lib/cards";
import { playerName } from "../../lib/names";
import { signed } from "../../lib/numbers";
import { worthText } from "../../lib/picture";
import { type Board, EMPTY_BOARD } from "../../lib/position";
import { openRoute, routeText } from "../../lib/route";
import { useRules } from "../../lib/rules";
import { useText } from "../../lib/settings";
import { whyText } from "../../lib/why";
import type { Hand } from "./history";
import type { Mistake } from "./types";

export interface Place {
  hand: number;
  decision: number;
}

interface ReplayProps {
  hands: readonly Hand[];
  at: Place;
  mistakes: readonly Mistake[] | null;
  onGo: (place: Place) => void;
}

export function Replay({ hands, at, mistakes, onGo }: ReplayProps): JSX.Element | null {
  const t = useText();
  const index = hands.findIndex((hand) => hand.number === at.hand);
  const hand = hands[index];
  const rules = useRules(hand?.rules ?? "");
  if (!hand) return null;
  const over = at.decision >= hand.decisions.length;
  const decision = hand.decisions[at.decision];
  const boards = decision?.boards ?? hand.final;
  const mistake = mistakes?.find((one) => one.hand === at.hand && one.decision === at.decision);
  const step = (by: number) => {
    const to = at.decision + by;
    const other = hands[index + by];
    if (to >= 0 && to <= hand.decisions.length) onGo({ hand: at.hand, decision: to });
    else if (other) onGo({ hand: other.number, decision: by > 0 ? 0 : other.decisions.length });
  };
  const picture = (one: Mistake, board: Board) => ({
    title: whyText(t, one.chosen, one.best, rules.objective.foul_cost, one.ev_loss, one.exact ? null : one.stderr),
    dealt: decision?.cards ?? [],
    boards: [
      { label: `${t("playedBy", { player: playerName(t, one.player) })} ${worthText(one.chosen)}`, board, fresh: one.placed },
      { label: `${t("best")} ${worthText(one.best)}`, board, fresh: one.best },
    ],
  });
  const tools = (
    <>
      <button type="button" class="icon" aria-label={t("previous")} title={t("previous")} onClick={() => step(-1)}>
        <Icon name="previous" />
      </button>
      <button type="button" class="icon" aria-label={t("next")} title={t("next")} onClick={() => step(1)}>
        <Icon name="next" />
      </button>
    </>
  );
  return (
    <Panel title={t("replay")} actions={tools}>
      <p class="summary" role="status">
        {t("replayAt", { hand: hand.number, decision: Math.min(at.decision + 1, hand.decisions.length), count: hand.decisions.length })}
      </p>
      <div class="others">
        {hand.players.map((player, seat) => (
          <div class={decision?.seat === seat ? "other acting" : "other"} key={seat}>
            <h3>
              {playerName(t, player.name)} {over && hand.points[seat] !== undefined && <b>{signed(hand.points[seat], 0)}</b>}
            </h3>
            <MiniBoard board={boards[seat] ?? EMPTY_BOARD} {...(decision?.seat === seat ? { fresh: decision.placed } : {})} />
          </div>
        ))}
      </div>
      {decision && (
        <div class="dealt">
          <span class="small-label">{t("dealtTo", { player: playerName(t, hand.players[decision.seat]?.name ?? "") })}</span>
          <div class="row wrap small-cards">
            {decision.cards.map((card, i) => (
              <CardImage card={card} key={i} />
            ))}
          </div>
        </div>
      )}
      {mistake && decision && (
        <>
          <LossLine loss={mistake} />
          <Why chosen={mistake.chosen} best={mistake.best} loss={mistake} foulCost={rules.objective.foul_cost} />
          <Compare board={boards[decision.seat] ?? EMPTY_BOARD} placed={mistake.placed} chosen={mistake.chosen} best={mistake.best} label={t("playedBy", { player: playerName(t, mistake.player) })} />
          <div class="buttons">
            <button type="button" onClick={() => openRoute("analyse", analyseQuery(hand, mistake))}>{t("openAnalyse")}</button>
            <Share link={routeText("analyse", analyseQuery(hand, mistake))} picture={() => picture(mistake, boards[decision.seat] ?? EMPTY_BOARD)} />
          </div>
        </>
      )}
      {!mistake && decision && mistakes && <p class="hint">{t("nothingLost")}</p>}
    </Panel>
  );
}

/** What the player of a decision had discarded before. */
export function discardsBefore(hand: Hand, mistake: Mistake): Card[] {
  return hand.decisions.slice(0, mistake.decision).filter((one) => one.seat === mistake.seat - 1).flatMap((one) => one.placed.discards);
}

function analyseQuery(hand: Hand, mistake: Mistake): string {
  const dead = discardsBefore(hand, mistake);
  const query = new URLSearchParams({ rules: hand.rules, cards: mistake.cards, board: mistake.board, dead: dead.join(" ") });
  for (const opponent of mistake.opponents) query.append("opponent", opponent);
  return query.toString();
}
