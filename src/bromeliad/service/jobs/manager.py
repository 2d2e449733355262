"""Accepts, runs and ends all jobs of a service, and notifies those who follow a job."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any

from cachetools import FIFOCache, LRUCache
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from bromeliad.core.budget import Cancel
from bromeliad.core.playable import Context
from bromeliad.errors import BromeliadError, InputError, NotStoredError, PhaseError, StoreError
from bromeliad.service.clients import Client
from bromeliad.service.jobs.archive import Archive
from bromeliad.service.jobs.job import Job, JobStatus
from bromeliad.service.jobs.warming import Warmer
from bromeliad.service.jobs.workers import LOG, Work, Workers
from bromeliad.service.kinds.catalogue import KINDS
from bromeliad.service.kinds.kind import Body, Task
from bromeliad.service.metrics import Metrics
from bromeliad.service.problems import Refusal
from bromeliad.service.settings import Settings

if TYPE_CHECKING:
    from bromeliad.storage import Store

_KEPT = 200  # ended jobs in memory; older ones are read from the store
_KNOWN = 2000  # exact answers in memory
_PAUSE = 0.1  # seconds between two progress events of a job, at least


class Notifier:
    """Passes news of jobs from worker threads to the event loop on which it was created."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._listeners: dict[str, set[asyncio.Event]] = {}

    def notify(self, job: Job) -> None:
        """Wake the followers of a job; may be called from any thread."""
        if job.id in self._listeners and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, job.id)

    def _wake(self, job_id: str) -> None:
        for event in self._listeners.get(job_id, ()):
            event.set()

    async def follow(self, job: Job) -> AsyncIterator[None]:
        """Yield at once, and again whenever there is news, until the job has ended."""
        news = asyncio.Event()
        self._listeners.setdefault(job.id, set()).add(news)
        job.attach()
        try:
            while not job.has_ended:
                news.clear()
                yield
                if not job.has_ended:
                    await news.wait()
                if not job.has_ended:
                    await asyncio.sleep(_PAUSE)
        finally:
            job.detach()
            mine = self._listeners[job.id]
            mine.discard(news)
            if not mine:
                del self._listeners[job.id]


class JobManager:
    """All jobs of a service; must be created on its event loop."""

    def __init__(self, settings: Settings, store: "Store", workers: Workers, warmer: Warmer, metrics: Metrics) -> None:
        self._settings, self._store, self._workers, self._warmer = settings, store, workers, warmer
        self._metrics, self._notifier = metrics, Notifier()
        self._archive = Archive(store)
        self._lock = Lock()
        self._active: dict[str, tuple[Job, Work]] = {}
        self._ended: FIFOCache[str, Job] = FIFOCache(_KEPT)
        self._known: LRUCache[str, str] = LRUCache(_KNOWN)  # exact answers of the store by their question
        self._closing = False
        self._archive.open()
        metrics.count_jobs_now = self.counts

    async def ask(self, client: Client, game: str, body: Body, request: Any) -> Job:
        """Return a job that has ended if its exact answer is in memory, else add one."""
        with self._lock:
            answer = self._known.get(_question(game, request))
        if answer is None or self._closing:
            return await run_in_threadpool(self.add, client, game, body, request)
        job = Job(secrets.token_urlsafe(12), client, game, request, deeper=body.deeper, keep=body.keep)
        job.start()
        self._let_end(job, JobStatus.COMPLETED, answer)
        with _logging(job):
            await self._archive.add_ended(job)
        return job

    def add(self, client: Client, game: str, body: Body, request: Any) -> Job:
        """Check a new job, store it and queue it.

        Raises
        ------
        Refusal, InputError
            If the request is invalid, or too many jobs are waiting.
        """
        task = KINDS[game].check(request, self._settings)
        job = Job(secrets.token_urlsafe(12), client, game, task.request, deeper=body.deeper, keep=body.keep)
        self._queue(job, task, self._archive.add)
        return job

    def resume(self, job_id: str, client: Client) -> Job:
        """Start an interrupted job again, from the beginning."""
        job = self.find(job_id)
        if job.status is not JobStatus.INTERRUPTED:
            raise PhaseError("only an interrupted job can be resumed")
        task = KINDS[job.game].check(job.request, self._settings)
        again = Job(job.id, client, job.game, task.request, deeper=job.deeper, keep=job.keep)
        self._queue(again, task, self._archive.reopen)
        return again

    def _queue(self, job: Job, task: Task, keep: Callable[[Job], None]) -> None:
        self.check_room(job.client)
        if job.keep:
            self._check_kept(job.client)
        job.on_change = self._notifier.notify
        work = Work(job.client, lambda: self._run(job, task))
        keep(job)  # store the job first, so that no accepted job is lost
        with self._lock:
            self._active[job.id] = job, work
        self._workers.queue.put(work)

    def check_room(self, client: Client) -> None:
        """Raise if too many jobs are waiting: of this client, of its address, or in total."""
        queue = self._workers.queue
        own, near = queue.waiting(client.address, client.name), queue.waiting(client.address)
        if own >= self._settings.max_queue_of_client or near >= self._settings.max_queue_of_address:
            raise Refusal(
                HTTPStatus.TOO_MANY_REQUESTS,
                InputError("{count} of your jobs are already waiting: try again later", count=max(own, near)),
            )
        if queue.waiting() >= self._settings.max_queue or self._closing:
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, InputError("the service is too busy: try again later"))

    def _check_kept(self, client: Client) -> None:
        """Raise if too many unfinished jobs would continue without their clients."""
        with self._lock:
            kept = [job.client.address for job, _ in self._active.values() if job.keep]
        if kept.count(client.address) >= self._settings.max_kept_of_address or len(kept) >= self._settings.max_kept:
            raise Refusal(
                HTTPStatus.TOO_MANY_REQUESTS,
                InputError("too many jobs with `keep` are unfinished: try again later, or leave out `keep`"),
            )

    def known(self, job_id: str) -> Job | None:
        """Return a job if it is in memory."""
        active = self._active.get(job_id)
        return active[0] if active else self._ended.get(job_id)

    def find(self, job_id: str) -> Job:
        """Return a job, from the store if it is not in memory; raise if there is none."""
        job = self.known(job_id) or self._archive.get(job_id)
        if job is None:
            raise NotStoredError("there is no job {id}", id=job_id[:40])
        job.touch()
        return job

    def list(self, client: Client) -> list[Job]:
        """Return a client's jobs, newest first, then its interrupted ones; none for a client without a name."""
        if not client.name:
            return []
        with self._lock:
            own = [job for job, _ in self._active.values()] + list(self._ended.values())
        mine = [job for job in own if job.client.name == client.name]
        for job in mine:
            job.touch()
        return mine[::-1] + self._archive.interrupted(client.name)

    def position(self, job: Job) -> int | None:
        """Return a job's position in the queue, from 1; None if it is not waiting."""
        active = self._active.get(job.id)
        return self._workers.queue.position(active[1]) if active else None

    def counts(self) -> tuple[int, int]:
        """Return the numbers of running and waiting jobs."""
        return self._workers.queue.running(), self._workers.queue.waiting()

    def follow(self, job: Job) -> AsyncIterator[None]:
        """Yield at once, and again whenever a job has news, until it has ended."""
        return self._notifier.follow(job)

    def cancel(self, job: Job, reason: str = "cancelled") -> None:
        """End a job: a waiting or interrupted one at once, a running one with its best answer so far."""
        active = self._active.get(job.id)
        if active is None:
            if job.status is JobStatus.INTERRUPTED and not self._closing:
                job.stop(reason)
                self._end(job, JobStatus.ABORTED)
            return
        job.stop(reason)
        if self._workers.queue.remove(active[1]):
            self._end(job, JobStatus.ABORTED)

    def sweep(self) -> None:
        """Cancel the jobs whose clients have gone."""
        with self._lock:
            active = [job for job, _ in self._active.values()]
        for job in active:
            if job.is_abandoned(self._settings.away_seconds, self._settings.unasked_seconds):
                self.cancel(job, "client gone")

    def close(self) -> None:
        """End all jobs; the store keeps them as interrupted, to be resumed after the next start."""
        self._closing = True
        with self._lock:
            active = [job for job, _ in self._active.values()]
        for job in active:
            self.cancel(job, "shutdown")

    def _run(self, job: Job, task: Task) -> None:
        """Run a job on a worker thread."""
        job.start()
        try:
            answer = self._answer(job, task)
        except (BromeliadError, Refusal) as error:
            self._end(job, JobStatus.ABORTED, error=None if job.is_stopped() else error)
        except Exception as error:  # a bug: the client sees an internal error, and the worker continues
            LOG.exception("job %s failed", job.id)
            self._end(job, JobStatus.ABORTED, error=error)
        else:
            whole = job.reason in (None, "time limit")
            self._end(job, JobStatus.COMPLETED if whole else JobStatus.ABORTED, answer)

    def _answer(self, job: Job, task: Task) -> str:
        kind = KINDS[job.game]
        if kind.keeps_answers and not job.deeper:
            with suppress(StoreError):  # a failing store costs only time
                if known := self._archive.answered(job):
                    return known
        limit = kind.time_factor * self._settings.max_time
        deadline = time.monotonic() + limit

        def ready(names: Sequence[str]) -> None:
            nonlocal deadline
            if not self._warmer.wait(names, job.is_stopped):
                raise PhaseError("the job was cancelled")
            job.start_clock()
            deadline = time.monotonic() + limit

        def cancelled() -> bool:
            if time.monotonic() > deadline:
                job.stop("time limit")
            return job.is_stopped()

        answer = task.run(Context(job.report, Cancel(cancelled), ready, lambda: self._store, job.deeper))
        if kind.is_final(answer):
            with self._lock:
                self._known[_question(job.game, job.request)] = answer
        return answer

    def _end(self, job: Job, status: JobStatus, answer: str | None = None, error: Exception | None = None) -> None:
        if job.reason == "shutdown":
            status = JobStatus.INTERRUPTED
        else:
            with _logging(job):
                self._archive.end(job, status, answer, error)
        self._let_end(job, status, answer, error)

    def _let_end(self, job: Job, status: JobStatus, answer: str | None, error: Exception | None = None) -> None:
        with self._lock:
            self._active.pop(job.id, None)
            self._ended[job.id] = job
        job.end(status, answer, error)
        self._metrics.count_job(status, job.elapsed)


def _question(game: str, request: BaseModel) -> str:
    return f"{game} {request.model_dump_json()}"


@contextmanager
def _logging(job: Job) -> Iterator[None]:
    """Log it if the end of a job cannot be stored, so that the client still gets the answer."""
    try:
        yield
    except StoreError:
        LOG.exception("the end of job %s was not kept", job.id)
