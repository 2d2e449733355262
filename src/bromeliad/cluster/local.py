"""Workers on this machine: processes that keep their kernels loaded."""

import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from joblib.externals.loky.process_executor import ProcessPoolExecutor

from bromeliad.cluster.executor import AHEAD, Done, Task
from bromeliad.cluster.work import Outcome, Work, guard, run_item, warm_up

_QUEUED_WITHIN = 2.0  # most seconds until submitted tasks are in the workers' queue


class LocalPool:
    """Processes (loky). If one dies, the current tasks of all processes are lost and done again."""

    def __init__(self, workers: int, on_start: Callable[[int, int], None]) -> None:
        self.workers = workers
        self._on_start = on_start
        self._executor: Any = None
        self._ready: Future[None] | None = None  # until the first worker is warm
        self._tasks: dict[Future[Outcome], Task] = {}
        self._alone = False  # a task that was lost before is running

    def start(self, work: Work) -> None:
        """Compile missing kernels in this process, so that no two processes do; then start the workers."""
        if work.warm:
            from bromeliad.core import kernel_cache

            kernel_cache.ensure(filter(kernel_cache.is_cold, work.warm))
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self.workers, initializer=guard, initargs=(os.getpid(),))
            self._on_start(0, self.workers)
            self._ready = self._executor.submit(warm_up, work)

    def has_room(self, task: Task) -> bool:
        """Return whether a task can be submitted now."""
        if task.losses:
            return not self._tasks
        return not self._alone and len(self._tasks) < AHEAD * self.workers

    def submit(self, work: Work, task: Task) -> None:
        """Give a task to a worker."""
        try:
            self.start(work)
            future = self._executor.submit(run_item, work, task.item)
        except BrokenProcessPool as error:  # a worker died just now
            future = Future()
            future.set_exception(error)
        self._tasks[future] = task
        self._alone = task.losses > 0

    def collect(self, seconds: float) -> list[Done]:
        """Return the tasks that have ended; wait at most ``seconds`` for the first."""
        finished = wait(self._tasks, seconds, FIRST_COMPLETED).done
        if self._ready is not None and self._ready.done():
            self._ready = None
            self._on_start(self.workers, self.workers)
        if any(isinstance(future.exception(), BrokenProcessPool) for future in finished):
            finished = wait(self._tasks).done  # the pool is broken: no task runs any more
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

    def abandon(self) -> None:
        """End busy workers; new ones start when they are needed."""
        if self._tasks:
            self.close()
            self._tasks.clear()

    def close(self) -> None:
        """End the workers."""
        if self._executor is not None:
            self._wait_until_queued()
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = self._ready = None

    def _wait_until_queued(self) -> None:
        """Wait until loky's thread has queued every task; it fails if a task is left during shutdown."""
        give_up_at = time.monotonic() + _QUEUED_WITHIN
        while time.monotonic() < give_up_at and not all(task.running() or task.done() for task in self._tasks):
            time.sleep(0.005)
