"""One job: a question that is being answered, with who watches it and how far it is."""

import json
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from threading import Event, Lock
from typing import Any

from pydantic import BaseModel, TypeAdapter

from bromeliad.core.budget import Progress
from bromeliad.service.problems import problem_of

SHOWN = 25
"""Entries, at most, of what is known while a job runs."""

_ANY: TypeAdapter[Any] = TypeAdapter(Any)


class JobStatus(StrEnum):
    """The states of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"  # the service ended while it was under way; it can be resumed

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self in (JobStatus.COMPLETED, JobStatus.ABORTED)


class JobView(BaseModel):
    """A job as JSON."""

    id: str
    game: str
    request: dict[str, Any]
    status: JobStatus
    progress: float
    queue_position: int | None
    answer: dict[str, Any] | None
    actions: list[dict[str, Any]]
    simulations: int
    simulations_per_s: float
    elapsed_s: float
    reason: str | None
    error: dict[str, Any] | None


class Job:
    """A question and its answer.

    Attributes
    ----------
    request
        As it will be run.
    keep
        Whether the job goes on although nobody asks for it.
    reason
        Why it ended before its time: ``cancelled``, ``client gone``, ``time limit``, ``shutdown``, or None.
    on_change
        Called, from any thread, when there is something new to tell.
    """

    def __init__(self, job_id: str, client: str, game: str, request: BaseModel, *, deeper: bool, keep: bool) -> None:
        self.id, self.client, self.game, self.request = job_id, client, game, request
        self.deeper, self.keep = deeper, keep
        self.status = JobStatus.QUEUED
        self.progress = 0.0
        self.reason: str | None = None
        self.answer: str | None = None  # JSON
        self.error: Exception | None = None
        self.on_change: Callable[[Job], None] = lambda job: None
        self.finished = Event()
        self._lock = Lock()
        self._entries: Sequence[Any] = ()
        self._simulations = 0
        self._started: float | None = None
        self._elapsed: float | None = None
        self._streams = 0
        self._seen = time.monotonic()
        self._patience: str = "unasked"

    # --- who watches ------------------------------------------------------------------------------------------------

    def touch(self) -> None:
        """Note that somebody has asked for the job."""
        self._seen = time.monotonic()

    def attach(self) -> None:
        """Note that an event stream was opened."""
        with self._lock:
            self._streams += 1

    def detach(self) -> None:
        """Note that an event stream was closed: from now on it is missed sooner."""
        with self._lock:
            self._streams -= 1
            self._patience = "away"
        self.touch()

    def is_abandoned(self, away_seconds: float, unasked_seconds: float) -> bool:
        """Say whether its client has gone away."""
        if self.keep or self._streams:
            return False
        patience = away_seconds if self._patience == "away" else unasked_seconds
        return time.monotonic() - self._seen > patience

    # --- its course -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Note that a worker has begun."""
        self._started = time.monotonic()
        self.status = JobStatus.RUNNING
        self.on_change(self)

    def start_clock(self) -> None:
        """Count time from now on: kernels had to be compiled first."""
        self._started = time.monotonic()

    def report(self, progress: Progress) -> None:
        """Note how far it is."""
        self.progress = min(max(self.progress, progress.fraction), 1.0)
        self._entries, self._simulations = progress.actions[:SHOWN], progress.simulations
        self.on_change(self)

    def stop(self, reason: str) -> None:
        """Ask a job to end with the best so far; the first reason counts."""
        if self.reason is None:
            self.reason = reason

    def end(self, status: JobStatus, answer: str | None = None, error: Exception | None = None) -> None:
        """Note the end."""
        self._elapsed = self.elapsed
        self.answer, self.error, self.status = answer, error, status
        if status is JobStatus.COMPLETED:
            self.progress = 1.0
        self.finished.set()
        self.on_change(self)

    def restore(
        self, status: JobStatus, answer: str | None, error: Exception | None, reason: str | None, elapsed_s: float
    ) -> None:
        """Take over what the store has of the job."""
        self.reason, self._elapsed = reason, elapsed_s
        self.progress = 1.0 if status is JobStatus.COMPLETED else 0.0
        self.answer, self.error, self.status = answer, error, status
        self.finished.set()

    def is_stopped(self) -> bool:
        """Say whether somebody has asked it to end."""
        return self.reason is not None

    @property
    def elapsed(self) -> float:
        """Seconds that a worker has spent on it."""
        if self._elapsed is not None:
            return self._elapsed
        return 0.0 if self._started is None else time.monotonic() - self._started

    # --- as JSON ----------------------------------------------------------------------------------------------------

    def progress_json(self, position: int | None = None) -> str:
        """Return what a progress event says."""
        head = {
            "fraction": self.progress,
            "status": self.status,
            "queue_position": position,
            **self._speed(),
            "elapsed_s": self.elapsed,
        }
        return _joined(head, {"actions": self._entries_json()})

    def to_json(self, position: int | None = None) -> str:
        """Return the job as ``GET /jobs/{id}`` tells it, errors in the language of this context."""
        error = None if self.error is None else problem_of(self.error, "request").model_dump(exclude_none=True)
        head = {
            "id": self.id,
            "game": self.game,
            "request": self.request.model_dump(mode="json", exclude_unset=True),
            "status": self.status,
            "progress": self.progress,
            "queue_position": position,
            **self._speed(),
            "elapsed_s": self.elapsed,
            "reason": self.reason,
            "error": error,
        }
        return _joined(head, {"answer": self.answer or "null", "actions": self._entries_json()})

    def _speed(self) -> dict[str, float]:
        seconds = self.elapsed
        per_second = self._simulations / seconds if seconds > 0 else 0.0
        return {"simulations": self._simulations, "simulations_per_s": per_second}

    def _entries_json(self) -> str:
        return "[]" if self.answer else _ANY.dump_json(self._entries).decode()


def _joined(head: dict[str, Any], raw: dict[str, str]) -> str:
    """Return a JSON object of plain values and of values that are JSON already."""
    parts = [f"{json.dumps(name)}: {value}" for name, value in raw.items()]
    return json.dumps(head)[:-1] + ", " + ", ".join(parts) + "}"
