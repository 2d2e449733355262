/** What an EV is made of: chances and points as figures, and the points that add up to it. */

import type { JSX } from "preact";
import { fixed, percent, signed } from "../lib/numbers";
import { useText } from "../lib/settings";
import type { ActionAnswer, EvParts } from "../lib/types";
import type { Key } from "../texts";

/** The figures of a placement, as far as they are known. */
export function Figures({ action }: { action: ActionAnswer }): JSX.Element {
  const t = useText();
  const points = (value: number) => fixed(value);
  const entries = [
    ["foul", t("foul"), action.p_foul, percent],
    ["fantasyland", t("fantasylandShort"), action.p_fantasyland, percent],
    ["royalties", t("royalties"), action.royalties, points],
    ["rows", t("rowPoints"), action.row_points, signed],
    ["scoop", t("scoop"), action.p_scoop, percent],
    ["their-royalties", t("theirRoyalties"), action.opponent_royalties, points],
    ["their-foul", t("theirFoul"), action.opponent_p_foul, percent],
    ["their-fantasyland", t("theirFantasyland"), action.opponent_p_fantasyland, percent],
  ] as const;
  return (
    <dl class="figures">
      {entries.map(([key, label, value, format]) =>
        value === null || value === undefined ? null : (
          <div key={key} class={`figure ${key}`}>
            <dt>{label}</dt>
            <dd>
              <data value={value}>{format(value)}</data>
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

const PARTS: readonly (readonly [keyof EvParts, Key])[] = [
  ["rows", "rowPoints"],
  ["scoop", "scoop"],
  ["royalties", "royalties"],
  ["opponent_royalties", "theirRoyalties"],
  ["foul", "foul"],
  ["fantasyland", "fantasylandShort"],
  ["opponent_fantasyland", "theirFantasyland"],
];

export interface Bar {
  label: string;
  value: number;
  error?: number | null | undefined;
}

/** Signed points as bars from a common zero. */
export function Bars({ bars }: { bars: readonly Bar[] }): JSX.Element {
  const reach = Math.max(...bars.map(({ value }) => Math.abs(value)), 0.01);
  return (
    <dl class="bars">
      {bars.map(({ label, value, error }) => (
        <div class="part" key={label}>
          <dt>{label}</dt>
          <dd>
            <svg viewBox="-100 0 200 10" preserveAspectRatio="none" aria-hidden="true">
              <rect class={value < 0 ? "loses" : "wins"} x={Math.min((100 * value) / reach, 0)} y="1" width={Math.abs((100 * value) / reach)} height="8" />
              <rect class="zero" x="-0.5" y="0" width="1" height="10" />
            </svg>
            <span>
              <data value={value}>{signed(value)}</data>
              {!!error && <small> ±{fixed(error)}</small>}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The points that add up to the EV, with their errors; nothing where only the EV itself is known. */
export function EvSplit({ action }: { action: ActionAnswer }): JSX.Element | null {
  const t = useText();
  const { parts, parts_stderr: errors } = action;
  if (!parts) return null;
  const bars = PARTS.flatMap(([part, label]): Bar[] => {
    const value = parts[part];
    return value === null ? [] : [{ label: t(label), value, error: errors?.[part] }];
  });
  return (
    <div class="split-ev">
      <h3>{t("partsOfEv")}</h3>
      <Bars bars={bars} />
    </div>
  );
}
