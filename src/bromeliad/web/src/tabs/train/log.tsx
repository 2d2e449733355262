/** What training has brought: the mistakes that are worth another try, and the losses over time. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { MiniBoard } from "../../components/board";
import { Chart, movingMean } from "../../components/chart";
import { Notice, Panel, Select } from "../../components/form";
import { ask, Problem } from "../../lib/api";
import { fixed } from "../../lib/numbers";
import { EMPTY_BOARD, parseBoard } from "../../lib/position";
import { useText } from "../../lib/settings";
import type { Mistake, Step } from "./types";

const THRESHOLDS = [0.05, 0.25, 0.5, 1, 2] as const;
const WINDOW = 10; // answers in the moving mean

interface LogProps {
  /** Changes when there is something new. */
  version: number;
  visible: boolean;
  onRetry: (mistake: Mistake) => void;
}

export function Log({ version, visible, onRetry }: LogProps): JSX.Element {
  const t = useText();
  const [threshold, setThreshold] = useState<number>(0.25);
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const [steps, setSteps] = useState<Step[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (!visible) return;
    Promise.all([ask<Mistake[]>("GET", `/mistakes?threshold=${threshold}`), ask<Step[]>("GET", "/quiz/progress")]).then(
      ([found, progress]) => (setMistakes(found), setSteps(progress), setProblem(null)),
      (error: Problem) => setProblem(error),
    );
  }, [version, threshold, visible]);

  const losses = steps.map((step) => step.ev_loss);
  return (
    <>
      <Panel title={t("progress")}>
        {steps.length ? (
          <>
            <p class="summary">{t("answersSoFar", { count: steps.length, mean: fixed(movingMean(losses, losses.length).at(-1) ?? 0) })}</p>
            <Chart
              across={t("answer")}
              label={t("progressChart")}
              x={steps.map((_, at) => at + 1)}
              series={[
                { label: t("evLost"), values: losses, colour: "soft", points: true },
                { label: t("meanOf", { count: WINDOW }), values: movingMean(losses, WINDOW), colour: "leaf" },
              ]}
            />
          </>
        ) : (
          <p class="hint">{t("noAnswers")}</p>
        )}
      </Panel>
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
