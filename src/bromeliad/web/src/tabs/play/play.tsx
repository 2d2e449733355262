/** Play: a match against the AI, fantasyland included, with a score sheet and grades. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { MiniBoard } from "../../components/board";
import { Back, Pile } from "../../components/card";
import { Chart } from "../../components/chart";
import { Compare, LossLine, Why } from "../../components/compare";
import { Notice, Panel } from "../../components/form";
import { Icon } from "../../components/icons";
import { Placer } from "../../components/placer";
import { ask, Problem } from "../../lib/api";
import { useHotkeys } from "../../lib/hotkeys";
import { BOARD_SIZE, EMPTY_BOARD, parseBoard, type Placement } from "../../lib/position";
import { playerName } from "../../lib/names";
import { openRoute, readRoute, replaceRoute } from "../../lib/route";
import { useRules } from "../../lib/rules";
import { useText } from "../../lib/settings";
import { fetchHistory, type Hand, readHands } from "../review/history";
import { type Place, Replay } from "../review/replay";
import { Hint } from "./hint";
import { Settlement } from "./settlement";
import { type NewGame, Setup } from "./setup";
import { ScoreSheet } from "./sheet";
import type { Game } from "./types";

const TAB = "play";
const KEPT = "bromeliad.game";

export function Play({ visible }: { visible: boolean }): JSX.Element {
  const [game, setGame] = useState<Game | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const change = useRef(0); // counts the changes the player asked for, so that a late answer does not undo a newer one

  const load = async (request: () => Promise<Game>) => {
    const asked = ++change.current;
    setBusy(true);
    setProblem(null);
    try {
      const next = await request();
      if (asked !== change.current) return;
      setGame(next);
      localStorage.setItem(KEPT, next.id);
    } catch (error) {
      if (asked === change.current) setProblem(error instanceof Problem ? error : new Problem(0, ""));
    } finally {
      if (asked === change.current) setBusy(false);
    }
  };
  const refresh = (id: string, failed: () => void) => {
    const asked = change.current;
    const show = (found: Game) => asked === change.current && setGame(found);
    ask<Game>("GET", `/games/${encodeURIComponent(id)}`).then(show, failed);
  };
  useEffect(() => {
    const route = readRoute();
    const id = (route.tab === TAB ? route.query.get("game") : null) ?? localStorage.getItem(KEPT);
    if (id) refresh(id, () => localStorage.removeItem(KEPT));
  }, []);
  useEffect(() => {
    if (visible && game) replaceRoute(TAB, `game=${game.id}`);
  }, [visible, game?.id]);
  useEffect(() => {
    if (visible && game && !busy) refresh(game.id, () => undefined); // a deeper answer may be known by now
  }, [visible]);

  const start = (wanted: NewGame) => void load(() => ask("POST", "/games", wanted));
  if (!game)
    return (
      <div class="single">
        <Setup {...{ busy, visible }} onStart={start} />
        <Notice problem={problem} />
      </div>
    );
  const step = (path: string, body?: unknown) => void load(() => ask("POST", `/games/${game.id}/${path}`, body));
  const place = (placed: Placement) => step("place", placed);
  const leave = () => {
    change.current += 1;
    setBusy(false);
    setProblem(null);
    localStorage.removeItem(KEPT);
    replaceRoute(TAB, "");
    setGame(null);
  };
  return <Match {...{ game, busy, problem, visible, place, step, leave }} />;
}

interface MatchProps {
  game: Game;
  busy: boolean;
  problem: Problem | null;
  visible: boolean;
  place: (placed: Placement) => void;
  step: (path: string) => void;
  leave: () => void;
}

function Match({ game, busy, problem, visible, place, step, leave }: MatchProps): JSX.Element {
  const t = useText();
  const rules = useRules(game.rules);
  const board = parseBoard(game.you.board) ?? EMPTY_BOARD;
  const count = game.street === null ? BOARD_SIZE : (rules.streets[game.street - 1]?.place ?? 0);
  const title = game.hand_over
    ? t("handOver", { hand: game.hand })
    : game.street === null
      ? t("handFantasyland", { hand: game.hand, cards: game.you.cards.length })
      : t("handStreet", { hand: game.hand, street: game.street });
  const finished = game.score_sheet.length;
  const again = useLastHand(game);
  const goOn = game.hand_over && !game.over && !busy;
  useHotkeys(visible, { enter: () => goOn && step("next") });
  const tools = (
    <>
      <button type="button" class="icon" disabled={!game.can_undo || busy} aria-label={t("undo")} title={t("undo")} onClick={() => step("undo")}>
        <Icon name="undo" />
      </button>
      <button type="button" onClick={leave}>{t("leaveMatch")}</button>
    </>
  );
  return (
    <div class="split even">
      <div class="column">
        <Panel title={title} actions={tools}>
          <Others game={game} />
          <Notice problem={problem} />
          {busy && <p class="hint" role="status">{t("opponentThinks")}</p>}
          {game.hand_over ? (
            <>
              <div class="board-line">
                <h3>{t("yourBoard")}</h3>
                <div class="shown"><MiniBoard board={board} /></div>
              </div>
              {game.showdown && <Settlement game={game} showdown={game.showdown} />}
              <div class="buttons">
                {!game.over && (
                  <button type="button" class="primary" disabled={busy} onClick={() => step("next")}>{t("nextHand")}</button>
                )}
                <button type="button" onClick={() => openRoute("review", `game=${game.id}`)}>{t("reviewMatch")}</button>
              </div>
              {game.over && <p class="hint" role="status">{t("matchOver")}</p>}
            </>
          ) : (
            <Placer
              key={`${game.hand}:${game.you.cards.join("")}`}
              {...{ board, visible, busy }}
              cards={game.you.cards}
              place={count}
              confirm={t("confirm")}
              onConfirm={place}
            />
          )}
          {!game.hand_over && game.you.cards.length > 0 && !busy && <Hint key={`${game.hand}:${game.you.cards.join("")}`} game={game} />}
          {game.you.discards.length > 0 && <Pile label={t("yourDiscards")} cards={game.you.discards} />}
        </Panel>
      </div>
      <div class="column">
        {game.last_grade && !busy && (
          <Panel title={t("lastDecision")}>
            <LossLine loss={game.last_grade} />
            <Why chosen={game.last_grade.chosen} best={game.last_grade.best} loss={game.last_grade} foulCost={rules.objective.foul_cost} />
            <Compare {...game.last_grade} board={parseBoard(game.last_grade.board) ?? EMPTY_BOARD} />
          </Panel>
        )}
        {again.at && <Replay {...again} at={again.at} mistakes={null} onGo={again.go} />}
        <Panel title={t("scoreSheet")} actions={finished > 0 && !again.at && <button type="button" onClick={() => void again.watch()}>{t(game.hand_over ? "watchAgain" : "lastHand")}</button>}>
          {game.score_sheet.length > 1 && <ScoreGraph game={game} />}
          <ScoreSheet game={game} />
        </Panel>
      </div>
    </div>
  );
}

/** The last finished hand once more, step by step; nowhere until somebody wants to watch it. */
function useLastHand(game: Game): { hands: readonly Hand[]; at: Place | null; go: (place: Place) => void; watch: () => Promise<void> } {
  const [hands, setHands] = useState<readonly Hand[]>([]);
  const [at, setAt] = useState<Place | null>(null);
  useEffect(() => setAt(null), [game.score_sheet.length]);
  const watch = async () => {
    const found = readHands(await fetchHistory(game.id)).slice(-1);
    setHands(found);
    setAt(found[0] ? { hand: found[0].number, decision: 0 } : null);
  };
  return { hands, at, go: setAt, watch };
}

/** Your points over the hands of the match. */
function ScoreGraph({ game }: { game: Game }): JSX.Element {
  const t = useText();
  let sum = 0;
  const totals = game.score_sheet.map((row) => (sum += row.points[0] ?? 0));
  return <Chart across={t("hand")} label={t("results")} height={150} x={game.score_sheet.map((row) => row.hand)} series={[{ label: t("total"), values: totals, colour: "leaf" }]} />;
}

function Others({ game }: { game: Game }): JSX.Element {
  const t = useText();
  return (
    <div class="others">
      {game.opponents.map((opponent, at) => (
        <div class="other" key={at}>
          <h3>{playerName(t, opponent.name)}</h3>
          {opponent.hidden > 0 ? (
            <div class="hidden-hand">
              <Back />
              <span>{t("inFantasyland", { cards: opponent.hidden })}</span>
            </div>
          ) : (
            <MiniBoard board={parseBoard(opponent.board) ?? EMPTY_BOARD} />
          )}
        </div>
      ))}
    </div>
  );
}
