"""Solver sessions: saved with their events, and loaded again."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update

from bromeliad.core.cards import Card
from bromeliad.core.domain import now
from bromeliad.errors import NotStoredError, PhaseError, StoreError
from bromeliad.games.ofc.hands.boards import Position
from bromeliad.games.ofc.play.game_state import GamePhase, GameState
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.request import read_request
from bromeliad.solving.session import RequestState, SearchStats, Solution, SolverSession, SolverStatus, SolvingAborted
from bromeliad.storage.events import insert_events
from bromeliad.storage.json_columns import board_data, read_board, to_plain
from bromeliad.storage.repository import Repository, matching
from bromeliad.storage.schema import sessions

_OPEN = (SolverStatus.INITIALIZED.value, SolverStatus.RUNNING.value)
_INTERRUPTED = "the program ended"


class StoredSession(NamedTuple):
    """The summary of a session."""

    id: str
    status: SolverStatus
    progress: float
    time_limit: float
    reason: str | None
    started_at: datetime | None
    ended_at: datetime | None


class Sessions(Repository):
    """The solver sessions of a store."""

    def save(self, session: SolverSession, key: str | None = None) -> None:
        """Save a session with its events since the last save, in one transaction.

        Parameters
        ----------
        key
            The key of the session's result, if it has one.

        Raises
        ------
        PhaseError
            If the stored session has ended or is ahead of this one. Nothing is written, and the session keeps its
            events.
        """
        with self._store.writing() as connection:
            stored = select(sessions.c.status).where(sessions.c.id == session.id).with_for_update()
            before = connection.scalar(stored)
            _verify_follows(session, before)
            _put(connection, session, key, is_new=before is None)
            insert_events(connection, session.domain_events)
        session.pull_domain_events()

    def load(self, session_id: str) -> SolverSession:
        """Return a session as it was saved, or raise NotStoredError."""
        row = self._first(select(*sessions.c).where(sessions.c.id == session_id))
        if row is None:
            raise NotStoredError("there is no session {id} in the store", id=session_id[:80])
        session = SolverSession(row.id, _read_solved(row.request), row.time_limit)
        session.search_algorithm = row.algorithm
        session.restore(
            status=SolverStatus(row.status),
            progress=row.progress,
            best_solution=_read_solution(row.best),
            search_stats=SearchStats(**row.stats),
            start_time=row.started_at,
            end_time=row.ended_at,
            reason=row.reason,
        )
        return session

    def list(self, status: SolverStatus | None = None) -> Iterator[StoredSession]:
        """Yield sessions, newest first: all, or those of one status."""
        columns = [sessions.c[name] for name in StoredSession._fields]
        query = select(*columns).order_by(sessions.c.started_at.desc().nulls_last(), sessions.c.id)
        for row in self._stream(matching(query, {sessions.c.status: status and status.value})):
            yield StoredSession(**{**row._mapping, "status": SolverStatus(row.status)})

    def interrupt_running(self) -> int:
        """Mark all open sessions as interrupted, each with a SolvingAborted event; return their number.

        A program that runs sessions calls this when it starts.
        """
        moment = now()
        with self._store.writing() as connection:
            change = update(sessions).where(sessions.c.status.in_(_OPEN)).returning(sessions.c.id)
            values = {"status": SolverStatus.INTERRUPTED.value, "reason": _INTERRUPTED, "ended_at": moment}
            found = connection.scalars(change.values(values)).all()
            aborted = [SolvingAborted(aggregate_id=each, occurred_at=moment, reason=_INTERRUPTED) for each in found]
            return insert_events(connection, aborted)


def _verify_follows(session: SolverSession, before: str | None) -> None:
    """Raise PhaseError if the status of a session cannot follow the stored one."""
    if before is None:
        return
    ended = before not in _OPEN
    went_back = before == SolverStatus.RUNNING.value and session.status is SolverStatus.INITIALIZED
    same = before == session.status.value and not session.domain_events
    if went_back or (ended and not same):
        raise PhaseError(
            "session {id} cannot be saved as {status}: it is stored as {before}",
            id=session.id,
            status=session.status.value,
            before=before,
        )


def _put(connection: Connection, session: SolverSession, key: str | None, *, is_new: bool) -> None:
    row = {
        "request": _solved_data(session.game_state),
        "status": session.status.value,
        "progress": session.progress,
        "best": _solution_data(session.best_solution),
        "stats": asdict(session.search_stats),
        "algorithm": session.search_algorithm,
        "time_limit": session.time_limit,
        "reason": session.reason,
        "started_at": session.start_time,
        "ended_at": session.end_time,
    }
    if key is not None:
        row["key"] = key
    if is_new:
        connection.execute(insert(sessions), {"id": session.id, **row})
    else:
        connection.execute(update(sessions).where(sessions.c.id == session.id).values(row))


# --- sessions as plain data and back ---------------------------------------------------------------------------


def _solved_data(state: GameState | RequestState) -> dict[str, Any]:
    """Return the question of a session as plain data."""
    if isinstance(state, RequestState):
        return {"id": state.id, "request": state.request.model_dump(mode="json", exclude_defaults=True)}
    return {"id": state.id, "game_state": _state_data(state)}


def _read_solved(data: dict[str, Any]) -> GameState | RequestState:
    """Return the question that :func:`_solved_data` wrote."""
    if "request" in data:
        return RequestState(data["id"], read_request(data["request"]))
    return _read_state(data["id"], data["game_state"])


def _state_data(state: GameState) -> dict[str, Any]:
    return {
        "rules": state.rules.model_dump(mode="json"),
        "players": state.player_count,
        "fantasyland": state.fantasyland,
        "phase": state.phase.value,
        "round": state.round_number,
        "board": board_data(state.player_arrangement),
        "discards": [card.value for card in state.discarded_cards],
        "cards": [card.value for card in state.dealt_cards],
        "opponents": {
            name: {
                "round": known.last_update_round,
                "shown": [card.value for card in known.shown_cards],
                "board": None if known.arrangement is None else board_data(known.arrangement),
            }
            for name, known in state.opponents.items()
        },
    }


def _read_state(state_id: str, data: dict[str, Any]) -> GameState:
    """Return a game state by playing up to it, so that every rule of the game is checked.

    A state does not record the street of each card, so the cards of earlier streets are dealt in any order.
    """
    rules = RuleSet.model_validate(data["rules"])
    state = GameState(state_id, data["players"], rules, fantasyland=data["fantasyland"])
    phase = GamePhase(data["phase"])
    placed = [(position, Card(v)) for position, row in zip(Position, data["board"], strict=True) for v in row]
    discards = [Card(value) for value in data["discards"]]
    over = phase is GamePhase.COMPLETED
    for _ in range(data["round"] + over):
        _show_opponents(state, data["opponents"])
        place, discard = state.street.place, state.street.deal - state.street.place
        now, placed = placed[:place], placed[place:]
        gone, discards = discards[:discard], discards[discard:]
        _deal(state, [*(card for _, card in now), *gone])
        state.place_cards({p: [card for at, card in now if at is p] for p in Position}, gone)
    _show_opponents(state, data["opponents"])
    if data["cards"]:
        _deal(state, [Card(value) for value in data["cards"]])
    if state.phase is not phase or placed or discards:
        raise StoreError("the stored game {id} is damaged", id=state_id)
    state.pull_domain_events()  # the events were stored when the hand was played
    return state


def _deal(state: GameState, cards: list[Card]) -> None:
    (state.deal_initial_cards if state.phase is GamePhase.INITIAL_DEAL else state.deal_round_cards)(cards)


def _show_opponents(state: GameState, opponents: dict[str, Any]) -> None:
    """Show the opponents' cards that were last updated on this street."""
    for name, known in opponents.items():
        if known["round"] == state.round_number and not state.opponents[name].shown_cards:
            if known["board"] is None:
                state.update_opponent_cards(name, [Card(value) for value in known["shown"]])
            else:
                state.update_opponent_arrangement(name, read_board(known["board"]))


def _solution_data(solution: Solution | None) -> dict[str, Any] | None:
    """Return a solution as plain data."""
    if solution is None:
        return None
    return {
        "board": board_data(solution.arrangement),
        "expected_value": solution.expected_value,
        "confidence": solution.confidence,
        "actions": [to_plain(action) for action in solution.actions],
    }


def _read_solution(data: dict[str, Any] | None) -> Solution | None:
    """Return the solution that :func:`_solution_data` wrote; actions of other kinds stay plain data."""
    if data is None:
        return None
    actions = [ActionAnswer.model_validate(item) if isinstance(item, dict) else item for item in data["actions"]]
    return Solution(read_board(data["board"]), data["expected_value"], data["confidence"], tuple(actions))
