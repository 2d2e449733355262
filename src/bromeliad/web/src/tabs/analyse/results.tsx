/** The right side: what the solver says, one best at a time, labelled with where it comes from. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Candidates } from "../../components/candidates";
import { Compare, LossLine, Why } from "../../components/compare";
import { Notice } from "../../components/form";
import { Headline } from "../../components/headline";
import { Icon } from "../../components/icons";
import { Summary, Thinking } from "../../components/thinking";
import { pilesOf, placementKey } from "../../lib/alike";
import { ask, Problem } from "../../lib/api";
import { type Placement, type Position, toRequest } from "../../lib/position";
import { useRules } from "../../lib/rules";
import { useText } from "../../lib/settings";
import type { ActionAnswer } from "../../lib/types";
import type { Analysis, Source } from "./analysis";
import { type Effort, effortFields } from "./settings";

interface ResultsProps {
  analysis: Analysis;
  position: Position;
  effort: Effort;
  problem: Problem | null;
  /** What the reader has laid out, once it is complete. */
  laid: Placement | null;
  onPlay: (placement: Placement) => void;
  /** Called with the row that is opened, with null when it is closed. */
  onLook: (placement: Placement | null) => void;
  /** The position is the one that a first visit begins with. */
  example: boolean;
  empty: JSX.Element;
}

export function Results({ analysis, position, effort, problem, laid, onPlay, onLook, example, empty }: ResultsProps): JSX.Element {
  const t = useText();
  const { job, answer, actions } = analysis;
  const [open, setOpen] = useState(false);
  const some = actions.length > 0;
  useEffect(() => setOpen(some && !example), [some]); // the example leaves the board of a phone in sight
  const piles = pilesOf(position);
  const rules = useRules(position.rules);
  return (
    <section class={open ? "panel results open" : "panel results"} aria-label={t("placementsTitle")}>
      <header class="results-head">
        <h2>{t("resultsTitle")}</h2>
        <Sources analysis={analysis} />
        <button type="button" class="icon sheet-toggle" aria-expanded={open} aria-label={t(open ? "hideResults" : "showResults")} onClick={() => setOpen(!open)}>
          <Icon name={open ? "down" : "up"} />
        </button>
      </header>
      {example && some && !job.busy && <p class="example">{t("example")}</p>}
      <Notice problem={problem ?? job.problem} />
      <Thinking state={job} />
      {some && <Headline actions={actions} piles={piles} />}
      <div class="results-body">
        {answer && <Summary answer={answer} />}
        {laid && <Layout {...{ analysis, position, effort, laid }} />}
        {some ? (
          <Candidates board={position.board} actions={actions} foulCost={answer?.foul_cost ?? rules.objective.foul_cost} piles={piles} chosen={laid} onPlay={job.busy && analysis.source === "search" ? undefined : onPlay} onLook={onLook} />
        ) : (
          job.phase === "idle" && empty
        )}
      </div>
    </section>
  );
}

/** Whose answer is shown, where there are two. */
function Sources({ analysis }: { analysis: Analysis }): JSX.Element | null {
  const t = useText();
  const { answers, source, job, show } = analysis;
  if (!answers.book) return null;
  const choice = (one: Source) => (
    <button type="button" aria-pressed={source === one} disabled={one === "search" && !answers.search && !job.busy} onClick={() => show(one)}>
      {t(one === "book" ? "fromBook" : "fromSearch")}
    </button>
  );
  return (
    <div class="segments" role="group" aria-label={t("whoseAnswer")}>
      {choice("book")}
      {choice("search")}
    </div>
  );
}

interface Valued {
  ev_loss: number;
  stderr: number | null;
  exact: boolean;
  best: ActionAnswer;
  chosen: ActionAnswer;
}

/** The reader's own layout beside the best one; what the search left without a value is valued now. */
function Layout({ analysis, position, effort, laid }: { analysis: Analysis; position: Position; effort: Effort; laid: Placement }): JSX.Element | null {
  const t = useText();
  const { answer } = analysis;
  const key = placementKey(laid);
  const listed = answer?.actions.find((action) => placementKey(action) === key && action.ev !== null);
  const [valued, setValued] = useState<{ key: string; of: unknown; found: Valued } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    setProblem(null);
    if (!answer || listed) return undefined;
    let current = true;
    const body = { request: { ...toRequest(position), ...effortFields(effort) }, placement: laid };
    ask<Valued>("POST", "/choices", body).then((found) => current && setValued({ key, of: answer, found }), (error: Problem) => current && setProblem(error));
    return () => void (current = false);
  }, [key, answer]);
  if (!answer) return null;
  const found: Valued | null = listed
    ? { ev_loss: listed.ev_loss ?? 0, stderr: listed.ev_loss_stderr ?? null, exact: listed.exact, best: answer.best, chosen: listed }
    : valued?.key === key && valued.of === answer
      ? valued.found
      : null;
  return (
    <section class="layout" aria-label={t("yourLayout")}>
      <h3>{t("yourLayout")}</h3>
      <Notice problem={problem} />
      {!found && !problem && <p class="hint" role="status">{t("thinking")} …</p>}
      {found && (
        <>
          <LossLine loss={found} />
          <Why chosen={found.chosen} best={found.best} loss={found} foulCost={answer.foul_cost} />
          <Compare board={position.board} placed={laid} chosen={found.chosen} best={found.best} label={t("yourLayout")} />
        </>
      )}
    </section>
  );
}
