/** The answers to a position: the opening book's at once, then the search's; kept, so that Back and undo find them again. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../../lib/api";
import { type JobHandle, useJob } from "../../lib/jobs";
import { boardCards, type Position, toRequest } from "../../lib/position";
import type { ActionAnswer, Answer } from "../../lib/types";
import { type Effort, effortFields } from "./settings";

export type Source = "book" | "search";
type Answers = Partial<Record<Source, Answer>>;

const MEMORY = 50; // positions whose answers are kept

export interface Analysis {
  job: JobHandle<Answer, ActionAnswer>;
  answers: Answers;
  /** Whose answer is shown: one best at a time. */
  source: Source;
  answer: Answer | null;
  actions: readonly ActionAnswer[];
  run: (deeper?: boolean) => void;
  /** Shows what the opening book knows, without a search. */
  consult: () => void;
  resume: (path: string) => void;
  show: (source: Source) => void;
}

/** Whether a book may know the position: a first deal, nobody else and nothing else known, by the rules' own values. */
function mayBeInBook(position: Position, effort: Effort): boolean {
  const alone = !position.opponents.length && !position.dead.length && !boardCards(position.board).length;
  return alone && position.cards.length > 0 && effort.objective !== "versus" && !effort.foulCost.trim() && !effort.worth.trim();
}

export function useAnalysis(query: string, position: Position, effort: Effort): Analysis {
  const job = useJob<Answer, ActionAnswer>();
  const memory = useRef(new Map<string, Answers>());
  const current = useRef(query);
  const [answers, setAnswers] = useState<Answers>({});
  const [wanted, setWanted] = useState<Source | null>(null);
  const [shown, setShown] = useState(query);

  const keep = (at: string, found: Answers) => {
    const all = { ...memory.current.get(at), ...found };
    memory.current.delete(at);
    memory.current.set(at, all);
    if (memory.current.size > MEMORY) memory.current.delete(memory.current.keys().next().value!);
    if (current.current === at) setAnswers(all);
  };
  useEffect(() => {
    if (current.current === query) return;
    current.current = query;
    job.reset();
    setAnswers(memory.current.get(query) ?? {});
    setWanted(null);
    setShown(query);
  }, [query]);
  useEffect(() => {
    if (job.answer) keep(current.current, { search: job.answer });
  }, [job.answer]);

  const consult = () => {
    const at = query;
    const asked = new URLSearchParams({ rules: position.rules, cards: position.cards.join(" ") });
    ask<Answer>("GET", `/book/answer?${asked}`).then((book) => keep(at, { book }), () => undefined);
  };
  const run = (deeper = false) => {
    setWanted(null);
    if (mayBeInBook(position, effort) && !deeper) consult();
    job.start("/jobs", { game: "ofc", request: { ...toRequest(position), ...effortFields(effort) }, deeper });
  };
  const fresh = shown === query;
  const found = fresh ? answers : {};
  const searched = job.busy ? null : (found.search ?? null);
  const source: Source = wanted ?? (searched || !found.book ? "search" : "book");
  const answer = source === "book" ? (found.book ?? null) : searched;
  const live = fresh && source === "search" && job.busy ? (job.progress?.actions ?? []) : [];
  return {
    job,
    answers: found,
    source,
    answer,
    actions: answer?.actions ?? live,
    run,
    consult,
    resume: (path) => job.start(path, undefined),
    show: setWanted,
  };
}
