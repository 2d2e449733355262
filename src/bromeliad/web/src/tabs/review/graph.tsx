/** The course of a hand and of a session in points: what the position was worth, and what was lost. */

import type { JSX } from "preact";
import { Chart } from "../../components/chart";
import { playerName } from "../../lib/names";
import { useText } from "../../lib/settings";
import type { Place } from "./replay";
import type { DecisionValue } from "./types";

const YOU = "you";

interface GraphsProps {
  values: readonly DecisionValue[];
  /** The hand that is being replayed. */
  hand: number | null;
  onGo: (place: Place) => void;
}

export function Graphs({ values, hand, onGo }: GraphsProps): JSX.Element | null {
  const t = useText();
  const players = [...new Set(values.map((value) => value.player))];
  const who = players.includes(YOU) ? YOU : players[0];
  const mine = values.filter((value) => value.player === who);
  const here = mine.filter((value) => value.hand === hand);
  const go = (list: readonly DecisionValue[]) => (at: number) => list[at] && onGo({ hand: list[at].hand, decision: list[at].decision });
  const hands = new Set(mine.map((value) => value.hand)).size;
  let lost = 0;
  const losses = mine.map((value) => (lost += value.ev_loss));
  if (who === undefined) return null;
  return (
    <div class="graphs">
      {here.length > 1 && (
        <figure>
          <figcaption>{t("graphHand", { player: playerName(t, who), hand: hand ?? 0 })}</figcaption>
          <Chart
            across={t("decision")}
            label={t("graphHand", { player: playerName(t, who), hand: hand ?? 0 })}
            height={150}
            x={here.map((_, at) => at + 1)}
            series={[
              { label: t("bestPlacement"), values: here.map((value) => value.best_ev), colour: "leaf" },
              { label: t("asPlayed"), values: here.map((value) => value.ev), colour: "bloom", points: true },
            ]}
            onPick={go(here)}
          />
        </figure>
      )}
      {hands > 1 && (
        <figure>
          <figcaption>{t("graphSession", { player: playerName(t, who), count: hands })}</figcaption>
          <Chart across={t("decision")} label={t("graphSession", { player: playerName(t, who), count: hands })} height={150} x={mine.map((_, at) => at + 1)} series={[{ label: t("evLost"), values: losses, colour: "bloom" }]} onPick={go(mine)} />
        </figure>
      )}
    </div>
  );
}
