/** Statistics: how the stored hands went, by player and over time. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Chart, movingMean } from "../../components/chart";
import { Doors } from "../../components/doors";
import { ErrorNote, Notice, Panel, Say, Select } from "../../components/form";
import { ask, Problem } from "../../lib/api";
import { playerName, rulesName } from "../../lib/names";
import { fixed, percent, signed } from "../../lib/numbers";
import { openRoute } from "../../lib/route";
import { useAllRules } from "../../lib/rules";
import { useText } from "../../lib/settings";
import type { Key } from "../../texts";
import type { Mean, PlayerResults, Report, Share, StoredHand, TrendPoint } from "./types";

const HANDS = 1000; // of which charts are drawn
const WINDOW = 20; // hands in a moving mean
const YOU = "you";
const FEWEST = 2; // hands before there is something to draw
const NONE = 404; // there are no hands yet

export function Statistics({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [rules, setRules] = useState("");
  const [player, setPlayer] = useState("");
  const [report, setReport] = useState<Report | null>(null);
  const [hands, setHands] = useState<StoredHand[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const all = useAllRules();
  useEffect(() => {
    if (!visible) return;
    const query = new URLSearchParams(rules ? { rules } : {});
    ask<Report>("GET", `/statistics?${query}`).then(
      (found) => (setReport(found), setProblem(null)),
      (error: Problem) => (setReport(null), setProblem(error.status === NONE ? null : error)),
    );
  }, [visible, rules]);

  const names = report?.players.map((one) => one.player) ?? [];
  const shown = names.includes(player) ? player : names.includes(YOU) ? YOU : (names[0] ?? "");
  useEffect(() => {
    if (!shown) return;
    let current = true;
    const query = new URLSearchParams({ limit: String(HANDS), player: shown, ...(rules && { rules }) });
    ask<StoredHand[]>("GET", `/hands?${query}`).then((found) => current && setHands(found.reverse()), setProblem);
    return () => void (current = false);
  }, [report, shown]);
  return (
    <div class="column">
      <Panel title={t("statistics")}>
        <div class="fields few">
          <Select label={t("rules")} value={rules} options={[["", t("allRules")], ...all.map((one) => [one.name, rulesName(t, one.name)] as const)]} onChange={setRules} />
          {names.length > 0 && <Select label={t("player")} value={shown} options={names.map((name) => [name, playerName(t, name)] as const)} onChange={setPlayer} />}
        </div>
        <Notice problem={problem} />
        {report?.players.length ? <Results players={report.players} /> : !problem && <NoHands />}
      </Panel>
      {report && shown && hands && <Charts report={report} hands={hands} player={shown} />}
    </div>
  );
}

function NoHands(): JSX.Element {
  const t = useText();
  return (
    <>
      <p class="hint"><Say text={t("noHands")} /></p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => openRoute("play")}>{t("newMatch")}</button>
      </div>
      <Doors to={["review", "train", "openings"]} />
    </>
  );
}

function MeanCell({ value, format }: { value: Mean; format: (mean: number) => string }): JSX.Element {
  return (
    <td>
      {value.mean === null ? "–" : <data value={value.mean}>{format(value.mean)}</data>}
      {value.stderr !== null && <small>±{fixed(value.stderr)}</small>}
    </td>
  );
}

function ShareCell({ value }: { value: Share }): JSX.Element {
  return (
    <td>
      {value.share === null ? "–" : <data value={value.share}>{percent(value.share)}</data>}
      {value.low !== null && value.high !== null && <small>{percent(value.low)} – {percent(value.high)}</small>}
    </td>
  );
}

function Results({ players }: { players: readonly PlayerResults[] }): JSX.Element {
  const t = useText();
  const heads: Key[] = ["player", "hands", "pointsAHand", "royalties", "foul", "fantasylandEntry", "fantasylandStay", "scoop"];
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={t("statistics")}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col" key={head}>
                {t(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {players.map((one) => (
            <tr key={one.player}>
              <th scope="row">{playerName(t, one.player)}</th>
              <td>{one.hands}</td>
              <MeanCell value={one.points} format={signed} />
              <MeanCell value={one.royalties} format={fixed} />
              <ShareCell value={one.foul} />
              <ShareCell value={one.entry} />
              <ShareCell value={one.stay} />
              <ShareCell value={one.scoop} />
            </tr>
          ))}
        </tbody>
      </table>
      <ErrorNote />
    </div>
  );
}

function Charts({ report, hands, player }: { report: Report; hands: StoredHand[]; player: string }): JSX.Element {
  const t = useText();
  const seats = hands.flatMap((hand) => hand.seats.filter((seat) => seat.player === player));
  const played = report.players.find((one) => one.player === player)?.hands ?? seats.length;
  const before = Math.max(played - seats.length, 0);
  const x = seats.map((_, at) => before + at + 1);
  let sum = 0;
  const total = seats.map((seat) => (sum += seat.points));
  const mean = (value: (seat: (typeof seats)[number]) => number) => movingMean(seats.map(value), WINDOW);
  const window = t("meanOfHands", { count: WINDOW });
  const lost = report.ev_trend.filter((point) => point.player === player);
  if (seats.length < FEWEST) return <p class="hint">{t("chartsLater", { count: FEWEST })}</p>;
  return (
    <div class="charts">
      {before > 0 && <p class="hint">{t("newestHands", { count: seats.length })}</p>}
      <Panel title={t("results")}>
        <Chart across={t("hand")} label={t("results")} x={x} series={[{ label: t("total"), values: total, colour: "leaf" }]} />
      </Panel>
      <Panel title={t("royalties")}>
        <Chart across={t("hand")} label={t("royalties")} x={x} series={[{ label: window, values: mean((seat) => seat.royalties), colour: "sky" }]} />
      </Panel>
      <Panel title={t("foul")}>
        <Chart across={t("hand")} label={t("foul")} percent x={x} series={[{ label: window, values: mean((seat) => Number(seat.fouled)), colour: "bloom" }]} />
      </Panel>
      <Panel title={t("fantasylandShort")}>
        <Chart across={t("hand")} label={t("fantasylandShort")} percent x={x} series={[{ label: window, values: mean((seat) => Number(seat.next_fantasyland > 0)), colour: "leaf" }]} />
      </Panel>
      {lost.length >= FEWEST && (
        <Panel title={t("evLost")}>
          <Chart
            across={t("hand")}
            label={t("evLost")}
            x={lost.map((point: TrendPoint) => point.last)}
            series={[{ label: t("perDecision"), values: lost.map((point) => point.mean.mean), colour: "bloom" }]}
          />
        </Panel>
      )}
    </div>
  );
}
