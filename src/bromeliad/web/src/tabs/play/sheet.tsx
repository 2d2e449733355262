/** The score sheet of a match. */

import type { JSX } from "preact";
import { playerName } from "../../lib/names";
import { signed } from "../../lib/numbers";
import { useText } from "../../lib/settings";
import type { Game } from "./types";

export function ScoreSheet({ game }: { game: Game }): JSX.Element {
  const t = useText();
  const names = [t("you"), ...game.opponents.map(({ name }, at) => playerName(t, name) + (game.opponents.length > 1 ? ` ${at + 1}` : ""))];
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={t("scoreSheet")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("hand")}</th>
            {names.map((name, at) => (
              <th scope="col" key={at}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {game.score_sheet.map((row) => (
            <tr key={row.hand}>
              <th scope="row">{row.hand}</th>
              {row.points.map((points, at) => (
                <td key={at}>
                  <span class={points > 0 ? "won" : points < 0 ? "lost" : ""}>{signed(points, 0)}</span>
                  {row.royalties[at]! > 0 && <small>{t("royaltiesOf", { points: row.royalties[at]! })}</small>}
                  {row.fouls[at] && <small class="bad">{t("foul")}</small>}
                  {row.next_fantasyland[at]! > 0 && <small class="good">{t("fantasylandOf", { cards: row.next_fantasyland[at]! })}</small>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t("total")}</th>
            {game.totals.map((points, at) => (
              <td key={at}>
                <data value={points}>{signed(points, 0)}</data>
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
