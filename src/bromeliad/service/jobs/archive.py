"""Jobs in the store: whatever happens to the process, what was asked and answered is known after its next start."""

import json
from datetime import timedelta
from threading import Lock
from typing import Any

from bromeliad.core import kernel_cache
from bromeliad.core.domain import now
from bromeliad.errors import BromeliadError, InputError, PhaseError
from bromeliad.service.jobs.job import Job, JobStatus
from bromeliad.service.kinds.catalogue import KINDS
from bromeliad.storage import Store
from bromeliad.storage.jobs import StoredJob

_KEPT = timedelta(days=7)


class Archive:
    """The jobs of a store as jobs of the service."""

    def __init__(self, store: Store) -> None:
        self._jobs, self._sessions = store.jobs, store.sessions
        self._writing = Lock()  # one process, one writer: waiting here is quicker than in the database

    def open(self) -> int:
        """Mark what an earlier service left unfinished, forget what is old, and return how many were interrupted."""
        self._jobs.forget(now() - _KEPT)
        self._sessions.interrupt_running()
        return self._jobs.interrupt_open()

    def add(self, job: Job) -> None:
        """Keep a new job."""
        with self._writing:
            self._jobs.add(job.id, job.client, job.game, _plain(job), deeper=job.deeper, keep=job.keep)

    def reopen(self, job: Job) -> None:
        """Note that an interrupted job is under way again."""
        with self._writing:
            if not self._jobs.reopen(job.id, job.client):
                raise PhaseError("only an interrupted job can be resumed")

    def end(self, job: Job, status: JobStatus, answer: str | None, error: Exception | None) -> None:
        """Keep how a job ended."""
        told = None if error is None else str(error) if isinstance(error, BromeliadError) else type(error).__name__
        with self._writing:
            self._jobs.end(job.id, status, answer, job.reason, told, job.elapsed)

    def get(self, job_id: str) -> Job | None:
        """Return a job as it was kept."""
        found = self._jobs.get(job_id)
        return None if found is None or found.game not in KINDS else _read(found)

    def answered(self, job: Job) -> str | None:
        """Return the same program's answer to the same question, marked as stored, or None if it is new."""
        found = self._jobs.answered(job.game, _plain(job), now() - _KEPT)
        answer = {} if found is None else json.loads(found)
        return json.dumps({**answer, "stored": True}) if answer.get("program") == kernel_cache.program() else None

    def interrupted(self) -> list[Job]:
        """Return the jobs that wait to be resumed, newest first."""
        return [_read(found) for found in self._jobs.list(JobStatus.INTERRUPTED) if found.game in KINDS]


def _plain(job: Job) -> dict[str, Any]:
    """Return a job's request as it is kept."""
    request: dict[str, Any] = job.request.model_dump(mode="json", exclude_unset=True)
    return request


def _read(found: StoredJob) -> Job:
    request = KINDS[found.game].request.model_validate(found.request)
    job = Job(found.id, found.client, found.game, request, deeper=found.deeper, keep=found.keep)
    error = None if found.error is None else InputError("{problem}", problem=found.error)
    job.restore(JobStatus(found.status), found.answer, error, found.reason, found.elapsed_s)
    return job
