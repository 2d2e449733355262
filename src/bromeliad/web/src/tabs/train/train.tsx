/** Train: a course that repeats what is about to be forgotten, drills of whole hands, single quizzes; every answer is graded and explained. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { MiniBoard } from "../../components/board";
import { Pile } from "../../components/card";
import { Candidates } from "../../components/candidates";
import { Compare, LossLine, Why } from "../../components/compare";
import { Notice, Panel } from "../../components/form";
import { Placer } from "../../components/placer";
import { ask, Problem } from "../../lib/api";
import { parseCards } from "../../lib/cards";
import { fromNow } from "../../lib/dates";
import { useHotkeys } from "../../lib/hotkeys";
import { signed } from "../../lib/numbers";
import { EMPTY_BOARD, fromQuery, parseBoard, type Placement, toQuery } from "../../lib/position";
import { openRoute } from "../../lib/route";
import { DEFAULT_RULES, useRules } from "../../lib/rules";
import { useSettings, useText } from "../../lib/settings";
import { Explain } from "./explain";
import { Log } from "./log";
import { keepWanted, keptWanted, Modes, questionOf, Setup, Themes, type Wanted } from "./setup";
import type { Mistake, Quiz, QuizGrade, Theme } from "./types";

interface Answered {
  placed: Placement;
  grade: QuizGrade;
}

export function Train({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [wanted, setWanted] = useState(keptWanted);
  const [quiz, setQuiz] = useState<Quiz | null>(null);
  const [answered, setAnswered] = useState<Answered | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [version, setVersion] = useState(0);
  const { mode } = wanted;

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
  const begin = (asked: Quiz | null) => {
    setQuiz(asked);
    setAnswered(null);
  };
  const want = (changed: Wanted) => {
    if (changed.mode !== mode) begin(null);
    keepWanted(changed);
    setWanted(changed);
  };
  const askFor = (what: Wanted) => void doing(async () => begin(await ask<Quiz>("POST", ...questionOf(what))));
  const next = () => {
    const following = answered?.grade.following;
    if (following) begin(following);
    else askFor(wanted);
  };
  const train = (theme: Theme) => {
    const course: Wanted = { ...wanted, mode: "course", themes: [theme] };
    want(course);
    askFor(course);
  };
  const retry = (mistake: Mistake) => void doing(async () => begin(await ask<Quiz>("POST", `/mistakes/${mistake.id}/retry`)));
  const answer = (placed: Placement) =>
    void doing(async () => {
      if (!quiz) return;
      setAnswered({ placed, grade: await ask<QuizGrade>("POST", `/quiz/${quiz.id}/answer`, placed) });
      setVersion(version + 1);
    });
  const first = mode === "course" ? "startCourse" : mode === "drill" ? "startDrill" : "firstQuestion";
  useHotkeys(visible && !quiz, { enter: () => !busy && next() });
  const themes = mode === "course" && <Themes {...{ wanted }} onChange={want} />;
  const setup = <Setup {...{ wanted }} onChange={want} />;
  const start = (
    <button type="button" class={quiz ? "" : "primary"} disabled={busy} onClick={() => askFor(wanted)}>
      {t(!quiz ? first : mode === "drill" ? "anotherHand" : "skipQuestion")}
    </button>
  );

  return (
    <div class="split even">
      <div class="column">
        <Panel title={t("train")} actions={<Modes {...{ wanted }} onChange={want} />}>
          {quiz ? (
            <div class="setup-line">
              <details class="advanced">
                <summary>{t("advanced")}</summary>
                {themes}
                <div class="fields">{setup}</div>
              </details>
              {start}
            </div>
          ) : (
            <>
              {themes}
              <div class="fields">
                {setup}
                {start}
              </div>
            </>
          )}
          <Notice problem={problem} />
          {busy && <p class="hint" role="status">{t("thinking")} …</p>}
          {quiz ? (
            <Question {...{ quiz, busy, answered, visible }} note={mode === "course" ? t(quiz.lesson === null ? "newLesson" : "repeated") : ""} onAnswer={answer} onNext={next} />
          ) : (
            <p class="hint">{t(mode === "course" ? "hintCourse" : mode === "drill" ? "hintDrill" : "hintTrain")}</p>
          )}
        </Panel>
      </div>
      <div class="column">
        {quiz && answered && <Verdict quiz={quiz} answered={answered} />}
        <Log {...{ version, visible }} onRetry={retry} onTrain={train} />
      </div>
    </div>
  );
}

interface QuestionProps {
  quiz: Quiz;
  busy: boolean;
  answered: Answered | null;
  visible: boolean;
  note: string;
  onAnswer: (placed: Placement) => void;
  onNext: () => void;
}

function Question({ quiz, busy, answered, visible, note, onAnswer, onNext }: QuestionProps): JSX.Element {
  const t = useText();
  const rules = useRules(quiz.request.rules ?? DEFAULT_RULES);
  const board = parseBoard(quiz.request.board ?? "") ?? EMPTY_BOARD;
  const opponents = quiz.request.opponents ?? [];
  useHotkeys(visible, { enter: () => answered !== null && !busy && onNext() });
  return (
    <>
      <div class="given">
        {opponents.map((text, at) => (
          <div class="other" key={at}>
            <h3>{t("opponentNumber", { number: at + 1 })}</h3>
            <MiniBoard board={parseBoard(text) ?? EMPTY_BOARD} />
          </div>
        ))}
        <p class="summary">
          {t("street", { street: quiz.street })} {note && <span class="tag">{note}</span>} {quiz.request.dead && <Pile label={t("yourDiscards")} cards={parseCards(quiz.request.dead).cards} />}
        </p>
      </div>
      {answered ? (
        <>
          <LossLine loss={answered.grade} />
          <p class={`verdict ${answered.grade.grade}`}>{t(answered.grade.grade === "best" ? "gradeBest" : answered.grade.grade)}</p>
          <Why chosen={answered.grade.chosen} best={answered.grade.best} loss={answered.grade} foulCost={answered.grade.answer.foul_cost} />
          <Compare board={board} placed={answered.placed} chosen={answered.grade.chosen} best={answered.grade.best} />
          <Afterwards grade={answered.grade} />
          <div class="buttons stay">
            <button type="button" class="primary" disabled={busy} onClick={onNext}>{t(answered.grade.after && !answered.grade.following ? "anotherHand" : "nextQuestion")}</button>
          </div>
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

/** What the decision was about, when it comes again, and how a drilled hand goes on. */
function Afterwards({ grade }: { grade: QuizGrade }): JSX.Element {
  const t = useText();
  const { language } = useSettings();
  const { themes, due, after } = grade;
  return (
    <>
      {themes.length > 0 && <p class="muted">{t("aboutThemes", { names: themes.map((theme) => t(`theme_${theme}`)).join(" · ") })}</p>}
      {due !== null && <p class="muted due">{t("againOn", { when: fromNow(due, language) })}</p>}
      {after !== null && after.skipped > 0 && <p class="muted">{t("skippedForced", { count: after.skipped })}</p>}
      {after !== null && after.points !== null && (
        <>
          <p class="drill-over" role="status">{t("drillOver", { points: signed(after.points, 0) })}</p>
          <div class="others">
            {(after.boards ?? []).map((text, at) => (
              <div class="other" key={at}>
                <h3>{at === 0 ? t("you") : t("opponentNumber", { number: at })}</h3>
                <MiniBoard board={parseBoard(text) ?? EMPTY_BOARD} />
              </div>
            ))}
          </div>
        </>
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
        <Candidates board={position.board} actions={grade.answer.actions} foulCost={grade.answer.foul_cost} chosen={placed} />
      </details>
    </Panel>
  );
}
