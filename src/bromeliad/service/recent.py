"""Games in memory: those that were asked for last; others are read from the store again."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Memory"]

T = TypeVar("T")
_KEPT = 200


class Memory(Generic[T]):
    """The things that were used last, by their ids; safe from any thread.

    Parameters
    ----------
    load
        Reads a thing that is not in memory, or raises that there is none.
    """

    def __init__(self, load: Callable[[str], T]) -> None:
        self._load = load
        self._lock = Lock()
        self._things: OrderedDict[str, T] = OrderedDict()

    def add(self, name: str, thing: T) -> None:
        """Keep a new thing."""
        with self._lock:
            self._things[name] = thing

    def find(self, name: str) -> T:
        """Return a thing: always the same one while it is in memory."""
        with self._lock:
            thing = self._things[name] if name in self._things else self._load(name)
            self._things[name] = thing
            self._things.move_to_end(name)
            while len(self._things) > _KEPT:
                self._things.popitem(last=False)
        return thing
