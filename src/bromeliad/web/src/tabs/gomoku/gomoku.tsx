/** Gomoku: play against the engine, or look at what it thinks of a position. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice, Panel, Select } from "../../components/form";
import { Icon } from "../../components/icons";
import { MoveTable } from "../../components/movetable";
import { Thinking } from "../../components/thinking";
import { ask, Problem } from "../../lib/api";
import { useJob } from "../../lib/jobs";
import { signed, thousands } from "../../lib/numbers";
import { readRoute, replaceRoute, useOpened } from "../../lib/route";
import { useText } from "../../lib/settings";
import { GomokuBoard } from "./board";
import { type Candidate, type GomokuAnswer, type GomokuPosition, type GomokuView, readStones, type Rule, RULES } from "./types";

const TAB = "gomoku";
const RULE_TEXTS = { freestyle: "rule_freestyle", exact: "rule_exact", renju: "rule_renju", caro: "rule_caro" } as const;
const SIZES = Array.from({ length: 16 }, (_, at) => at + 5); // as many as the rules know
const TIMES = [0.5, 1, 3, 10, 30] as const;
const SHOWN = 12; // candidates
const EXPECTED = 10; // moves shown of what a search expects
type Side = "both" | "black" | "white";

function read(query: URLSearchParams): GomokuPosition {
  const rule = RULES.find((one) => one === query.get("rule")) ?? "freestyle";
  const size = SIZES.find((one) => one === Number(query.get("size"))) ?? 15;
  return { stones: readStones(query.get("stones") ?? ""), rule, size };
}

function begin(): GomokuPosition {
  const { tab, query } = readRoute();
  return read(tab === TAB ? query : new URLSearchParams());
}

export function Gomoku({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [position, setPosition] = useState(begin);
  const [you, setYou] = useState<Side>("black");
  const [time, setTime] = useState<number>(1);
  const [view, setView] = useState<GomokuView | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const job = useJob<GomokuAnswer, Candidate>();
  const stones = position.stones.join("");
  const query = new URLSearchParams({ stones, rule: position.rule, size: String(position.size) }).toString();
  const board = { position: stones, rule: position.rule, size: position.size };

  useOpened(TAB, (opened) => setPosition(read(opened)));
  useEffect(() => {
    if (visible) replaceRoute(TAB, query);
  }, [visible, query]);
  useEffect(() => {
    if (!visible) return;
    job.reset();
    ask<GomokuView>("POST", "/gomoku/position", board).then(
      (found) => (setView(found), setProblem(null)),
      (error: Problem) => setProblem(error),
    );
  }, [visible, query]);

  const fresh = view !== null && view.stones.length === position.stones.length;
  const turn: Side = position.stones.length % 2 ? "white" : "black";
  const engine = fresh && !view.over && you !== "both" && you !== turn;
  const think = () => job.start("/jobs", { game: "gomoku", request: { ...board, time } });
  useEffect(() => {
    if (visible && engine) think();
  }, [visible, engine, query]);
  useEffect(() => {
    if (engine && job.answer) play(job.answer.best);
  }, [job.answer]);

  const play = (cell: string) => setPosition({ ...position, stones: [...position.stones, cell] });
  const undo = () => {
    const back = you === "both" || turn !== you ? 1 : 2;
    setPosition({ ...position, stones: position.stones.slice(0, -back) });
  };
  const candidates = job.answer?.candidates ?? job.progress?.actions ?? [];
  const status = view?.over
    ? view.winner ? t("wins", { side: t(view.winner === 1 ? "black" : "white") }) : t("draw")
    : t("toMove", { side: t(turn) });
  const tools = (
    <>
      <button type="button" class="icon" disabled={!position.stones.length} aria-label={t("undo")} title={t("undo")} onClick={undo}>
        <Icon name="undo" />
      </button>
      <button type="button" onClick={() => setPosition({ ...position, stones: [] })}>{t("newGame")}</button>
    </>
  );

  return (
    <div class="split even">
      <div class="column">
        <Panel title={status} actions={tools}>
          <GomokuBoard
            size={position.size}
            view={view}
            candidates={engine ? [] : candidates}
            best={engine ? null : (job.answer?.best ?? null)}
            open={fresh && !view.over && !engine}
            onPlay={play}
          />
        </Panel>
      </div>
      <div class="column">
        <Panel title={t("engine")}>
          <div class="fields">
            <Select label={t("youPlay")} value={you} options={[["black", t("black")], ["white", t("white")], ["both", t("bothSides")]]} onChange={setYou} />
            <Select label={t("rules")} value={position.rule} options={RULES.map((rule: Rule) => [rule, t(RULE_TEXTS[rule])] as const)} onChange={(rule) => setPosition({ ...position, stones: [], rule })} />
            <Select label={t("boardSize")} value={position.size} options={SIZES.map((size) => [size, String(size)] as const)} onChange={(size) => setPosition({ ...position, stones: [], size })} />
            <Select label={t("time")} value={time} options={TIMES.map((one) => [one, t("seconds", { count: one })] as const)} onChange={setTime} />
          </div>
          <div class="run">
            {job.busy ? (
              <button type="button" class="primary" onClick={job.stop}>{t("stop")}</button>
            ) : (
              <button type="button" class="primary" disabled={!fresh || view.over} onClick={think}>{t("run")}</button>
            )}
          </div>
          <Notice problem={problem ?? job.problem} />
          {!view && !problem && <p class="hint" role="status">{t("starting")}</p>}
          <Thinking state={job} />
          {job.answer && <Verdict answer={job.answer} />}
          {candidates.length > 0 && !engine && <MoveTable rows={candidates.slice(0, SHOWN).map((one) => ({ ...one, name: one.move }))} />}
        </Panel>
      </div>
    </div>
  );
}

function Verdict({ answer }: { answer: GomokuAnswer }): JSX.Element {
  const t = useText();
  return (
    <p class="summary" role="status">
      <b>{answer.best}</b> <data class="value" value={answer.value}>{signed(answer.value)}</data>
      {answer.proved && <span class="tag exact">{t("proved")}</span>} {(answer.proved ? answer.line : answer.line.slice(0, EXPECTED)).join(" ")}
      {answer.simulations > 0 && ` · ${t("methodSearch", { count: thousands(answer.simulations) })}`}
    </p>
  );
}
