"""Jobs of a service: questions of any game, what became of them, and which of them its end has interrupted."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Text, cast, delete, insert, select, update

from bromeliad.core.domain import now
from bromeliad.storage.repository import Repository
from bromeliad.storage.schema import jobs

_QUEUED, _INTERRUPTED, _COMPLETED = "queued", "interrupted", "completed"


class StoredJob(NamedTuple):
    """A job; ``answer`` is JSON, ``status`` queued, completed, aborted or interrupted."""

    id: str
    client: str
    game: str
    request: dict[str, Any]
    deeper: bool
    keep: bool
    status: str
    answer: str | None
    reason: str | None  # of an end before its time
    error: str | None  # what was wrong with it
    elapsed_s: float
    created_at: datetime
    ended_at: datetime | None


class Jobs(Repository):
    """The jobs of a store."""

    def add(self, job_id: str, client: str, game: str, request: dict[str, Any], *, deeper: bool, keep: bool) -> None:
        """Add a job that has not ended."""
        row = {
            "id": job_id,
            "client": client,
            "game": game,
            "request": request,
            "deeper": deeper,
            "keep": keep,
            "status": _QUEUED,
            "elapsed_s": 0.0,
            "created_at": now(),
        }
        with self._store.writing() as connection:
            connection.execute(insert(jobs), row)

    def reopen(self, job_id: str, client: str) -> bool:
        """Take an interrupted job up again, for this client; return False if it is not interrupted."""
        change = update(jobs).where(jobs.c.id == job_id, jobs.c.status == _INTERRUPTED)
        with self._store.writing() as connection:
            done = connection.execute(change.values(status=_QUEUED, client=client, reason=None, ended_at=None))
        return bool(done.rowcount)

    def end(
        self, job_id: str, status: str, answer: str | None, reason: str | None, error: str | None, elapsed_s: float
    ) -> None:
        """Note how a job ended."""
        values = {
            "status": status,
            "answer": answer,
            "reason": reason,
            "error": error,
            "elapsed_s": elapsed_s,
            "ended_at": now(),
        }
        with self._store.writing() as connection:
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(values))

    def get(self, job_id: str) -> StoredJob | None:
        """Return a job, or None if there is none."""
        with self._store.reading() as connection:
            row = connection.execute(select(*jobs.c).where(jobs.c.id == job_id)).first()
        return None if row is None else StoredJob(*row)

    def answered(self, game: str, request: dict[str, Any], since: datetime) -> str | None:
        """Return the newest whole answer to the same question since some moment, or None if there was none.

        What was itself answered from the store does not count: it would make an answer younger than it is.
        """
        query = (
            select(jobs.c.answer)
            .where(jobs.c.status == _COMPLETED, jobs.c.game == game, jobs.c.reason.is_(None))
            .where(jobs.c.ended_at > since, jobs.c.answer.not_like('%"stored": true%'))
            .where(cast(jobs.c.request, Text) == json.dumps(request))  # as the column's type writes it
            .order_by(jobs.c.ended_at.desc())
        )
        with self._store.reading() as connection:
            return connection.scalar(query.limit(1))

    def list(self, status: str) -> Iterator[StoredJob]:
        """Yield the jobs of one status, newest first."""
        query = select(*jobs.c).where(jobs.c.status == status).order_by(jobs.c.created_at.desc(), jobs.c.id)
        with self._store.reading() as connection:
            for row in connection.execute(query):
                yield StoredJob(*row)

    def interrupt_open(self) -> int:
        """Note that the jobs found open have no service that runs them: for the start of one. Return how many."""
        change = update(jobs).where(jobs.c.status == _QUEUED)
        with self._store.writing() as connection:
            done = connection.execute(change.values(status=_INTERRUPTED, ended_at=now()))
        return done.rowcount

    def forget(self, ended_before: datetime) -> int:
        """Remove jobs that ended long ago, but not the interrupted ones; return how many."""
        old = delete(jobs).where(jobs.c.ended_at < ended_before, jobs.c.status != _INTERRUPTED)
        with self._store.writing() as connection:
            return connection.execute(old).rowcount
