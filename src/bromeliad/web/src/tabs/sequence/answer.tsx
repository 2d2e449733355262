/** What the agent thinks: its turn and its value. */

import type { JSX } from "preact";
import { signed, thousands } from "../../lib/numbers";
import { useText } from "../../lib/settings";
import { moveWords, type SequenceAnswer } from "./types";

export function Verdict({ answer }: { answer: SequenceAnswer }): JSX.Element {
  const t = useText();
  return (
    <p class="summary" role="status">
      <b data-move={answer.best}>{answer.turn.map((move) => moveWords(t, move)).join(" · ")}</b> <data class="value" value={answer.value}>{signed(answer.value)}</data>
      {answer.simulations > 0 && ` · ${t("methodSearch", { count: thousands(answer.simulations) })}`}
    </p>
  );
}
