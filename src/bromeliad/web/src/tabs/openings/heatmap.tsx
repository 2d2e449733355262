/** First deals by their two highest cards: the darker, the more they are worth. */

import type { JSX } from "preact";
import { RANKS } from "../../lib/cards";
import { fixed, percent } from "../../lib/numbers";
import { useText } from "../../lib/settings";
import type { Cell } from "./types";

interface HeatmapProps {
  cells: readonly Cell[];
  high: string;
  second: string;
  onChoose: (high: string, second: string) => void;
}

const STEPS = 8; // colours

export function Heatmap({ cells, high, second, onChoose }: HeatmapProps): JSX.Element {
  const t = useText();
  const known = new Map(cells.map((cell) => [cell.high + cell.second, cell]));
  const order = cells.map(({ ev }) => ev).sort((a, b) => a - b); // by rank: a few rare deals are worth far more than the rest
  const step = (ev: number) => Math.floor((STEPS * order.indexOf(ev)) / order.length);
  return (
    <div class="heatmap" role="group" aria-label={t("heatmap")}>
      <span />
      {[...RANKS].map((rank) => (
        <span class="edge" key={rank} aria-hidden="true">{rank}</span>
      ))}
      {[...RANKS].map((one) => [
        <span class="edge" key={one} aria-hidden="true">{one}</span>,
        ...[...RANKS].map((two) => {
          const cell = known.get(one + two);
          const chosen = one === high && two === second;
          if (!cell) return <span class="cold" key={one + two} />;
          const label = t("heatCell", { high: one, second: two, ev: fixed(cell.ev), share: percent(cell.share) });
          return (
            <button type="button" key={one + two} class={`cell warm-${step(cell.ev)}`} aria-pressed={chosen} aria-label={label} title={label} onClick={() => (chosen ? onChoose("", "") : onChoose(one, two))}>
              {fixed(cell.ev, 1)}
            </button>
          );
        }),
      ])}
    </div>
  );
}
