/** A position of your own: chips by clicking squares, cards by typing; you are red and to move. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Input, Notice, Panel, Select } from "../../components/form";
import { MoveTable } from "../../components/movetable";
import { Thinking } from "../../components/thinking";
import { type Card, parseCards } from "../../lib/cards";
import { useJob } from "../../lib/jobs";
import { useText } from "../../lib/settings";
import { Verdict } from "./answer";
import { SequenceBoard } from "./board";
import { type Candidate, EMPTY_BOARD, moveWords, type Rule, RULES, type SequenceAnswer, SIDE, SQUARES } from "./types";

const TIMES = [0.5, 1, 3, 10, 30] as const;
const CYCLE = "_rbRB"; // what clicks put on a square, one after the other
const DONE = ["00", "10", "01", "11"] as const; // sequences of red and blue

export interface Setup {
  rules: Rule;
  /** A hundred letters. */
  board: string;
  hand: string;
  draft: string;
  done: (typeof DONE)[number];
}

export function readSetup(query: URLSearchParams): Setup {
  const board = query.get("board") ?? "";
  return {
    rules: RULES.find((one) => one === query.get("rules")) ?? "course",
    board: /^[#_rbRB]{100}$/.test(board) ? [...board].map((letter, at) => (SQUARES[at] ? letter : "#")).join("") : EMPTY_BOARD,
    hand: query.get("hand") ?? "",
    draft: query.get("draft") ?? "",
    done: DONE.find((one) => one === query.get("done")) ?? "00",
  };
}

export function setupQuery({ rules, board, hand, draft, done }: Setup): string {
  return new URLSearchParams({ rules, board, hand, draft, done }).toString();
}

function typed(text: string): Card[] {
  const { cards, bad } = parseCards(text);
  return bad ? [...cards, bad.slice(0, 4)] : cards; // the service says what is wrong with it
}

interface SetupProps {
  setup: Setup;
  onChange: (setup: Setup) => void;
  chooser: JSX.Element;
}

export function SequenceSetup({ setup, onChange, chooser }: SetupProps): JSX.Element {
  const t = useText();
  const [time, setTime] = useState<number>(1);
  const job = useJob<SequenceAnswer, Candidate>();
  useEffect(() => job.reset(), [setup]);
  const change = (part: Partial<Setup>) => onChange({ ...setup, ...part });
  const put = (square: number) => {
    const next = CYCLE[(CYCLE.indexOf(setup.board[square]!) + 1) % CYCLE.length]!;
    change({ board: setup.board.slice(0, square) + next + setup.board.slice(square + 1) });
  };
  const analyse = () => {
    const position = {
      board: setup.board.match(new RegExp(`.{${SIDE}}`, "g")),
      seat: 0,
      hand: typed(setup.hand),
      draft: setup.rules === "course" ? typed(setup.draft) : [],
      sequences: [...setup.done].map(Number),
    };
    job.start("/jobs", { game: "sequence", request: { rules: setup.rules, position, time } });
  };
  const candidates = job.answer?.candidates ?? job.progress?.actions ?? [];
  const done = DONE.map((one) => [one, `${t("red")} ${one[0]} · ${t("blue")} ${one[1]}`] as const);
  const tools = <button type="button" onClick={() => change({ board: EMPTY_BOARD, done: "00" })}>{t("clear")}</button>;
  return (
    <div class="split even">
      <div class="column">
        <Panel title={t("ownPosition")} actions={tools}>
          <SequenceBoard letters={setup.board} candidates={candidates} best={job.answer?.best ?? null} last={new Set()} open={(square) => SQUARES[square] !== ""} onPlay={put} />
        </Panel>
      </div>
      <div class="column">
        <Panel title={t("position")}>
          <div class="fields">
            {chooser}
            <Select label={t("rules")} value={setup.rules} options={RULES.map((rule) => [rule, t(rule)] as const)} onChange={(rules) => change({ rules })} />
            <Select label={t("finishedSequences")} value={setup.done} options={done} onChange={(one) => change({ done: one })} />
            <Select label={t("time")} value={time} options={TIMES.map((one) => [one, t("seconds", { count: one })] as const)} onChange={setTime} />
            <Input label={t("yourCards")} value={setup.hand} placeholder="7c Ts Jd" onInput={(hand) => change({ hand })} />
            {setup.rules === "course" && <Input label={t("faceUp")} value={setup.draft} placeholder="2h 3h 4h 5h 6h" onInput={(draft) => change({ draft })} />}
          </div>
          <div class="run">
            {job.busy ? (
              <button type="button" class="primary" onClick={job.stop}>{t("stop")}</button>
            ) : (
              <button type="button" class="primary" onClick={analyse}>{t("run")}</button>
            )}
          </div>
          <Notice problem={job.problem} />
          <Thinking state={job} />
          {job.answer && <Verdict answer={job.answer} />}
          {candidates.length > 0 ? <MoveTable rows={candidates.map((one) => ({ ...one, name: moveWords(t, one.move) }))} /> : <p class="hint">{t("hintSetup")}</p>}
        </Panel>
      </div>
    </div>
  );
}
