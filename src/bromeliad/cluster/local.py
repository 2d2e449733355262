"""Workers on this machine: processes that keep their kernels warm."""

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from joblib.externals.loky.process_executor import ProcessPoolExecutor

from bromeliad.cluster.executor import Done, Task
from bromeliad.cluster.work import Outcome, Work, guard, run_item, warm_up

_AHEAD = 2
"""Tasks a worker: the one that it does and those that wait for it."""


class LocalPool:
    """Processes (loky); one that dies takes the others' tasks of the moment with it, and all are begun again."""

    def __init__(self, workers: int, on_start: Callable[[int, int], None]) -> None:
        self.workers = workers
        self._on_start = on_start
        self._executor: Any = None
        self._ready: Future[None] | None = None  # until the first worker is warm
        self._tasks: dict[Future[Outcome], Task] = {}
        self._alone = False  # a task that was lost before is under way

    def start(self, work: Work) -> None:
        """Compile here what is cold, so that no two processes do; then start the workers."""
        if work.warm:
            from bromeliad.core import kernel_cache

            kernel_cache.ensure(filter(kernel_cache.is_cold, work.warm))
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self.workers, initializer=guard, initargs=(os.getpid(),))
            self._on_start(0, self.workers)
            self._ready = self._executor.submit(warm_up, work)

    def has_room(self, task: Task) -> bool:
        """Say whether a task may be handed over now."""
        if task.losses:
            return not self._tasks
        return not self._alone and len(self._tasks) < _AHEAD * self.workers

    def submit(self, work: Work, task: Task) -> None:
        """Hand a task over."""
        try:
            self.start(work)
            future = self._executor.submit(run_item, work, task.item)
        except BrokenProcessPool as error:  # a worker died just now
            future = Future()
            future.set_exception(error)
        self._tasks[future] = task
        self._alone = task.losses > 0

    def collect(self, seconds: float) -> list[Done]:
        """Return what has come back, waiting for the first at most so long."""
        finished = wait(self._tasks, seconds, FIRST_COMPLETED).done
        self._tell_ready()
        if any(isinstance(future.exception(), BrokenProcessPool) for future in finished):
            finished = wait(self._tasks).done  # the pool is broken: nothing of it runs any more
            self.close()
        return [self._take(future) for future in finished]

    def _take(self, future: Future[Outcome]) -> Done:
        task = self._tasks.pop(future)
        self._alone = False
        error = future.exception()
        if error is None:
            return Done(task, future.result())
        if isinstance(error, BrokenProcessPool):
            return Done(task, None)
        raise error  # the item or its result could not be sent

    def _tell_ready(self) -> None:
        """Tell once that the workers are at work."""
        if self._ready is not None and self._ready.done():
            self._ready = None
            self._on_start(self.workers, self.workers)

    def abandon(self) -> None:
        """End workers that are at work; others are started when there is some."""
        if self._tasks:
            self._tasks.clear()
            self.close()

    def close(self) -> None:
        """End the workers."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = self._ready = None
