/** Train: decide quiz positions, hear what they cost and why, try mistakes again. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { MiniBoard } from "../../components/board";
import { Candidates } from "../../components/candidates";
import { Compare, LossLine } from "../../components/compare";
import { Notice, Panel, RulesSelect, Select } from "../../components/form";
import { Placer } from "../../components/placer";
import { ask, Problem } from "../../lib/api";
import { parseCards } from "../../lib/cards";
import { EMPTY_BOARD, fromQuery, parseBoard, type Placement, toQuery } from "../../lib/position";
import { openRoute } from "../../lib/route";
import { DEFAULT_RULES, useRules } from "../../lib/rules";
import { useText } from "../../lib/settings";
import { Explain } from "./explain";
import { Log } from "./log";
import type { Mistake, Quiz, QuizGrade } from "./types";

const DIFFICULTIES = ["easy", "medium", "hard"] as const;

interface Answered {
  placed: Placement;
  grade: QuizGrade;
}

export function Train({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [wanted, setWanted] = useState({ rules: DEFAULT_RULES, street: 4, difficulty: "medium" as (typeof DIFFICULTIES)[number] });
  const [quiz, setQuiz] = useState<Quiz | null>(null);
  const [answered, setAnswered] = useState<Answered | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [version, setVersion] = useState(0);
  const streets = useRules(wanted.rules).streets;

  const doing = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(0, ""));
    } finally {
      setBusy(false);
    }
  };
  const begin = (asked: Quiz) => {
    setQuiz(asked);
    setAnswered(null);
  };
  const next = () => void doing(async () => begin(await ask<Quiz>("POST", "/quiz", wanted)));
  const retry = (mistake: Mistake) => void doing(async () => begin(await ask<Quiz>("POST", `/mistakes/${mistake.id}/retry`)));
  const answer = (placed: Placement) =>
    void doing(async () => {
      if (!quiz) return;
      setAnswered({ placed, grade: await ask<QuizGrade>("POST", `/quiz/${quiz.id}/answer`, placed) });
      setVersion(version + 1);
    });

  return (
    <div class="split even">
      <div class="column">
        <Panel title={t("quiz")}>
          <div class="fields">
            <RulesSelect value={wanted.rules} onChange={(rules) => setWanted({ ...wanted, rules, street: 1 })} />
            <Select
              label={t("streetLabel")}
              value={wanted.street}
              options={streets.map((_, at) => [at + 1, t("street", { street: at + 1 })] as const)}
              onChange={(street) => setWanted({ ...wanted, street })}
            />
            <Select
              label={t("difficulty")}
              value={wanted.difficulty}
              options={DIFFICULTIES.map((one) => [one, t(one)] as const)}
              onChange={(difficulty) => setWanted({ ...wanted, difficulty })}
            />
            <button type="button" class="primary" disabled={busy} onClick={next}>
              {t(quiz ? "nextQuestion" : "firstQuestion")}
            </button>
          </div>
          <Notice problem={problem} />
          {busy && <p class="hint" role="status">{t("thinking")} …</p>}
          {quiz ? (
            <Question {...{ quiz, busy, answered, visible }} onAnswer={answer} />
          ) : (
            <p class="hint">{t("hintTrain")}</p>
          )}
        </Panel>
      </div>
      <div class="column">
        {quiz && answered && <Verdict quiz={quiz} answered={answered} />}
        <Log {...{ version, visible }} onRetry={retry} />
      </div>
    </div>
  );
}

interface QuestionProps {
  quiz: Quiz;
  busy: boolean;
  answered: Answered | null;
  visible: boolean;
  onAnswer: (placed: Placement) => void;
}

function Question({ quiz, busy, answered, visible, onAnswer }: QuestionProps): JSX.Element {
  const t = useText();
  const rules = useRules(quiz.request.rules ?? DEFAULT_RULES);
  const board = parseBoard(quiz.request.board ?? "") ?? EMPTY_BOARD;
  const opponents = quiz.request.opponents ?? [];
  return (
    <>
      <p class="summary">
        {t("street", { street: quiz.street })}
        {quiz.request.dead ? ` · ${t("dead")}: ${quiz.request.dead}` : ""}
      </p>
      {opponents.map((text, at) => (
        <div class="other" key={at}>
          <h3>{t("opponentNumber", { number: at + 1 })}</h3>
          <MiniBoard board={parseBoard(text) ?? EMPTY_BOARD} />
        </div>
      ))}
      {answered ? (
        <>
          <LossLine loss={answered.grade} />
          <p class={`verdict ${answered.grade.grade}`}>{t(answered.grade.grade === "best" ? "gradeBest" : answered.grade.grade)}</p>
          <Compare board={board} placed={answered.placed} chosen={answered.grade.chosen} best={answered.grade.best} />
        </>
      ) : (
        <Placer
          key={quiz.id}
          {...{ board, visible, busy }}
          cards={parseCards(quiz.request.cards).cards}
          place={rules.streets[quiz.street - 1]?.place ?? 0}
          confirm={t("answer")}
          onConfirm={onAnswer}
        />
      )}
    </>
  );
}

function Verdict({ quiz, answered }: { quiz: Quiz; answered: Answered }): JSX.Element {
  const t = useText();
  const { grade, placed } = answered;
  const { rules = DEFAULT_RULES, cards, board = "", dead = "", opponents = [] } = quiz.request;
  const query = new URLSearchParams({ rules, cards, board, dead });
  for (const opponent of opponents) query.append("opponent", opponent);
  const position = fromQuery(query, rules);
  const tools = <button type="button" onClick={() => openRoute("analyse", toQuery(position))}>{t("openAnalyse")}</button>;
  return (
    <Panel title={t("explanation")} actions={tools}>
      {grade.ev_loss > 0 && grade.explanation && <Explain parts={grade.explanation} />}
      <details>
        <summary>{t("placements", { count: grade.answer.actions.length })}</summary>
        <Candidates board={position.board} actions={grade.answer.actions} chosen={placed} />
      </details>
    </Panel>
  );
}
