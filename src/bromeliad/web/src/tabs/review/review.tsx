/** Review: what each decision of finished hands lost, biggest first, and the hands again step by step. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Doors } from "../../components/doors";
import { ErrorNote, Input, Notice, Panel, Select } from "../../components/form";
import { Thinking } from "../../components/thinking";
import { ask, type Problem } from "../../lib/api";
import { useJob } from "../../lib/jobs";
import { playerName } from "../../lib/names";
import { fixed, numeric } from "../../lib/numbers";
import { useRoute } from "../../lib/route";
import { bringIntoSight } from "../../lib/scroll";
import { useText } from "../../lib/settings";
import { type Deepening, useDeepening } from "./deepen";
import { Graphs } from "./graph";
import { fetchHistory, readHands } from "./history";
import { type Place, Replay } from "./replay";
import { EXAMPLE, Source } from "./source";
import type { LossSum, Mistake, Review as Found } from "./types";

const TAB = "review";
const TIMES = [0.2, 1, 5] as const;
const DEEP = 10; // seconds for a mistake that is searched again

export function Review({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [text, setText] = useState("");
  const [lines, setLines] = useState(""); // the text as histories; none yet for hands in plain text
  const [wrong, setWrong] = useState<Problem | null>(null);
  const [stored, setStored] = useState<number | null>(null);
  const [folded, setFolded] = useState(false); // hands of a match or of the store: nobody wants to read their JSON
  const [time, setTime] = useState<number>(1);
  const [simulations, setSimulations] = useState("");
  const [at, setAt] = useState<Place | null>(null);
  const job = useJob<Found, never>();
  const hands = useMemo(() => readHands(lines), [lines]);
  const deepening = useDeepening();
  const route = useRoute();
  const game = route.tab === TAB ? route.query.get("game") : null;
  const runPanel = useRef<HTMLDivElement>(null);
  const replay = useRef<HTMLDivElement>(null);

  const take = (taken: string, id: number | null, fold = id !== null) => {
    setText(taken);
    setFolded(fold && taken !== "");
    setLines(taken.trimStart().startsWith("{") ? taken : "");
    setStored(id);
    setWrong(null);
    deepening.stop();
    job.reset();
  };
  useEffect(() => {
    if (!game) return;
    void fetchHistory(game).then((found) => {
      take(found, null, true);
      bringIntoSight(runPanel.current);
    });
  }, [game]);
  useEffect(() => {
    setAt(hands[0] ? { hand: hands[0].number, decision: 0 } : null);
  }, [lines]);
  useEffect(() => {
    const worst = job.answer?.mistakes[0];
    if (worst) setAt({ hand: worst.hand, decision: worst.decision });
  }, [job.answer]);

  const readPlain = async () => {
    const read = await ask<{ lines: string }>("POST", "/hands/text", { text });
    setLines(read.lines);
    return read.lines;
  };
  const run = async () => {
    setWrong(null);
    const known = lines || (await readPlain().catch((error: Problem) => void setWrong(error)));
    if (known === undefined) return;
    const effort = simulations.trim() ? { simulations: numeric(simulations), threads: 1 } : { time };
    job.start("/reviews", { ...(stored === null ? { lines: known } : { hand_id: stored }), ...effort });
  };
  const go = (place: Place) => {
    setAt(place);
    bringIntoSight(replay.current);
  };
  const open = (taken: string, id: number | null) => {
    take(taken, id);
    if (id !== null) bringIntoSight(runPanel.current);
  };
  return (
    <div class="split even">
      <div class="column">
        <Source {...{ text, visible, stored }} hands={folded ? hands.length : null} reviewed={job.answer} onText={open} onUnfold={() => setFolded(false)} />
        <div ref={runPanel} class="in-sight">
          <Panel title={t("evLostByDecision")}>
            <div class="run">
              <Select label={t("timeEach")} value={time} options={TIMES.map((one) => [one, t("seconds", { count: one })] as const)} onChange={setTime} />
              <Input label={t("simulations")} number placeholder={t("byTime")} value={simulations} onInput={setSimulations} />
              {job.busy ? (
                <button type="button" class="primary" onClick={job.stop}>{t("stop")}</button>
              ) : (
                <button type="button" class="primary" disabled={!text.trim()} onClick={() => void run()}>{t("reviewMatch")}</button>
              )}
            </div>
            <Notice problem={wrong ?? job.problem ?? deepening.problem} />
            <Thinking state={job} />
            {job.answer ? (
              <>
                <Sums sums={job.answer.sums} />
                <Graphs values={job.answer.values} hand={at?.hand ?? null} onGo={go} />
                {job.answer.mistakes.length ? <Mistakes mistakes={job.answer.mistakes} at={at} onGo={go} /> : <p class="hint">{t("noMistakesHere")}</p>}
                <Deepen deepening={deepening} mistakes={job.answer.mistakes} onStart={(mistakes, seconds) => deepening.start(mistakes, hands, seconds, () => void run())} />
                {job.answer.unclear.length > 0 && (
                  <details class="unclear">
                    <summary>{t("unclearLosses", { count: job.answer.unclear.length })}</summary>
                    <Mistakes mistakes={job.answer.unclear} at={at} onGo={go} />
                  </details>
                )}
              </>
            ) : (
              !job.busy && <p class="hint">{t("hintReview")}</p>
            )}
          </Panel>
        </div>
      </div>
      <div class="column in-sight" ref={replay}>
        {at ? (
          <Replay {...{ hands, at }} mistakes={job.answer ? [...job.answer.mistakes, ...job.answer.unclear] : null} onGo={setAt} />
        ) : (
          !text && (
            <Panel title={t("replay")}>
              <p class="hint">{t("hintReplay")}</p>
              <div class="buttons">
                <button type="button" class="primary" onClick={() => take(EXAMPLE, null)}>{t("exampleHand")}</button>
              </div>
              <Doors to={["play", "train"]} />
            </Panel>
          )
        )}
      </div>
    </div>
  );
}

/** Searches all mistakes again, deeper; then the review shows what they are worth now. */
function Deepen({ deepening, mistakes, onStart }: { deepening: Deepening; mistakes: readonly Mistake[]; onStart: (mistakes: readonly Mistake[], seconds: number) => void }): JSX.Element | null {
  const t = useText();
  const sampled = mistakes.filter((mistake) => !mistake.exact && mistake.street !== null);
  if (deepening.done !== null)
    return (
      <div class="thinking" role="status">
        <progress max={sampled.length} value={deepening.done} aria-label={t("thinking")} />
        <button type="button" onClick={deepening.stop}>{t("stop")}</button>
        <span>{t("deepening", { done: deepening.done + 1, count: sampled.length })}</span>
      </div>
    );
  return sampled.length ? <button type="button" onClick={() => onStart(sampled, DEEP)}>{t("deepenAll", { count: sampled.length, seconds: DEEP })}</button> : null;
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
              <th scope="row">{playerName(t, sum.player)}</th>
              <td>{sum.decisions}</td>
              <td>{sum.mistakes}</td>
              <td>
                <data class="sum" value={sum.ev_loss}>{fixed(sum.ev_loss)}</data>
                <Stderr value={sum.stderr} />
              </td>
              <td>
                {fixed(sum.mean)}
                <Stderr value={sum.stderr / sum.decisions} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ErrorNote />
    </div>
  );
}

/** A standard error below its figure; nothing where everything was counted. */
function Stderr({ value }: { value: number }): JSX.Element | null {
  return value > 0 ? (
    <small>
      ±<data class="sum-stderr" value={value}>{fixed(value)}</data>
    </small>
  ) : null;
}

function Mistakes({ mistakes, at, onGo }: { mistakes: readonly Mistake[]; at: Place | null; onGo: (place: Place) => void }): JSX.Element {
  const t = useText();
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
            <span>{playerName(t, mistake.player)}</span>
            <span class="muted">
              {t("hand")} {mistake.hand} · {mistake.street === null ? t("fantasylandShort") : t("street", { street: mistake.street })}
            </span>
            {mistake.exact ? <span class="tag exact">{t("exact")}</span> : <span class="muted">±{fixed(mistake.stderr ?? 0)}</span>}
          </button>
        </li>
      ))}
    </ol>
  );
}
