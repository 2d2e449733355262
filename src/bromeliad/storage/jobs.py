"""Jobs of the service: questions of any game, and their results."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Text, cast, delete, insert, select, update

from bromeliad.core.domain import now
from bromeliad.storage.repository import Repository, matching
from bromeliad.storage.schema import jobs

_QUEUED, _INTERRUPTED, _COMPLETED = "queued", "interrupted", "completed"


class StoredJob(NamedTuple):
    """A job. ``answer`` is JSON; ``status`` is queued (or running), completed, aborted or interrupted."""

    id: str
    client: str
    game: str
    request: dict[str, Any]
    deeper: bool
    keep: bool
    status: str
    answer: str | None
    reason: str | None  # why the job ended early
    error: str | None
    elapsed_s: float
    created_at: datetime
    ended_at: datetime | None


class Jobs(Repository):
    """The jobs of a store."""

    def add(self, job_id: str, client: str, game: str, request: dict[str, Any], *, deeper: bool, keep: bool) -> None:
        """Add a queued job."""
        row = {"id": job_id, "client": client, "game": game, "request": request, "deeper": deeper, "keep": keep}
        with self._store.writing() as connection:
            connection.execute(insert(jobs), {**row, "status": _QUEUED, "elapsed_s": 0.0, "created_at": now()})

    def add_ended(self, ended: Iterable[StoredJob]) -> None:
        """Add jobs that have ended, in one transaction."""
        with self._store.writing() as connection:
            connection.execute(insert(jobs), [job._asdict() for job in ended])

    def reopen(self, job_id: str, client: str) -> bool:
        """Queue an interrupted job again, for this client; return False if it is not interrupted."""
        change = update(jobs).where(jobs.c.id == job_id, jobs.c.status == _INTERRUPTED)
        with self._store.writing() as connection:
            done = connection.execute(change.values(status=_QUEUED, client=client, reason=None, ended_at=None))
        return bool(done.rowcount)

    def end(
        self, job_id: str, status: str, answer: str | None, reason: str | None, error: str | None, elapsed_s: float
    ) -> None:
        """Record the end of a job."""
        values = {"status": status, "answer": answer, "reason": reason, "error": error, "elapsed_s": elapsed_s}
        with self._store.writing() as connection:
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(**values, ended_at=now()))

    def get(self, job_id: str) -> StoredJob | None:
        """Return a job, or None if there is none."""
        row = self._first(select(*jobs.c).where(jobs.c.id == job_id))
        return None if row is None else StoredJob._make(row)

    def answered(self, game: str, request: dict[str, Any], since: datetime) -> str | None:
        """Return the newest complete answer to the same question that was found after ``since``, or None.

        Answers from the store do not count; otherwise an old answer would never expire.
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

    def list(self, status: str, client: str | None = None) -> Iterator[StoredJob]:
        """Yield the jobs of one status, newest first: all, or those of one client."""
        wanted = matching(select(*jobs.c), {jobs.c.status: status, jobs.c.client: client})
        query = wanted.order_by(jobs.c.created_at.desc(), jobs.c.id)
        return map(StoredJob._make, self._stream(query))

    def interrupt_open(self) -> int:
        """Mark all open jobs as interrupted, at the start of a service; return their number."""
        change = update(jobs).where(jobs.c.status == _QUEUED)
        with self._store.writing() as connection:
            done = connection.execute(change.values(status=_INTERRUPTED, ended_at=now()))
        return done.rowcount

    def forget(self, ended_before: datetime) -> int:
        """Remove jobs that ended before ``ended_before``, except interrupted ones; return their number."""
        old = delete(jobs).where(jobs.c.ended_at < ended_before, jobs.c.status != _INTERRUPTED)
        with self._store.writing() as connection:
            return connection.execute(old).rowcount
