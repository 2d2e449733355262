"""Many independent items, on processes of this machine or a Ray cluster: streamed, retried, kept in a checkpoint."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from bromeliad.cluster.checkpoint import Checkpoint
from bromeliad.cluster.work import Outcome, Work, run_item
from bromeliad.core.machine import cores
from bromeliad.errors import BromeliadError

TRIES = 3
"""How often an item is begun whose worker dies."""

_LOOK_SECONDS = 0.2  # between two looks at whether to stop


class Task(NamedTuple):
    """An item on its way."""

    key: str
    item: Any
    losses: int = 0  # workers that died with it


class Done(NamedTuple):
    """An item that has come back."""

    task: Task
    outcome: Outcome | None  # None: its worker died


class Pool(Protocol):
    """Workers. What is lost with one of them comes back without an outcome."""

    workers: int

    def start(self, work: Work) -> None:
        """Begin to make workers ready for this work."""

    def has_room(self, task: Task) -> bool:
        """Say whether a task may be handed over now; one that was lost before is done alone."""

    def submit(self, work: Work, task: Task) -> None:
        """Hand a task over."""

    def collect(self, seconds: float) -> list[Done]:
        """Return what has come back, waiting for the first at most so long."""

    def abandon(self) -> None:
        """Let go of whatever is under way."""

    def close(self) -> None:
        """End the workers."""


class _InlinePool:
    """The process itself: for one worker, another process would only cost its start."""

    workers = 1

    def __init__(self) -> None:
        self._waiting: tuple[Work, Task] | None = None

    def start(self, work: Work) -> None:
        """Do nothing: kernels get ready as they are called."""

    def has_room(self, task: Task) -> bool:
        """Say whether a task may be handed over now."""
        return self._waiting is None

    def submit(self, work: Work, task: Task) -> None:
        """Take a task; it is done when its result is asked for."""
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
        """Let go of a task that was not begun."""
        self._waiting = None

    def close(self) -> None:
        """Do nothing: there are no workers."""


class Executor:
    """Does items of work; made by :func:`open_executor`, used as a context manager.

    Parameters
    ----------
    pool
        Who works; by default the process itself, one item at a time.
    """

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool: Pool = pool or _InlinePool()

    @property
    def workers(self) -> int:
        """How many items are done at once."""
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
            A function of a module. Its result is plain JSON data; tuples come back as lists.
        items
            Keys are unique; items are plain data that can be pickled. Taken as they are needed, a few at a time.
        warm
            The warm-ups of the kernels that the function needs.
        checkpoint
            What it holds is not done again; what is finished is added to it before it is yielded.
        cancelled
            Asked several times a second whether to end with what there is.
        """
        work = Work(function, tuple(warm))
        opened: AbstractContextManager[object] = nullcontext() if checkpoint is None else checkpoint.writing()
        with opened:
            try:
                yield from self._stream(work, iter(items), checkpoint, cancelled)
            finally:
                self._pool.abandon()

    def _stream(
        self,
        work: Work,
        items: Iterator[tuple[str, Any]],
        checkpoint: Checkpoint | None,
        cancelled: Callable[[], bool],
    ) -> Iterator[tuple[str, Any]]:
        again: list[Task] = []
        under_way, started = 0, False
        task: Task | None = None
        while not cancelled():
            task = task or (again.pop() if again else _next_task(items))
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _next_task(items: Iterator[tuple[str, Any]]) -> Task | None:
    found = next(items, None)
    return None if found is None else Task(*found)


def _once_more(task: Task) -> Task:
    """Return a task whose worker died, unless that has happened too often."""
    if task.losses + 1 == TRIES:
        raise BromeliadError(
            "item {key} was tried {tries} times, and each time its worker died (out of memory, or killed)",
            key=task.key,
            tries=TRIES,
        )
    return task._replace(losses=task.losses + 1)


def _result(key: str, outcome: Outcome, checkpoint: Checkpoint | None) -> Any:
    if outcome.error is not None:
        raise outcome.error
    if checkpoint is not None:
        checkpoint.add(key, outcome.text)
    return json.loads(outcome.text)


def open_executor(
    cluster: str = "local",
    workers: int | None = None,
    on_start: Callable[[int, int], None] = lambda ready, wanted: None,
) -> Executor:
    """Return an executor; use it as a context manager.

    Parameters
    ----------
    cluster
        ``local`` for processes of this machine, ``auto`` for the Ray cluster that this machine belongs to, or
        the HOST:PORT of another one's head.
    workers
        How many items to do at once; by default one a core, here or in the cluster. One local worker is this process.
    on_start
        Told how many workers are ready, of how many, while they start.
    """
    return Executor(_make_pool(cluster, workers, on_start))


def _make_pool(cluster: str, workers: int | None, on_start: Callable[[int, int], None]) -> Pool:
    if cluster != "local":
        from bromeliad.cluster.ray_pool import RayPool

        return RayPool(cluster, workers, on_start)
    count = workers or cores()
    if count == 1:
        return _InlinePool()
    from bromeliad.cluster.local import LocalPool

    return LocalPool(count, on_start)
