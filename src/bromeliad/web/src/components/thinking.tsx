/** How far the solver is, and the way to stop it. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { fixed, percent, thousands } from "../lib/numbers";
import type { JobState } from "../lib/jobs";
import { useText } from "../lib/settings";
import type { ActionAnswer, Answer } from "../lib/types";

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

/** How an answer was found, in a line. */
export function Summary({ answer }: { answer: Answer }): JSX.Element {
  const t = useText();
  const exact = answer.actions.every((action: ActionAnswer) => action.exact);
  const searched = answer.simulations > 0 ? t("methodSearch", { count: thousands(answer.simulations) }) : t("methodSampled");
  const parts = [
    exact ? t("methodExact") : searched,
    `${fixed(answer.elapsed_s, answer.elapsed_s < 1 ? 3 : 1)} s`,
    t("placements", { count: answer.actions.length }),
    answer.stored ? t("stored") : "",
    exact ? "" : t("confidence", { share: percent(answer.confidence) }),
  ];
  return (
    <p class="summary" role="status">
      {parts.filter(Boolean).join(" · ")}
    </p>
  );
}
