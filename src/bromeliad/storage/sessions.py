"""Solver sessions: saved with their events, loaded again, and kept from going where no session can go."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, insert, select, update

from bromeliad.core.domain import now
from bromeliad.errors import PhaseError, StoreError
from bromeliad.solving.session import SearchStats, SolverSession, SolverStatus, SolvingAborted
from bromeliad.storage.events import insert_events
from bromeliad.storage.repository import Repository
from bromeliad.storage.schema import sessions
from bromeliad.storage.session_data import read_solution, read_solved, solution_data, solved_data

__all__ = ["Sessions", "StoredSession"]

_OPEN = (SolverStatus.INITIALIZED.value, SolverStatus.RUNNING.value)
_INTERRUPTED = "the program ended"


class StoredSession(NamedTuple):
    """A session as a list shows it."""

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
        """Save a session as it stands, with the events that it raised since; both or neither.

        Parameters
        ----------
        key
            Of the result that it works for, if there is one.

        Raises
        ------
        PhaseError
            If the stored session has ended, or is further than this one: nothing is changed, and no event is lost.
        """
        with self._store.writing() as connection:
            stored = select(sessions.c.status).where(sessions.c.id == session.id).with_for_update()
            before = connection.scalar(stored)
            _verify_follows(session, before)
            _put(connection, session, key, is_new=before is None)
            insert_events(connection, session.domain_events)
        session.pull_domain_events()

    def load(self, session_id: str) -> SolverSession:
        """Return a session where it stood when it was saved, or raise StoreError."""
        with self._store.reading() as connection:
            row = connection.execute(select(*sessions.c).where(sessions.c.id == session_id)).first()
        if row is None:
            raise StoreError("there is no session {id} in the store", id=session_id[:80])
        session = SolverSession(row.id, read_solved(row.request), row.time_limit)
        session.search_algorithm = row.algorithm
        session.restore(
            status=SolverStatus(row.status),
            progress=row.progress,
            best_solution=read_solution(row.best),
            search_stats=SearchStats(**row.stats),
            start_time=row.started_at,
            end_time=row.ended_at,
            reason=row.reason,
        )
        return session

    def list(self, status: SolverStatus | None = None) -> Iterator[StoredSession]:
        """Yield sessions, those that started last first: all, or those of one status."""
        columns = [sessions.c[name] for name in StoredSession._fields]
        query = select(*columns).order_by(sessions.c.started_at.desc().nulls_last(), sessions.c.id)
        if status is not None:
            query = query.where(sessions.c.status == status.value)
        for row in self._stream(query):
            yield StoredSession(**{**row._mapping, "status": SolverStatus(row.status)})

    def interrupt_running(self) -> int:
        """Note that sessions found open have no program that runs them: for the start of one that runs sessions.

        Returns how many there were; each has a SolvingAborted event.
        """
        moment = now()
        with self._store.writing() as connection:
            change = update(sessions).where(sessions.c.status.in_(_OPEN)).returning(sessions.c.id)
            values = {"status": SolverStatus.INTERRUPTED.value, "reason": _INTERRUPTED, "ended_at": moment}
            found = connection.scalars(change.values(values)).all()
            insert_events(
                connection,
                (SolvingAborted(aggregate_id=each, occurred_at=moment, reason=_INTERRUPTED) for each in found),
            )
        return len(found)


def _verify_follows(session: SolverSession, before: str | None) -> None:
    """Raise PhaseError if a session cannot stand where it does after the status that is stored."""
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
        "request": solved_data(session.game_state),
        "status": session.status.value,
        "progress": session.progress,
        "best": solution_data(session.best_solution),
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
