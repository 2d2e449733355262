"""Jobs in the store, where requests and answers outlive the process."""

import asyncio
import json
from datetime import timedelta
from threading import Lock

from fastapi.concurrency import run_in_threadpool

from bromeliad.core import kernel_cache
from bromeliad.core.domain import now
from bromeliad.errors import BromeliadError, InputError, PhaseError, StoreError
from bromeliad.service.clients import Client
from bromeliad.service.jobs.job import Job, JobStatus
from bromeliad.service.kinds.catalogue import KINDS
from bromeliad.service.problems import Refusal
from bromeliad.storage import Store
from bromeliad.storage.jobs import StoredJob

_KEPT = timedelta(days=7)


class Archive:
    """Writes jobs to the store and reads them back."""

    def __init__(self, store: Store) -> None:
        self._jobs, self._sessions = store.jobs, store.sessions
        self._writing = Lock()  # waiting for a lock is quicker than waiting for the database
        self._ended: list[Job] = []  # to be stored together
        self._turn = asyncio.Lock()

    def open(self) -> None:
        """Mark the unfinished jobs and sessions of an earlier process as interrupted, and delete old jobs."""
        self._jobs.forget(now() - _KEPT)
        self._sessions.interrupt_running()
        self._jobs.interrupt_open()

    def add(self, job: Job) -> None:
        """Store a new job."""
        with self._writing:
            self._jobs.add(job.id, job.client.name, job.game, job.request_data(), deeper=job.deeper, keep=job.keep)

    async def add_ended(self, job: Job) -> None:
        """Store a job that has ended, in one transaction with those that arrive while another one is written."""
        self._ended.append(job)
        async with self._turn:
            if job in self._ended:
                jobs, self._ended = self._ended, []
                await run_in_threadpool(self._add_all, jobs)

    def _add_all(self, jobs: list[Job]) -> None:
        with self._writing:
            self._jobs.add_ended(map(_stored, jobs))

    def reopen(self, job: Job) -> None:
        """Store that an interrupted job runs again; raise if it is not interrupted."""
        with self._writing:
            if not self._jobs.reopen(job.id, job.client.name):
                raise PhaseError("only an interrupted job can be resumed")

    def end(self, job: Job, status: JobStatus, answer: str | None, error: Exception | None) -> None:
        """Store how a job ended."""
        message = None if error is None else _message(error)
        with self._writing:
            self._jobs.end(job.id, status, answer, job.reason, message, job.elapsed)

    def get(self, job_id: str) -> Job | None:
        """Return a stored job, or None."""
        found = self._jobs.get(job_id)
        return None if found is None or found.game not in KINDS else _read(found)

    def answered(self, job: Job) -> str | None:
        """Return this program's earlier answer to the same request, marked as stored, or None."""
        found = self._jobs.answered(job.game, job.request_data(), now() - _KEPT)
        answer = {} if found is None else json.loads(found)
        return json.dumps({**answer, "stored": True}) if answer.get("program") == kernel_cache.program() else None

    def interrupted(self, client: str) -> list[Job]:
        """Return a client's jobs that can be resumed, newest first."""
        return [_read(found) for found in self._jobs.list(JobStatus.INTERRUPTED, client) if found.game in KINDS]


def _message(error: Exception) -> str:
    """Return the message of an error in a form that clients may see, without the path of the store."""
    if isinstance(error, Refusal):
        error = error.error
    if isinstance(error, BromeliadError) and not isinstance(error, StoreError):
        return str(error)
    return "the store is not available" if isinstance(error, StoreError) else "internal error of the service"


def _stored(job: Job) -> StoredJob:
    ended, request = now(), job.request_data()
    return StoredJob(
        job.id,
        job.client.name,
        job.game,
        request,
        job.deeper,
        job.keep,
        job.status,
        job.answer,
        reason=None,
        error=None,
        elapsed_s=job.elapsed,
        created_at=ended,
        ended_at=ended,
    )


def _read(found: StoredJob) -> Job:
    request = KINDS[found.game].request.model_validate(found.request)
    job = Job(found.id, Client("", found.client), found.game, request, deeper=found.deeper, keep=found.keep)
    error = None if found.error is None else InputError("{problem}", problem=found.error)
    job.restore(JobStatus(found.status), found.answer, error, found.reason, found.elapsed_s)
    return job
