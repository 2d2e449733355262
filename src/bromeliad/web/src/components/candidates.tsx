/** Every placement as a small board with what it is worth, best first; live while the solver thinks. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fixed, percent, signed, thousands } from "../lib/numbers";
import { type Board, boardCards, type Placement } from "../lib/position";
import { useText, type Translate } from "../lib/settings";
import type { ActionAnswer } from "../lib/types";
import { MiniBoard } from "./board";
import { CardImage } from "./card";
import { EvBar, type Scale, scaleOf } from "./evbar";

const FIRST = 12; // placements shown before the rest is asked for

interface CandidatesProps {
  board: Board;
  actions: readonly ActionAnswer[];
  /** Called with the placement that was clicked. */
  onPlay?: ((placement: Placement) => void) | undefined;
  playLabel?: string;
  chosen?: Placement | null;
  /** Whole boards: what each gives up against the first is said. */
  complete?: boolean;
}

export function placementKey(placement: Placement): string {
  return [placement.top, placement.middle, placement.back, placement.discards].map((cards) => [...cards].sort().join("")).join("/");
}

export function Candidates({ board, actions, onPlay, playLabel, chosen, complete }: CandidatesProps): JSX.Element {
  const t = useText();
  const [all, setAll] = useState(false);
  const shown = all ? actions : actions.slice(0, FIRST);
  const scale = scaleOf(shown);
  const mine = chosen ? placementKey(chosen) : null;
  return (
    <>
      <ol class="candidates">
        {shown.map((action, at) => (
          <Candidate
            key={placementKey(action)}
            {...{ board, action, at, scale, playLabel }}
            mine={placementKey(action) === mine}
            against={complete && at > 0 ? actions[0] : undefined}
            onPlay={onPlay}
          />
        ))}
      </ol>
      {actions.length > FIRST && (
        <button type="button" class="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t("showFewer") : t("showAll", { count: actions.length })}
        </button>
      )}
    </>
  );
}

interface CandidateProps {
  board: Board;
  action: ActionAnswer;
  at: number;
  scale: Scale;
  mine: boolean;
  playLabel?: string | undefined;
  onPlay?: ((placement: Placement) => void) | undefined;
  /** The best one, where the difference to it is to be said. */
  against?: ActionAnswer | undefined;
}

function Candidate({ board, action, at, scale, mine, playLabel, onPlay, against }: CandidateProps): JSX.Element {
  const t = useText();
  const name = action.ev === null ? t("notSearched") : `${t("ev")} ${fixed(action.ev)}`;
  return (
    <li class={["candidate", at === 0 ? "best" : "", mine ? "mine" : "", action.row_points != null ? "versus" : ""].join(" ")}>
      <span class="rank">{at + 1}</span>
      <div class="placed">
        {boardCards(board).length ? <MiniBoard board={board} fresh={action} /> : <MiniBoard board={action} />}
        {action.discards.length > 0 && (
          <div class="discards">
            <span class="small-label">{t("discard")}</span>
            {action.discards.map((card, i) => (
              <CardImage card={card} key={i} />
            ))}
          </div>
        )}
      </div>
      <div class="worth">
        <Headline action={action} t={t} />
        <EvBar ev={action.ev} stderr={action.stderr} scale={scale} />
        {against && <GivesUp action={action} best={against} />}
        {mine && <span class="tag chosen">{t("yourChoice")}</span>}
      </div>
      <Figures action={action} />
      {onPlay && (
        <button type="button" class="cover" aria-label={`${playLabel ?? t("playOn")}: ${at + 1}, ${name}`} onClick={() => onPlay(action)} />
      )}
    </li>
  );
}

function GivesUp({ action, best }: { action: ActionAnswer; best: ActionAnswer }): JSX.Element {
  const t = useText();
  const royalties = (best.royalties ?? 0) - (action.royalties ?? 0);
  const stays = (best.p_fantasyland ?? 0) - (action.p_fantasyland ?? 0);
  const parts = [
    royalties > 0 ? t("givesRoyalties", { points: fixed(royalties, 0) }) : "",
    royalties < 0 ? t("gainsRoyalties", { points: fixed(-royalties, 0) }) : "",
    stays > 0 ? t("givesFantasyland") : "",
    (action.p_foul ?? 0) > 0 ? t("fouls") : "",
  ].filter(Boolean);
  return <p class="gives-up">{parts.join(" · ") || t("givesNothing")}</p>;
}

function Headline({ action, t }: { action: ActionAnswer; t: Translate }): JSX.Element {
  if (action.ev === null) return <p class="headline muted">{t("notSearched")}</p>;
  return (
    <p class="headline">
      <data class="ev" value={action.ev}>
        {fixed(action.ev)}
      </data>
      {action.exact ? (
        <span class="tag exact">{t("exact")}</span>
      ) : (
        <>
          <data class="stderr" value={action.stderr ?? ""}>
            ±{fixed(action.stderr ?? 0)}
          </data>
          <span class="tag sampled" title={t("visits", { count: thousands(action.visits) })}>
            {t("sampled")}
          </span>
        </>
      )}
      {action.ev_loss !== null && action.ev_loss > 0 && (
        <data class="loss" value={action.ev_loss}>
          {signed(-action.ev_loss)}
        </data>
      )}
    </p>
  );
}

/** The parts that an EV is made of, as far as they are known. */
export function Figures({ action }: { action: ActionAnswer }): JSX.Element {
  const t = useText();
  const points = (value: number) => fixed(value);
  const entries = [
    ["foul", t("foul"), action.p_foul, percent],
    ["fantasyland", t("fantasylandShort"), action.p_fantasyland, percent],
    ["royalties", t("royalties"), action.royalties, points],
    ["rows", t("rowPoints"), action.row_points, signed],
    ["scoop", t("scoop"), action.p_scoop, percent],
    ["their-royalties", t("theirRoyalties"), action.opponent_royalties, points],
    ["their-foul", t("theirFoul"), action.opponent_p_foul, percent],
    ["their-fantasyland", t("theirFantasyland"), action.opponent_p_fantasyland, percent],
  ] as const;
  return (
    <dl class="figures">
      {entries.map(([key, label, value, format]) =>
        value === null || value === undefined ? null : (
          <div key={key} class={`figure ${key}`}>
            <dt>{label}</dt>
            <dd>
              <data value={value}>{format(value)}</data>
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}
