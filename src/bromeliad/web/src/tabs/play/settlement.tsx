/** A finished hand, settled row by row with each opponent. */

import type { JSX } from "preact";
import { handName, madeHand } from "../../lib/hands";
import { playerName } from "../../lib/names";
import { signed } from "../../lib/numbers";
import { EMPTY_BOARD, parseBoard, type Row, ROWS } from "../../lib/position";
import { useText, type Translate } from "../../lib/settings";
import type { Game, Showdown } from "./types";

export function Settlement({ game, showdown }: { game: Game; showdown: Showdown }): JSX.Element {
  return (
    <>
      {game.opponents.map((opponent, at) => (
        <Against key={at} name={opponent.name} showdown={showdown} at={at} />
      ))}
    </>
  );
}

function Against({ name, showdown, at }: { name: string; showdown: Showdown; at: number }): JSX.Element {
  const t = useText();
  const settled = showdown.settlements[at];
  if (!settled) return <></>;
  const total = settled.rows.reduce((sum, points) => sum + points, settled.scoop + settled.royalties);
  const points = (value: number) => <td class={value > 0 ? "won" : value < 0 ? "lost" : ""}>{signed(value, 0)}</td>;
  return (
    <div class="table-box settlement" tabIndex={0} role="region" aria-label={t("settlementWith", { player: playerName(t, name) })}>
      <table>
        <thead>
          <tr>
            <th scope="col" />
            <th scope="col">{t("you")}</th>
            <th scope="col">{playerName(t, name)}</th>
            <th scope="col">{t("pointsShort")}</th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map((row, i) => (
            <tr key={row}>
              <th scope="row">{t(row)}</th>
              <td>{rowText(t, showdown, 0, row, i)}</td>
              <td>{rowText(t, showdown, at + 1, row, i)}</td>
              {points(settled.rows[i] ?? 0)}
            </tr>
          ))}
          {settled.scoop !== 0 && (
            <tr>
              <th scope="row">{t("scoop")}</th>
              <td />
              <td />
              {points(settled.scoop)}
            </tr>
          )}
          <tr>
            <th scope="row">{t("royalties")}</th>
            <td>{sum(showdown.row_royalties[0])}</td>
            <td>{sum(showdown.row_royalties[at + 1])}</td>
            {points(settled.royalties)}
          </tr>
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t("total")}</th>
            <td />
            <td />
            <td>
              <data class="settled" value={total}>{signed(total, 0)}</data>
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

const sum = (values: readonly number[] | undefined) => (values ?? []).reduce((all, value) => all + value, 0);

function rowText(t: Translate, showdown: Showdown, player: number, row: Row, at: number): JSX.Element {
  const hand = madeHand(row, (parseBoard(showdown.boards[player] ?? "") ?? EMPTY_BOARD)[row]);
  const paid = showdown.row_royalties[player]?.[at] ?? 0;
  if (showdown.fouls[player]) return <span class="lost">{t("foul")}</span>;
  return (
    <>
      {hand && handName(t, hand)} {paid > 0 && <b>+{paid}</b>}
    </>
  );
}
