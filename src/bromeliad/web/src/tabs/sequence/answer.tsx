/** What the agent thinks: its turn, and what every candidate is worth. */

import type { JSX } from "preact";
import { fixed, signed, thousands } from "../../lib/numbers";
import { useText } from "../../lib/settings";
import type { Candidate, SequenceAnswer } from "./types";

export function Verdict({ answer }: { answer: SequenceAnswer }): JSX.Element {
  const t = useText();
  return (
    <p class="summary" role="status">
      <b>{answer.turn.join(" ")}</b> <data class="value" value={answer.value}>{signed(answer.value)}</data>
      {answer.simulations > 0 && ` · ${t("methodSearch", { count: thousands(answer.simulations) })}`}
    </p>
  );
}

export function CandidateTable({ candidates }: { candidates: readonly Candidate[] }): JSX.Element {
  const t = useText();
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={t("candidateMoves")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("move")}</th>
            <th scope="col">{t("value")}</th>
            <th scope="col">{t("visitsShort")}</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map((one) => (
            <tr key={one.move}>
              <th scope="row">{one.move}</th>
              <td>
                {one.value === null ? "–" : <data value={one.value}>{signed(one.value)}</data>} {one.error !== null && <small>±{fixed(one.error)}</small>}
              </td>
              <td>{thousands(one.visits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
