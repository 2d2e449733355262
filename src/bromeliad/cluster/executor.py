"""Many independent items on local processes or a Ray cluster: streamed, retried, saved in a checkpoint."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from typing import Any, NamedTuple, Protocol

from bromeliad.cluster.checkpoint import Checkpoint
from bromeliad.cluster.work import Outcome, Work, run_item
from bromeliad.core.machine import cores
from bromeliad.errors import BromeliadError

AHEAD = 2  # tasks per worker: a running and a waiting one
_TRIES = 3  # starts of an item whose workers die
_LOOK_SECONDS = 0.2  # between two checks of whether to stop


class Task(NamedTuple):
    """An item to be done."""

    key: str
    item: Any
    losses: int = 0  # workers that died with it


class Done(NamedTuple):
    """A task that has ended."""

    task: Task
    outcome: Outcome | None  # None: its worker died


class Pool(Protocol):
    """Workers. Tasks of a dead worker end without an outcome."""

    workers: int

    def start(self, work: Work) -> None:
        """Start preparing workers for this work."""

    def has_room(self, task: Task) -> bool:
        """Return whether a task can be submitted now; a task whose worker died before runs alone."""

    def submit(self, work: Work, task: Task) -> None:
        """Give a task to a worker."""

    def collect(self, seconds: float) -> list[Done]:
        """Return the tasks that have ended; wait at most ``seconds`` for the first."""

    def abandon(self) -> None:
        """Drop all running tasks."""

    def close(self) -> None:
        """End the workers."""


class _InlinePool:
    """The current process as the only worker, so that no other process has to start."""

    workers = 1

    def __init__(self) -> None:
        self._waiting: tuple[Work, Task] | None = None

    def start(self, work: Work) -> None:
        """Do nothing: this process compiles kernels when it calls them."""

    def has_room(self, task: Task) -> bool:
        """Return whether a task can be submitted now."""
        return self._waiting is None

    def submit(self, work: Work, task: Task) -> None:
        """Take a task, which :meth:`collect` does."""
        self._waiting = work, task

    def collect(self, seconds: float) -> list[Done]:
        """Do the task."""
        if self._waiting is None:
            return []
        work, task = self._waiting
        outcome = run_item(Work(work.function), task.item)
        self._waiting = None
        return [Done(task, outcome)]

    def abandon(self) -> None:
        """Drop a task that was not started."""
        self._waiting = None

    def close(self) -> None:
        """Do nothing: there are no workers."""


class Executor:
    """Does items of work on a pool, by default this process; made by :func:`open_executor`, a context manager."""

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool: Pool = pool or _InlinePool()

    @property
    def workers(self) -> int:
        """The number of items done at once."""
        return self._pool.workers

    def map_unordered(
        self,
        function: Callable[[Any], Any],
        items: Iterable[tuple[str, Any]],
        *,
        warm: Iterable[str] = (),
        checkpoint: Checkpoint | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[str, Any]]:
        """Yield ``(key, function(item))`` for every ``(key, item)``, in any order, each exactly once.

        Parameters
        ----------
        function
            A top-level function. Its result is plain JSON data; tuples are returned as lists.
        items
            Keys are unique, and items can be pickled. They are read a few at a time.
        warm
            The modules whose kernels the function needs.
        checkpoint
            Its items are not done again; finished items are added to it before they are yielded.
        cancelled
            Called several times per second; once it returns True, the work ends.
        """
        work = Work(function, tuple(warm))
        opened: AbstractContextManager[object] = nullcontext() if checkpoint is None else checkpoint.writing()
        with opened:
            try:
                yield from self._stream(work, iter(items), checkpoint, cancelled)
            finally:
                self._pool.abandon()

    def _stream(
        self, work: Work, items: Iterator[tuple[str, Any]], checkpoint: Checkpoint | None, cancelled: Callable[[], bool]
    ) -> Iterator[tuple[str, Any]]:
        again: list[Task] = []
        under_way, started = 0, False
        task: Task | None = None
        while not cancelled():
            task = task or (again.pop() if again else next((Task(*item) for item in items), None))
            if task is None and not under_way:
                return
            if task is not None and checkpoint is not None and task.key in checkpoint:
                yield task.key, checkpoint.get(task.key)
                task = None
                continue
            if not started:
                self._pool.start(work)
                started = True
            if task is not None and self._pool.has_room(task):
                self._pool.submit(work, task)
                under_way += 1
                task = None
                continue
            for done in self._pool.collect(_LOOK_SECONDS):
                under_way -= 1
                if done.outcome is None:
                    again.append(_once_more(done.task))
                else:
                    yield done.task.key, _result(done.task.key, done.outcome, checkpoint)

    def close(self) -> None:
        """End the workers."""
        self._pool.close()

    def __enter__(self) -> "Executor":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _once_more(task: Task) -> Task:
    """Return a task whose worker died; raise if that has happened too often."""
    if task.losses + 1 == _TRIES:
        raise BromeliadError(
            "item {key} was tried {tries} times, and each time its worker died (out of memory, or killed)",
            key=task.key,
            tries=_TRIES,
        )
    return task._replace(losses=task.losses + 1)


def _result(key: str, outcome: Outcome, checkpoint: Checkpoint | None) -> Any:
    if outcome.error is not None:
        raise outcome.error
    if checkpoint is not None:
        checkpoint.add(key, outcome.text)
    return json.loads(outcome.text)


class Batch:
    """An executor, by default this process, and a checkpoint if the job is resumable."""

    def __init__(self, executor: Executor | None = None, checkpoint: Checkpoint | None = None) -> None:
        self._executor = executor or Executor()
        self._checkpoint = checkpoint
        self._name = ""  # prefix of all keys

    def part(self, name: str) -> "Batch":
        """Return a part of the job; parts may use the same keys."""
        part = copy(self)
        part._name = f"{self._name}{name}: "
        return part

    @property
    def workers(self) -> int:
        """The number of items done at once."""
        return self._executor.workers

    def unordered(
        self,
        function: Callable[[Any], Any],
        items: Iterable[tuple[str, Any]],
        warm: Iterable[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[str, Any]]:
        """Yield keys and results in any order (:meth:`.Executor.map_unordered`)."""
        named = ((self._name + key, item) for key, item in items)
        for key, result in self._executor.map_unordered(
            function, named, warm=warm, checkpoint=self._checkpoint, cancelled=cancelled
        ):
            yield key.removeprefix(self._name), result

    def ordered(
        self,
        function: Callable[[Any], Any],
        items: Iterable[tuple[str, Any]],
        warm: Iterable[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[Any]:
        """Yield the results in the order of the items; early results wait for late ones."""
        order: deque[str] = deque()
        early: dict[str, Any] = {}

        def noted() -> Iterator[tuple[str, Any]]:
            for key, item in items:
                order.append(key)
                yield key, item

        for key, result in self.unordered(function, noted(), warm, cancelled):
            early[key] = result
            while order and order[0] in early:
                yield early.pop(order.popleft())

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Return ``make()``; a resumed run returns the value of the first run."""
        if self._checkpoint is None:
            return make()
        key = self._name + key
        with self._checkpoint.writing() as checkpoint:
            if key not in checkpoint:
                checkpoint.add(key, json.dumps(make()))
            return checkpoint.get(key)


def open_executor(
    cluster: str = "local",
    workers: int | None = None,
    on_start: Callable[[int, int], None] = lambda ready, wanted: None,
) -> Executor:
    """Return an executor; use it as a context manager.

    Parameters
    ----------
    cluster
        ``local`` for processes of this machine, ``auto`` for the Ray cluster of this machine, or the HOST:PORT of
        another cluster's head.
    workers
        The number of items done at once, by default one per core. A single local worker is this process.
    on_start
        Called while workers start, with the number of ready workers and the number of all workers.
    """
    if cluster != "local":
        from bromeliad.cluster.ray_pool import RayPool

        return Executor(RayPool(cluster, workers, on_start))
    count = workers or cores()
    if count == 1:
        return Executor()
    from bromeliad.cluster.local import LocalPool

    return Executor(LocalPool(count, on_start))
