"""One worker: the process itself."""

from bromeliad.cluster.executor import Done, Task
from bromeliad.cluster.work import Work, run_item

__all__ = ["InlinePool"]


class InlinePool:
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
