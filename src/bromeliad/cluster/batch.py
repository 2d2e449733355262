"""A whole job: many items, the executor that does them, and the checkpoint that keeps the finished ones."""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any

from bromeliad.cluster.checkpoint import Checkpoint
from bromeliad.cluster.executor import Executor


class Batch:
    """What a job is done with: an executor, and a checkpoint if it is to be resumable.

    Parameters
    ----------
    executor
        By default the process itself, one item at a time.
    """

    def __init__(self, executor: Executor | None = None, checkpoint: Checkpoint | None = None) -> None:
        self._executor = executor or Executor()
        self._checkpoint = checkpoint
        self._name = ""  # before all keys

    def part(self, name: str) -> "Batch":
        """Return a part of the job, whose keys may be those of other parts."""
        part = copy(self)
        part._name = f"{self._name}{name}: "
        return part

    @property
    def workers(self) -> int:
        """How many items are done at once."""
        return self._executor.workers

    def unordered(
        self,
        function: Callable[[Any], Any],
        items: Iterable[tuple[str, Any]],
        warm: Iterable[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[str, Any]]:
        """Yield keys and results as :meth:`.Executor.map_unordered` does."""
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
        """Return what ``make`` returned when the job was begun: a run that goes on does not ask again."""
        if self._checkpoint is None:
            return make()
        key = self._name + key
        with self._checkpoint.writing() as checkpoint:
            if key not in checkpoint:
                checkpoint.add(key, json.dumps(make()))
            return checkpoint.get(key)
