/** What each candidate move of a board game is worth. */

import type { JSX } from "preact";
import { fixed, signed, thousands } from "../lib/numbers";
import { useText } from "../lib/settings";

export interface MoveRow {
  name: string;
  value: number | null;
  stderr: number | null;
  visits: number;
}

export function MoveTable({ rows }: { rows: readonly MoveRow[] }): JSX.Element {
  const t = useText();
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={t("candidateMoves")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("move")}</th>
            <th scope="col">{t("value")}</th>
            <th scope="col">{t("visitsShort")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.name}>
              <th scope="row">{one.name}</th>
              <td>
                {one.value === null ? "–" : <data value={one.value}>{signed(one.value)}</data>} {one.stderr !== null && <small>±{fixed(one.stderr)}</small>}
              </td>
              <td>{thousands(one.visits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
