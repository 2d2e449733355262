"""News of jobs, from the threads that compute to the event loop that streams."""

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

from bromeliad.service.jobs.job import Job

__all__ = ["Event", "Notifier"]

_PAUSE = 0.1  # seconds, at least, between two reports of a job's progress


class Event(NamedTuple):
    """One event of a stream: its name and its data as JSON."""

    name: str
    data: str


class Notifier:
    """Wakes whoever listens to a job. Made on the event loop; may be rung from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._listeners: dict[str, set[asyncio.Event]] = {}

    def ring(self, job: Job) -> None:
        """Say that there is news of a job."""
        if job.id in self._listeners and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, job.id)

    def _wake(self, job_id: str) -> None:
        for event in self._listeners.get(job_id, ()):
            event.set()

    async def follow(self, job: Job) -> AsyncIterator[None]:
        """Yield at once, and then when there is news, until the job has ended."""
        news = asyncio.Event()
        self._listeners.setdefault(job.id, set()).add(news)
        job.attach()
        try:
            while not job.finished.is_set():
                news.clear()
                yield
                if not job.finished.is_set():
                    await news.wait()
                if not job.finished.is_set():
                    await asyncio.sleep(_PAUSE)
        finally:
            job.detach()
            mine = self._listeners[job.id]
            mine.discard(news)
            if not mine:
                del self._listeners[job.id]
