/** What training has brought: the report of the course, the losses over time, and the mistakes that are worth another try. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { MiniBoard } from "../../components/board";
import { Chart, movingMean } from "../../components/chart";
import { Notice, Panel, Select } from "../../components/form";
import { ask, Problem } from "../../lib/api";
import { fixed } from "../../lib/numbers";
import { EMPTY_BOARD, parseBoard } from "../../lib/position";
import { useText } from "../../lib/settings";
import { Leaks, Report } from "./report";
import type { Course, Mistake, Step, Theme } from "./types";

const THRESHOLDS = [0.05, 0.25, 0.5, 1, 2] as const;
const WINDOW = 10; // answers in the moving mean

interface LogProps {
  /** Changes when there is something new. */
  version: number;
  visible: boolean;
  onRetry: (mistake: Mistake) => void;
  onTrain: (theme: Theme) => void;
}

export function Log({ version, visible, onRetry, onTrain }: LogProps): JSX.Element {
  const t = useText();
  const [threshold, setThreshold] = useState<number>(0.25);
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const [steps, setSteps] = useState<Step[]>([]);
  const [course, setCourse] = useState<Course | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (!visible) return;
    const offset = -new Date().getTimezoneOffset();
    Promise.all([
      ask<Mistake[]>("GET", `/mistakes?threshold=${threshold}`),
      ask<Step[]>("GET", "/quiz/progress"),
      ask<Course>("GET", `/course?offset=${offset}`),
    ]).then(
      ([found, progress, report]) => (setMistakes(found), setSteps(progress), setCourse(report), setProblem(null)),
      (error: Problem) => setProblem(error),
    );
  }, [version, threshold, visible]);

  const losses = steps.map((step) => step.ev_loss);
  return (
    <>
      <Panel title={t("progress")}>
        {course && <Report course={course} />}
        {steps.length ? (
          <>
            <p class="summary">{t("answersSoFar", { count: steps.length, mean: fixed(movingMean(losses, losses.length).at(-1) ?? 0) })}</p>
            {steps.length > 1 && (
              <Chart
                across={t("answer")}
                label={t("progressChart")}
                x={steps.map((_, at) => at + 1)}
                series={[
                  { label: t("evLost"), values: losses, colour: "soft", points: true },
                  { label: t("meanOf", { count: WINDOW }), values: movingMean(losses, WINDOW), colour: "leaf" },
                ]}
              />
            )}
          </>
        ) : (
          <p class="hint">{t("noAnswers")}</p>
        )}
      </Panel>
      {course && course.leaks.length > 0 && <Leaks leaks={course.leaks} onTrain={onTrain} />}
      <Panel title={t("mistakes")}>
        <Notice problem={problem} />
        <div class="fields">
          <Select label={t("threshold")} value={threshold} options={THRESHOLDS.map((one) => [one, t("points", { count: one })] as const)} onChange={setThreshold} />
        </div>
        {mistakes.length ? (
          <ul class="log">
            {mistakes.map((mistake) => (
              <li key={mistake.id}>
                <MiniBoard board={parseBoard(mistake.request.board ?? "") ?? EMPTY_BOARD} fresh={mistake.chosen} />
                <div>
                  <p>
                    <b class="loss">−{fixed(mistake.ev_loss)}</b> {mistake.street !== null && t("street", { street: mistake.street })}
                  </p>
                  <p class="muted">
                    {mistake.solved ? t("solvedNow") : mistake.retried ? t("triedTimes", { count: mistake.retried }) : t("notRetried")}
                  </p>
                  <button type="button" onClick={() => onRetry(mistake)}>{t("retry")}</button>
                </div>
              </li>
            ))}
          </ul>
        ) : (
          <p class="hint">{t("noMistakes")}</p>
        )}
      </Panel>
    </>
  );
}
