/** Playing: choose a card, then a square, then a face-up card. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice, Panel, Select } from "../../components/form";
import { Icon } from "../../components/icons";
import { MoveTable } from "../../components/movetable";
import { Thinking } from "../../components/thinking";
import type { Card } from "../../lib/cards";
import { useJob } from "../../lib/jobs";
import { type Translate, useText } from "../../lib/settings";
import { Verdict } from "./answer";
import { SequenceBoard } from "./board";
import { Choice, OtherMoves, Others } from "./cards";
import { type NewGame, useMatch } from "./match";
import { type Candidate, cardOf, EMPTY_BOARD, moveTo, moveWords, OPPONENTS, PLAYERS, RULES, type SequenceAnswer, type SequenceView, squareOf, TEAMS } from "./types";

const TIMES = [0.1, 0.5, 1, 3, 10] as const;
const TOLD = 12; // moves of the log that are shown

interface PlayProps {
  visible: boolean;
  id: string | null;
  onGame: (id: string) => void;
  chooser: JSX.Element;
}

export function SequencePlay({ visible, id, onGame, chooser }: PlayProps): JSX.Element {
  const t = useText();
  const match = useMatch(id, visible);
  const { game, busy } = match;
  const [wanted, setWanted] = useState<NewGame>({ rules: "course", players: 2, seat: 0, opponent: "mcts", time: 0.5 });
  const [card, setCard] = useState<Card | null>(null);
  const job = useJob<SequenceAnswer, Candidate>();
  useEffect(() => {
    job.reset();
    setCard(null);
    if (game) onGame(game.id);
  }, [game]);

  const moves = busy || !game ? [] : game.moves;
  const own = game?.players[game.seat]?.known ?? [];
  const picking = moves.some((move) => move.startsWith("+"));
  const candidates = job.answer?.candidates ?? job.progress?.actions ?? [];
  const analyse = () => game && job.start("/jobs", { game: "sequence", request: { rules: game.rules, players: game.players.length, position: game.position, time: wanted.time } });
  const tools = (
    <button type="button" class="icon" disabled={!game?.can_undo || busy} aria-label={t("undo")} title={t("undo")} onClick={match.undo}>
      <Icon name="undo" />
    </button>
  );
  const usable = (one: Card) => moves.some((move) => squareOf(move) !== null && cardOf(move) === one);
  return (
    <div class="split even">
      <div class="column">
        <Panel title={game ? statusOf(t, game, busy, picking) : t("sequence")} actions={tools}>
          <SequenceBoard
            letters={game ? game.board.join("") : EMPTY_BOARD}
            candidates={candidates}
            best={job.answer?.best ?? null}
            last={lastSquares(game)}
            open={(square) => moveTo(moves, square, card) !== undefined}
            onPlay={(square) => match.play(moveTo(moves, square, card)!)}
          />
          {game && <Choice label={t("yourCards")} cards={own} chosen={card} playable={usable} onChoose={(one) => setCard(one === card ? null : one)} />}
          <OtherMoves moves={moves} onPlay={match.play} />
          {game && game.draft.length > 0 && (
            <Choice label={t(picking ? "takeOne" : "faceUp")} cards={game.draft} chosen={null} playable={(one) => moves.includes(`+${one}`)} onChoose={(one) => match.play(`+${one}`)} />
          )}
        </Panel>
      </div>
      <div class="column">
        <Panel title={t("engine")}>
          <Wishes wanted={wanted} onChange={setWanted} chooser={chooser} />
          <div class="run">
            <button type="button" class="primary" disabled={busy} onClick={() => match.start(wanted)}>{t("newGame")}</button>
            {job.busy ? (
              <button type="button" onClick={job.stop}>{t("stop")}</button>
            ) : (
              <button type="button" disabled={!game?.position || busy} onClick={analyse}>{t("run")}</button>
            )}
          </div>
          <Notice problem={match.problem ?? job.problem} />
          {busy && <p class="hint" role="status">{t(game ? "opponentThinks" : "starting")}</p>}
          <Thinking state={job} />
          {job.answer && <Verdict answer={job.answer} />}
          {candidates.length > 0 && <MoveTable rows={candidates.map((one) => ({ ...one, name: moveWords(t, one.move) }))} />}
          {!game && <p class="hint">{t("hintSequence")}</p>}
        </Panel>
        {game && (
          <Panel title={t("table")}>
            <p>{t("sequencesOf", { goal: game.goal })} {game.sequences.map((count, team) => `${t(TEAMS[team]!)} ${count}`).join(" · ")}</p>
            <Others game={game} />
            <p class="muted" role="log" aria-label={t("lastMoves")}>{game.log.slice(-TOLD).map(({ seat, move }) => `${seat === game.seat ? t("you") : t("seatNumber", { seat: seat + 1 })}: ${moveWords(t, move)}`).join(" · ")}</p>
          </Panel>
        )}
      </div>
    </div>
  );
}

function statusOf(t: Translate, game: SequenceView, busy: boolean, picking: boolean): string {
  if (game.over) return game.winner === null ? t("draw") : t("wins", { side: t(TEAMS[game.winner]!) });
  if (busy) return t("opponentThinks");
  return t(picking ? "takeOne" : "yourTurn", { side: t(TEAMS[game.players[game.seat]!.team]!) });
}

/** The squares that others have changed since your last move. */
function lastSquares(game: SequenceView | null): Set<number> {
  const found = new Set<number>();
  for (const { seat, move } of [...(game?.log ?? [])].reverse()) {
    if (seat === game!.seat) break;
    const square = squareOf(move);
    if (square !== null) found.add(square);
  }
  return found;
}

interface WishesProps {
  wanted: NewGame;
  onChange: (wanted: NewGame) => void;
  chooser: JSX.Element;
}

function Wishes({ wanted, onChange, chooser }: WishesProps): JSX.Element {
  const t = useText();
  const counts = PLAYERS[wanted.rules];
  const choose = (change: Partial<NewGame>) => {
    const next = { ...wanted, ...change };
    const players = PLAYERS[next.rules].includes(next.players) ? next.players : 2;
    onChange({ ...next, players, seat: Math.min(next.seat, players - 1) });
  };
  return (
    <div class="fields">
      {chooser}
      <Select label={t("rules")} value={wanted.rules} options={RULES.map((rule) => [rule, t(rule)] as const)} onChange={(rules) => choose({ rules })} />
      <Select label={t("players")} value={wanted.players} options={counts.map((count) => [count, String(count)] as const)} onChange={(players) => choose({ players })} />
      <Select label={t("yourSeat")} value={wanted.seat} options={Array.from({ length: wanted.players }, (_, seat) => [seat, t("seatNumber", { seat: seat + 1 })] as const)} onChange={(seat) => choose({ seat })} />
      <Select label={t("opponent")} value={wanted.opponent} options={OPPONENTS.map((name) => [name, t(name)] as const)} onChange={(opponent) => choose({ opponent })} />
      <Select label={t("time")} value={wanted.time} options={TIMES.map((one) => [one, t("seconds", { count: one })] as const)} onChange={(time) => choose({ time })} />
    </div>
  );
}
