/** Why the best placement is better: the parts of the EV that it wins, as bars. */

import type { JSX } from "preact";
import { signed } from "../../lib/numbers";
import { useText } from "../../lib/settings";
import type { Explanation } from "./types";

export function Explain({ parts }: { parts: Explanation }): JSX.Element {
  const t = useText();
  const entries = [
    [t("royalties"), parts.royalties],
    [t("foul"), parts.foul],
    [t("fantasylandShort"), parts.fantasyland],
    [t("rowPoints"), parts.rows],
    [t("opponents"), parts.opponents],
  ] as const;
  const known = entries.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
  const reach = Math.max(...known.map(({ value }) => Math.abs(value)), 0.01);
  return (
    <div class="explain">
      <h3>{t("whyBetter")}</h3>
      <dl>
        {known.map(({ label, value }) => (
          <div class="part" key={label}>
            <dt>{label}</dt>
            <dd>
              <svg viewBox="-100 0 200 10" preserveAspectRatio="none" aria-hidden="true">
                <rect class={value < 0 ? "loses" : "wins"} x={Math.min((100 * value) / reach, 0)} y="1" width={Math.abs((100 * value) / reach)} height="8" />
                <rect class="zero" x="-0.5" y="0" width="1" height="10" />
              </svg>
              <data value={value}>{signed(value)}</data>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
