/** A decision beside the best one: what was lost, and how sure that is. */

import type { JSX } from "preact";
import { fixed } from "../lib/numbers";
import type { Board, Placement } from "../lib/position";
import { useText } from "../lib/settings";
import type { ActionAnswer } from "../lib/types";
import { isClose, whyText } from "../lib/why";
import { MiniBoard } from "./board";
import { Figures } from "./figures";

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
      {loss.exact ? <span class="tag exact">{t("exact")}</span> : <span class="tag">{t(isClose(loss.ev_loss, loss.stderr) ? "tooClose" : "sampled")}</span>}
    </p>
  );
}

/** An EV, and how sure it is. */
function Worth({ action }: { action: ActionAnswer }): JSX.Element | null {
  const t = useText();
  if (action.ev === null) return null;
  return (
    <>
      <b>{fixed(action.ev)}</b> {action.exact ? <span class="tag exact">{t("exact")}</span> : action.stderr !== null && <small>±{fixed(action.stderr)}</small>}
    </>
  );
}

/** Why the best placement is better, in a sentence; or that the difference may be nothing. */
export function Why({ chosen, best, loss, foulCost }: { chosen: ActionAnswer; best: ActionAnswer; loss: Loss; foulCost: number }): JSX.Element | null {
  const t = useText();
  if (loss.ev_loss === 0) return null;
  return (
    <p class="why">
      {isClose(loss.ev_loss, loss.stderr) ? t("mayBeNothing") : whyText(t, chosen, best, foulCost, loss.ev_loss, loss.exact ? null : loss.stderr)}
    </p>
  );
}

interface CompareProps {
  board: Board;
  placed: Placement;
  chosen: ActionAnswer;
  best: ActionAnswer;
  /** Whose choice it was; one's own unless told. */
  label?: string;
}

export function Compare({ board, placed, chosen, best, label }: CompareProps): JSX.Element {
  const t = useText();
  const same = chosen.ev_loss === 0;
  return (
    <div class="compare">
      <figure>
        <figcaption>
          {label ?? t("yourChoice")} <Worth action={chosen} />
        </figcaption>
        <MiniBoard board={board} fresh={placed} />
        <Figures action={chosen} />
      </figure>
      {!same && (
        <figure>
          <figcaption>
            {t("best")} <Worth action={best} />
          </figcaption>
          <MiniBoard board={board} fresh={best} />
          <Figures action={best} />
        </figure>
      )}
    </div>
  );
}
