"""One job: a request with its progress, its followers and its answer."""

import json
import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from threading import Lock
from typing import Any

from pydantic import BaseModel, TypeAdapter

from bromeliad.core.budget import Progress
from bromeliad.service.clients import Client
from bromeliad.service.problems import problem_of

_SHOWN = 25  # most entries in a progress event
_ANY: TypeAdapter[Any] = TypeAdapter(Any)


class JobStatus(StrEnum):
    """The states of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"  # the service ended before the job; it can be resumed


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
    """A request and its answer.

    Attributes
    ----------
    keep
        Whether the job continues when its client has gone.
    reason
        Why the job ends early: ``cancelled``, ``client gone``, ``time limit``, ``shutdown``, or None.
    on_change
        Called with the job, from any thread, when there is news.
    """

    def __init__(self, job_id: str, client: Client, game: str, request: BaseModel, *, deeper: bool, keep: bool) -> None:
        self.id, self.client, self.game, self.request = job_id, client, game, request
        self.deeper, self.keep = deeper, keep
        self.status = JobStatus.QUEUED
        self.progress = 0.0
        self.reason: str | None = None
        self.answer: str | None = None  # JSON
        self.error: Exception | None = None
        self.on_change: Callable[[Job], None] = lambda job: None
        self.has_ended = False
        self._lock = Lock()
        self._entries: Sequence[Any] = ()
        self._simulations = 0
        self._started: float | None = None
        self._elapsed: float | None = None
        self._streams = 0
        self._seen = time.monotonic()
        self._was_streamed = False

    def touch(self) -> None:
        """Record that a client has requested the job."""
        self._seen = time.monotonic()

    def attach(self) -> None:
        """Record that an event stream was opened."""
        with self._lock:
            self._streams += 1

    def detach(self) -> None:
        """Record that an event stream was closed; from now on, the client counts as gone sooner."""
        with self._lock:
            self._streams -= 1
            self._was_streamed = True
        self.touch()

    def is_abandoned(self, away_seconds: float, unasked_seconds: float) -> bool:
        """Return whether the job's client has gone."""
        if self.keep or self._streams:
            return False
        patience = away_seconds if self._was_streamed else unasked_seconds
        return time.monotonic() - self._seen > patience

    def start(self) -> None:
        """Record that a worker has started the job."""
        self.start_clock()
        self.status = JobStatus.RUNNING
        self.on_change(self)

    def start_clock(self) -> None:
        """Start the clock; again once kernels are ready, so that the time to compile them does not count."""
        self._started = time.monotonic()

    def report(self, progress: Progress) -> None:
        """Record progress."""
        self.progress = min(max(self.progress, progress.fraction), 1.0)
        self._entries, self._simulations = progress.actions[:_SHOWN], progress.simulations
        self.on_change(self)

    def stop(self, reason: str) -> None:
        """Ask the job to end with its best answer so far; the first reason counts."""
        if self.reason is None:
            self.reason = reason

    def end(self, status: JobStatus, answer: str | None = None, error: Exception | None = None) -> None:
        """Record how the job ended."""
        self._elapsed = self.elapsed
        self.answer, self.error, self.status = answer, error, status
        if status is JobStatus.COMPLETED:
            self.progress = 1.0
            self._simulations = json.loads(answer or "{}").get("simulations", self._simulations)
        self.has_ended = True
        self.on_change(self)

    def restore(
        self, status: JobStatus, answer: str | None, error: Exception | None, reason: str | None, elapsed_s: float
    ) -> None:
        """Set how the job ended, as read from the store."""
        self.reason, self._elapsed = reason, elapsed_s
        self.end(status, answer, error)

    def is_stopped(self) -> bool:
        """Return whether the job was asked to end."""
        return self.reason is not None

    @property
    def elapsed(self) -> float:
        """Seconds that a worker has spent on the job."""
        if self._elapsed is not None:
            return self._elapsed
        return 0.0 if self._started is None else time.monotonic() - self._started

    def progress_json(self, position: int | None = None) -> str:
        """Return the data of a progress event."""
        head = {
            "fraction": self.progress,
            "status": self.status,
            "queue_position": position,
            **self._speed(),
            "elapsed_s": self.elapsed,
        }
        return _joined(head, {"actions": self._entries_json()})

    def request_data(self) -> dict[str, Any]:
        """Return the request as plain data, as clients see it and the store keeps it."""
        return self.request.model_dump(mode="json", exclude_unset=True)

    def to_json(self, position: int | None = None) -> str:
        """Return the job as in ``GET /jobs/{id}``, with errors in the client's language."""
        error = None if self.error is None else problem_of(self.error, "request").model_dump(exclude_none=True)
        head = {
            "id": self.id,
            "game": self.game,
            "request": self.request_data(),
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
    """Return a JSON object with the values of ``head`` and those of ``raw``, which are JSON already."""
    parts = [f"{json.dumps(name)}: {value}" for name, value in raw.items()]
    return json.dumps(head)[:-1] + ", " + ", ".join(parts) + "}"
