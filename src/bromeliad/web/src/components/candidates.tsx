/** Placements as one ranked table: what each is worth, how far behind the best, how sure; a row opens to its parts. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Group, groupAlike, pilesAround, placementKey } from "../lib/alike";
import type { Card } from "../lib/cards";
import { fixed, percent, signed, thousands } from "../lib/numbers";
import { type Board, boardCards, type Placement, type Row, ROWS } from "../lib/position";
import { useText, type Translate } from "../lib/settings";
import type { ActionAnswer } from "../lib/types";
import { isClose, whyText } from "../lib/why";
import { MiniBoard } from "./board";
import { cardNames, Face } from "./card";
import { Compare } from "./compare";
import { EvBar, type Scale, scaleOf } from "./evbar";
import { EvSplit, Figures } from "./figures";
import { ErrorNote } from "./form";

const FIRST = 12; // rows shown before the rest is asked for
const LOSSES = [0.1, 0.5, 1.5] as const; // points at which the colour of a loss changes

interface CandidatesProps {
  board: Board;
  actions: readonly ActionAnswer[];
  /** What a foul costs in the answer. */
  foulCost: number;
  /** All piles of the position, for what is alike; the board and the cards in hand unless told. */
  piles?: readonly (readonly Card[])[];
  /** Called with the placement that is to be played. */
  onPlay?: ((placement: Placement) => void) | undefined;
  /** Called with the row that is opened, with null when it is closed. */
  onLook?: (placement: Placement | null) => void;
  chosen?: Placement | null;
  /** Whole boards: what each gives up against the first is said. */
  complete?: boolean;
}

export function Candidates({ board, actions, foulCost, piles, onPlay, onLook, chosen, complete }: CandidatesProps): JSX.Element {
  const t = useText();
  const [all, setAll] = useState(false);
  const [unfolded, setUnfolded] = useState<string | null>(null);
  const [open, setOpen] = useState<string | null>(null);
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const mine = chosen ? placementKey(chosen) : null;
  const groups = groupAlike(actions, piles ?? pilesAround(board, actions));
  const holds = (group: Group, key: string | null) => [group.first, ...group.others].some((one) => placementKey(one) === key);
  const grouped = groups
    .filter((group, at) => at < FIRST || holds(group, mine))
    .flatMap((group) => {
      const whole = unfolded === placementKey(group.first) || (mine !== null && mine !== placementKey(group.first) && holds(group, mine));
      return [{ action: group.first, group }, ...(whole ? group.others.map((action) => ({ action, group: null })) : [])];
    });
  const shown = all ? actions.map((action) => ({ action, group: null as Group | null })) : grouped;
  const scale = scaleOf(shown.map(({ action }) => action));
  const best = actions[0];
  const ranks = new Map(actions.map((action, at) => [placementKey(action), at + 1]));
  const unvalued = actions.filter((action) => action.ev === null).length;
  const pin = (key: string) => setPinned(pinned.includes(key) ? pinned.filter((one) => one !== key) : [...pinned, key].slice(-2));
  const pair = pinned.flatMap((key) => actions.filter((action) => placementKey(action) === key && action.ev !== null));
  const versus = actions.some((action) => action.p_scoop != null);
  const figures = actions.some((action) => action.p_foul !== null); // a search that still streams has none
  return (
    <div class={figures ? (versus ? "ranking versus" : "ranking") : "ranking bare"}>
      {pair.length === 2 && <Pair {...{ board, pair, foulCost }} onClose={() => setPinned([])} />}
      {pair.length === 1 && <p class="muted small">{t("compareAnother")}</p>}
      <Heads {...{ figures, versus, scale }} />
      <ol class="candidates">
        {shown.map(({ action, group }) => {
          const key = placementKey(action);
          return (
            <Candidate
              key={key}
              {...{ board, action, foulCost, scale, figures, versus, onPlay }}
              rank={ranks.get(key)!}
              mine={key === mine}
              open={open === key}
              pinned={pinned.includes(key)}
              best={best!}
              complete={complete ?? false}
              alike={group?.others.length ?? 0}
              unfolded={unfolded === key}
              onOpen={() => {
                setOpen(open === key ? null : key);
                onLook?.(open === key ? null : action);
              }}
              onUnfold={() => setUnfolded(unfolded === key ? null : key)}
              onPin={() => pin(key)}
            />
          );
        })}
      </ol>
      {actions.some((action) => action.stderr) && <ErrorNote />}
      {unvalued > 0 && !all && <p class="muted unvalued">{t("notValued", { count: unvalued })}</p>}
      {(all || actions.length > shown.length) && (
        <button type="button" class="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t("showFewer") : t("showAll", { count: actions.length })}
        </button>
      )}
    </div>
  );
}

function Heads({ figures, versus, scale }: { figures: boolean; versus: boolean; scale: Scale }): JSX.Element {
  const t = useText();
  return (
    <div class="heads" aria-hidden="true">
      <span>#</span>
      <span>{t("placementColumn")}</span>
      <span class="number">{t("ev")}</span>
      <span class="number">{t("behind")}</span>
      <span class="axis">
        <span>{fixed(scale.low, 1)}</span>
        <span>{fixed(scale.high, 1)}</span>
      </span>
      {figures && (
        <>
          <span class="number">{t("foul")}</span>
          <span class="number">{t("fantasylandColumn")}</span>
          <span class="number">{t("royaltiesColumn")}</span>
          {versus && <span class="number">{t("scoop")}</span>}
        </>
      )}
    </div>
  );
}

/** The cards that a placement adds, row by row, and what it discards. */
export function Placed({ placement }: { placement: Placement }): JSX.Element {
  const t = useText();
  const label = ROWS.map((row: Row) => `${t(row)}: ${cardNames(t, placement[row]) || "–"}`);
  if (placement.discards.length) label.push(`${t("discard")}: ${cardNames(t, placement.discards)}`);
  const small = (cards: readonly Card[]) =>
    cards.map((card, at) => (
      <span class="card-box" key={at}>
        <Face card={card} />
      </span>
    ));
  return (
    <span class="placed" role="img" aria-label={label.join("; ")}>
      {ROWS.map((row) => (
        <span class={`part ${row}`} key={row}>
          {small(placement[row])}
        </span>
      ))}
      {placement.discards.length > 0 && <span class="part gone">{small(placement.discards)}</span>}
    </span>
  );
}

function lossClass(loss: number | null, close: boolean): string {
  if (loss === null) return "";
  if (loss === 0) return "l0";
  return close ? "l1" : `l${1 + LOSSES.filter((end) => loss >= end).length}`;
}

interface CandidateProps {
  board: Board;
  action: ActionAnswer;
  rank: number;
  scale: Scale;
  figures: boolean;
  versus: boolean;
  mine: boolean;
  open: boolean;
  pinned: boolean;
  best: ActionAnswer;
  foulCost: number;
  complete: boolean;
  alike: number;
  unfolded: boolean;
  onPlay?: ((placement: Placement) => void) | undefined;
  onOpen: () => void;
  onUnfold: () => void;
  onPin: () => void;
}

function Candidate(props: CandidateProps): JSX.Element {
  const { action, rank, scale, figures, versus, mine, open, best, complete, alike, unfolded, onOpen, onUnfold } = props;
  const t = useText();
  const close = isClose(action.ev_loss, action.ev_loss_stderr);
  const figure = (name: string, label: string, value: number | null, format: (value: number) => string) => (
    <span class={`number ${name}`} data-label={label}>{value === null ? "" : <data value={value}>{format(value)}</data>}</span>
  );
  return (
    <li class={["candidate", rank === 1 ? "best" : "", mine ? "mine" : "", lossClass(action.ev_loss, close)].join(" ")}>
      <button type="button" class="line" aria-expanded={open} onClick={onOpen}>
        <span class="rank">{rank}</span>
        <Placed placement={action} />
        <Worth action={action} t={t} />
        <Behind action={action} close={close} t={t} />
        <EvBar ev={action.ev} stderr={action.stderr} scale={scale} best={best.ev} />
        {figures && <span class="numbers">
          {figure("foul", t("foul"), action.p_foul, percent)}
          {figure("fantasyland", t("fantasylandColumn"), action.p_fantasyland, percent)}
          {figure("royalties", t("royaltiesColumn"), action.royalties, (value) => fixed(value, 1))}
          {versus && figure("scoop", t("scoop"), action.p_scoop, percent)}
        </span>}
      </button>
      {(alike > 0 || mine || (complete && rank > 1)) && (
        <p class="notes">
          {mine && <span class="tag chosen">{t("yourChoice")}</span>}
          {complete && rank > 1 && <GivesUp action={action} best={best} />}
          {alike > 0 && (
            <button type="button" class="alike" aria-expanded={unfolded} onClick={onUnfold}>
              {t("alike", { count: alike + 1 })}
            </button>
          )}
        </p>
      )}
      {open && <Details {...props} />}
    </li>
  );
}

function Worth({ action, t }: { action: ActionAnswer; t: Translate }): JSX.Element {
  if (action.ev === null) return <span class="worth muted">{action.guess == null ? t("notSearched") : t("guessed", { points: fixed(action.guess, 1) })}</span>;
  return (
    <span class="worth">
      <data class="ev" value={action.ev}>
        {fixed(action.ev)}
      </data>
      {action.exact ? (
        <small class="tag exact">{t("exact")}</small>
      ) : (
        <small>
          <data class="stderr" value={action.stderr ?? ""} title={t("visits", { count: thousands(action.visits) })}>
            ±{fixed(action.stderr ?? 0)}
          </data>
        </small>
      )}
    </span>
  );
}

/** The difference to the best with its paired error, and a mark that needs no colour. */
function Behind({ action, close, t }: { action: ActionAnswer; close: boolean; t: Translate }): JSX.Element {
  const { ev_loss: loss, ev_loss_stderr: error } = action;
  if (loss === null) return <span class="behind" />;
  if (loss === 0 && !close)
    return (
      <span class="behind">
        <b class="top-mark">{t("best")}</b>
      </span>
    );
  const paired = !!error && <small>±{fixed(error)}</small>;
  return (
    <span class="behind">
      <span>
        <data class="loss" value={loss}>
          {signed(-loss)}
        </data>{" "}
        {close && paired}
      </span>
      {close ? <small class="tag close">{t("tooClose")}</small> : paired}
    </span>
  );
}

function Details({ board, action, best, foulCost, rank, pinned, onPlay, onPin }: CandidateProps): JSX.Element {
  const t = useText();
  const loss = action.ev_loss ?? 0;
  return (
    <div class="details">
      <div class="placed-board">{boardCards(board).length ? <MiniBoard board={board} fresh={action} /> : <MiniBoard board={action} />}</div>
      <div class="about">
        {rank > 1 && loss > 0 && (
          <p class="why">{isClose(loss, action.ev_loss_stderr) ? t("mayBeNothing") : whyText(t, action, best, foulCost, loss, action.exact ? null : (action.ev_loss_stderr ?? null))}</p>
        )}
        <Figures action={action} />
        <EvSplit action={action} />
        <div class="buttons">
          {onPlay && (
            <button type="button" class="primary" onClick={() => onPlay(action)}>
              {t("playOn")}
            </button>
          )}
          {action.ev !== null && (
            <button type="button" aria-pressed={pinned} onClick={onPin}>
              {t("compareIt")}
            </button>
          )}
        </div>
      </div>
    </div>
  );
}

/** Two placements side by side. */
function Pair({ board, pair, foulCost, onClose }: { board: Board; pair: readonly ActionAnswer[]; foulCost: number; onClose: () => void }): JSX.Element {
  const t = useText();
  const [better, other] = [...pair].sort((a, b) => (b.ev ?? 0) - (a.ev ?? 0)) as [ActionAnswer, ActionAnswer];
  const loss = (better.ev ?? 0) - (other.ev ?? 0);
  const paired = better.ev_loss === 0 ? (other.ev_loss_stderr ?? null) : Math.hypot(better.stderr ?? 0, other.stderr ?? 0);
  const error = better.exact && other.exact ? null : paired;
  return (
    <section class="pair" aria-label={t("comparison")}>
      <p class="why">{isClose(loss, error) ? t("mayBeNothing") : whyText(t, other, better, foulCost, loss, error)}</p>
      <Compare board={board} placed={other} chosen={{ ...other, ev_loss: Math.max(loss, 1e-9) }} best={better} label={t("theOther")} />
      <button type="button" class="quiet" onClick={onClose}>{t("closeComparison")}</button>
    </section>
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
  return <span class="gives-up">{parts.join(" · ") || t("givesNothing")}</span>;
}
