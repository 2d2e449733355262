"""The threads that compute: everything that takes time goes through one fair queue."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from bromeliad.service.jobs.fairness import FairQueue, Work

__all__ = ["LOG", "Workers"]

LOG = logging.getLogger("bromeliad.service")
T = TypeVar("T")


class Workers:
    """So many threads, and the queue before them."""

    def __init__(self, count: int) -> None:
        self.queue = FairQueue()
        self._threads = [Thread(target=self._work, name=f"worker-{i}", daemon=True) for i in range(count)]

    def start(self) -> None:
        """Begin to work."""
        for thread in self._threads:
            thread.start()

    def compute(self, client: str, function: Callable[[], T]) -> "Future[T]":
        """Let a function be called when its client's turn comes."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function())
            except Exception as error:  # whoever asked gets it
                future.set_exception(error)

        self.queue.put(Work(client, run))
        return future

    def close(self, patience: float) -> None:
        """Let what is under way end, and take nothing more."""
        self.queue.close()
        for thread in self._threads:
            thread.join(patience)

    def _work(self) -> None:
        while (work := self.queue.take()) is not None:
            try:
                work.run()
            except Exception:
                LOG.exception("a worker failed")
            finally:
                self.queue.done(work)
