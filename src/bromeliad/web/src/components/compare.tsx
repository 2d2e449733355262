/** A decision beside the best one: what was lost, and how sure that is. */

import type { JSX } from "preact";
import { fixed } from "../lib/numbers";
import type { Board, Placement } from "../lib/position";
import { useText } from "../lib/settings";
import type { ActionAnswer } from "../lib/types";
import { MiniBoard } from "./board";
import { Figures } from "./candidates";

export interface Loss {
  ev_loss: number;
  stderr: number | null;
  exact: boolean;
}

export function LossLine({ loss }: { loss: Loss }): JSX.Element {
  const t = useText();
  if (loss.ev_loss === 0)
    return (
      <p class="loss-line good" role="status">
        {t("bestMove")} <data class="ev-loss" value={0} />
      </p>
    );
  return (
    <p class="loss-line" role="status">
      {t("lost")}{" "}
      <data class="ev-loss" value={loss.ev_loss}>
        {fixed(loss.ev_loss)}
      </data>
      {!loss.exact && loss.stderr !== null && <small> ±{fixed(loss.stderr)}</small>}
      {loss.exact ? <span class="tag exact">{t("exact")}</span> : <span class="tag">{t("sampled")}</span>}
    </p>
  );
}

interface CompareProps {
  board: Board;
  placed: Placement;
  chosen: ActionAnswer | null;
  best: ActionAnswer;
  /** Whose choice it was; one's own unless told. */
  label?: string;
}

export function Compare({ board, placed, chosen, best, label }: CompareProps): JSX.Element {
  const t = useText();
  const same = chosen !== null && chosen.ev_loss === 0;
  return (
    <div class="compare">
      <figure>
        <figcaption>
          {label ?? t("yourChoice")} {chosen?.ev != null && <b>{fixed(chosen.ev)}</b>}
        </figcaption>
        <MiniBoard board={board} fresh={placed} />
        {chosen && <Figures action={chosen} />}
      </figure>
      {!same && (
        <figure>
          <figcaption>
            {t("best")} {best.ev !== null && <b>{fixed(best.ev)}</b>}
          </figcaption>
          <MiniBoard board={board} fresh={best} />
          <Figures action={best} />
        </figure>
      )}
    </div>
  );
}
