/** Play: a match against the AI, fantasyland included, with a score sheet and grades. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { MiniBoard } from "../../components/board";
import { Back } from "../../components/card";
import { Compare, LossLine } from "../../components/compare";
import { Notice, Panel } from "../../components/form";
import { Icon } from "../../components/icons";
import { Placer } from "../../components/placer";
import { ask, Problem } from "../../lib/api";
import { type Board, BOARD_SIZE, EMPTY_BOARD, parseBoard, type Placement } from "../../lib/position";
import { openRoute, readRoute, replaceRoute } from "../../lib/route";
import { useRules } from "../../lib/rules";
import { useText } from "../../lib/settings";
import { type NewGame, Setup } from "./setup";
import { ScoreSheet } from "./sheet";
import type { Game } from "./types";

const TAB = "play";
const KEPT = "bromeliad.game";

interface Made {
  board: Board;
  placed: Placement;
}

export function Play({ visible }: { visible: boolean }): JSX.Element {
  const [game, setGame] = useState<Game | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [made, setMade] = useState<Made | null>(null);

  const load = async (change: () => Promise<Game>) => {
    setBusy(true);
    setProblem(null);
    try {
      const next = await change();
      setGame(next);
      localStorage.setItem(KEPT, next.id);
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(0, ""));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    const route = readRoute();
    const id = (route.tab === TAB ? route.query.get("game") : null) ?? localStorage.getItem(KEPT);
    if (id) ask<Game>("GET", `/games/${encodeURIComponent(id)}`).then(setGame, () => localStorage.removeItem(KEPT));
  }, []);
  useEffect(() => {
    if (visible && game) replaceRoute(TAB, `game=${game.id}`);
  }, [visible, game?.id]);

  if (!game)
    return (
      <div class="single">
        <Setup busy={busy} onStart={(wanted: NewGame) => void load(() => ask("POST", "/games", wanted))} />
        <Notice problem={problem} />
      </div>
    );
  const step = (path: string, body?: unknown) => void load(() => ask("POST", `/games/${game.id}/${path}`, body));
  const place = (placed: Placement) => {
    setMade({ board: parseBoard(game.you.board) ?? EMPTY_BOARD, placed });
    step("place", placed);
  };
  const leave = () => {
    localStorage.removeItem(KEPT);
    replaceRoute(TAB, "");
    setGame(null);
    setMade(null);
  };
  return <Match {...{ game, busy, problem, made, visible, place, step, leave }} />;
}

interface MatchProps {
  game: Game;
  busy: boolean;
  problem: Problem | null;
  made: Made | null;
  visible: boolean;
  place: (placed: Placement) => void;
  step: (path: string) => void;
  leave: () => void;
}

function Match({ game, busy, problem, made, visible, place, step, leave }: MatchProps): JSX.Element {
  const t = useText();
  const rules = useRules(game.rules);
  const board = parseBoard(game.you.board) ?? EMPTY_BOARD;
  const count = game.street === null ? BOARD_SIZE : (rules.streets[game.street - 1]?.place ?? 0);
  const title = game.hand_over
    ? t("handOver", { hand: game.hand })
    : game.street === null
      ? t("handFantasyland", { hand: game.hand, cards: game.you.cards.length })
      : t("handStreet", { hand: game.hand, street: game.street });
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
          {game.you.discards.length > 0 && <p class="hint">{t("yourDiscards", { cards: game.you.discards.join(" ") })}</p>}
        </Panel>
      </div>
      <div class="column">
        {game.last_grade && (
          <Panel title={t("lastDecision")}>
            <LossLine loss={game.last_grade} />
            {made && <Compare {...made} chosen={game.last_grade.chosen} best={game.last_grade.best} />}
          </Panel>
        )}
        <Panel title={t("scoreSheet")}>
          <ScoreSheet game={game} />
        </Panel>
      </div>
    </div>
  );
}

function Others({ game }: { game: Game }): JSX.Element {
  const t = useText();
  return (
    <div class="others">
      {game.opponents.map((opponent, at) => (
        <div class="other" key={at}>
          <h3>{opponent.name}</h3>
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
