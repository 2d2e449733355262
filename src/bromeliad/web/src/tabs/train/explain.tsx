/** Why the best placement is better: the parts of the EV that it wins, as bars. */

import type { JSX } from "preact";
import { Bars } from "../../components/figures";
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
  return (
    <div class="explain">
      <h3>{t("whyBetter")}</h3>
      <Bars bars={known} />
    </div>
  );
}
