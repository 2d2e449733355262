/** How far the solver is, and the way to stop it. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { fixed, percent, thousands } from "../lib/numbers";
import type { JobState } from "../lib/jobs";
import { useText, type Translate } from "../lib/settings";
import type { ActionAnswer, Answer } from "../lib/types";

const MOST_SURE = 0.99;
const PATIENCE = 4000; // milliseconds without a sign of life before the reason is told

export function Thinking({ state }: { state: JobState<unknown, unknown> }): JSX.Element | null {
  const t = useText();
  const busy = state.phase === "queued" || state.phase === "running";
  const { fraction = 0, simulations_per_s = 0, elapsed_s = 0, queue_position = null } = state.progress ?? {};
  const waiting = busy && fraction === 0;
  const [long, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (!waiting) return undefined;
    const timer = setTimeout(() => setLong(true), PATIENCE);
    return () => clearTimeout(timer);
  }, [waiting]);
  if (!busy) return null;
  const speed = simulations_per_s ? ` · ${t("perSecond", { count: thousands(simulations_per_s) })}` : "";
  const idle = queue_position !== null ? t("inQueue", { position: queue_position }) : t(long ? "preparing" : "starting");
  const text = waiting ? idle : `${percent(fraction)} · ${fixed(elapsed_s, 1)} s${speed}`;
  return (
    <div class="thinking" role="status" aria-live="off">
      <progress max="1" {...(waiting ? {} : { value: fraction })} aria-label={t("thinking")} />
      <span>{text}</span>
    </div>
  );
}

/** Where an answer comes from. */
function sourceOf(answer: Answer, t: Translate): string {
  if (answer.method === "book") return t("methodBook", { count: thousands(answer.simulations) });
  if (answer.method === "exact") return t("methodExact");
  return answer.simulations > 0 ? t("methodSearch", { count: thousands(answer.simulations) }) : t("methodSampled");
}

/** How sure a sampled answer is: never wholly. */
function sureness(share: number, t: Translate): string {
  return share > MOST_SURE ? t("over", { share: percent(MOST_SURE) }) : percent(share);
}

/** How an answer was found, in a line. */
export function Summary({ answer }: { answer: Answer }): JSX.Element {
  const t = useText();
  const all = answer.actions.length;
  const valued = answer.actions.filter((action: ActionAnswer) => action.ev !== null).length;
  const counted = answer.simulations === 0;
  const short = counted && valued < all;
  const exact = answer.actions.every((action) => action.exact);
  const parts = [
    sourceOf(answer, t),
    answer.method === "book" ? "" : `${fixed(answer.elapsed_s, answer.elapsed_s < 1 ? 3 : 1)} s`,
    short ? t("cutShort", { valued, all }) : t("placements", { count: all }),
    answer.opponent_values === "own board" ? t("ownBoards") : "",
    answer.stored ? t("stored") : "",
    exact || short ? "" : t("confidence", { share: sureness(answer.confidence, t) }),
  ];
  return (
    <p class="summary" role="status">
      {parts.filter(Boolean).join(" · ")}
    </p>
  );
}
