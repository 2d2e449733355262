/** Review: what each decision of finished hands lost, biggest first, and the hands again step by step. */

import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Input, Notice, Panel, Select } from "../../components/form";
import { Thinking } from "../../components/thinking";
import { askText } from "../../lib/api";
import { useJob } from "../../lib/jobs";
import { fixed, numeric } from "../../lib/numbers";
import { useRoute } from "../../lib/route";
import { useText } from "../../lib/settings";
import { readHands } from "./history";
import { type Place, Replay } from "./replay";
import { Source } from "./source";
import type { LossSum, Mistake, Review as Found } from "./types";

const TAB = "review";
const TIMES = [0.2, 1, 5] as const;

export function Review({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [text, setText] = useState("");
  const [stored, setStored] = useState<number | null>(null);
  const [time, setTime] = useState<number>(1);
  const [simulations, setSimulations] = useState("");
  const [at, setAt] = useState<Place | null>(null);
  const job = useJob<Found, never>();
  const hands = useMemo(() => readHands(text), [text]);
  const route = useRoute();
  const game = route.tab === TAB ? route.query.get("game") : null;

  useEffect(() => {
    if (game) void fetchHistory(game).then((lines) => (setText(lines), setStored(null)));
  }, [game]);
  useEffect(() => {
    job.reset();
    setAt(hands[0] ? { hand: hands[0].number, decision: 0 } : null);
  }, [text]);
  useEffect(() => {
    const worst = job.answer?.mistakes[0];
    if (worst) setAt({ hand: worst.hand, decision: worst.decision });
  }, [job.answer]);

  const run = () => {
    const effort = simulations.trim() ? { simulations: numeric(simulations), threads: 1 } : { time };
    job.start("/reviews", { ...(stored === null ? { lines: text } : { hand_id: stored }), ...effort });
  };
  return (
    <div class="split even">
      <div class="column">
        <Source {...{ text, visible }} onText={(lines, id) => (setText(lines), setStored(id))} />
        <Panel title={t("evLostByDecision")}>
          <div class="run">
            <Select label={t("timeEach")} value={time} options={TIMES.map((one) => [one, t("seconds", { count: one })] as const)} onChange={setTime} />
            <Input label={t("simulations")} number placeholder={t("byTime")} value={simulations} onInput={setSimulations} />
            {job.busy ? (
              <button type="button" class="primary" onClick={job.stop}>{t("stop")}</button>
            ) : (
              <button type="button" class="primary" disabled={!text.trim()} onClick={run}>{t("reviewMatch")}</button>
            )}
          </div>
          <Notice problem={job.problem} />
          <Thinking state={job} />
          {job.answer ? (
            <>
              <Sums sums={job.answer.sums} />
              <Mistakes mistakes={job.answer.mistakes} at={at} onGo={setAt} />
            </>
          ) : (
            <p class="hint">{t("hintReview")}</p>
          )}
        </Panel>
      </div>
      <div class="column">{at && <Replay {...{ hands, at }} mistakes={job.answer?.mistakes ?? null} onGo={setAt} />}</div>
    </div>
  );
}

async function fetchHistory(game: string): Promise<string> {
  try {
    return await askText(`/games/${encodeURIComponent(game)}/history`);
  } catch {
    return "";
  }
}

function Sums({ sums }: { sums: readonly LossSum[] }): JSX.Element {
  const t = useText();
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={t("evLost")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("player")}</th>
            <th scope="col">{t("decisions")}</th>
            <th scope="col">{t("mistakes")}</th>
            <th scope="col">{t("evLost")}</th>
            <th scope="col">{t("perDecision")}</th>
          </tr>
        </thead>
        <tbody>
          {sums.filter((sum) => sum.of_all).map((sum) => (
            <tr key={sum.player}>
              <th scope="row">{sum.player}</th>
              <td>{sum.decisions}</td>
              <td>{sum.mistakes}</td>
              <td>
                <data class="sum" value={sum.ev_loss}>{fixed(sum.ev_loss)}</data>
              </td>
              <td>{fixed(sum.mean)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Mistakes({ mistakes, at, onGo }: { mistakes: readonly Mistake[]; at: Place | null; onGo: (place: Place) => void }): JSX.Element {
  const t = useText();
  if (!mistakes.length) return <p class="hint">{t("nothingLost")}</p>;
  return (
    <ol class="mistakes">
      {mistakes.map((mistake) => (
        <li key={`${mistake.hand}.${mistake.decision}`}>
          <button
            type="button"
            aria-pressed={at?.hand === mistake.hand && at.decision === mistake.decision}
            onClick={() => onGo({ hand: mistake.hand, decision: mistake.decision })}
          >
            <data class="loss" value={mistake.ev_loss}>−{fixed(mistake.ev_loss)}</data>
            <span>{mistake.player}</span>
            <span class="muted">
              {t("hand")} {mistake.hand} · {mistake.street === null ? t("fantasylandShort") : t("street", { street: mistake.street })}
            </span>
            <span class={mistake.exact ? "tag exact" : "tag"}>{t(mistake.exact ? "exact" : "sampled")}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
