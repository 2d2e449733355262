"""Games in memory: those that were asked for last; others are read from the store again."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

T = TypeVar("T")
_KEPT = 200


class Recent(Generic[T]):
    """The things that were used last, by their ids; safe from any thread.

    Parameters
    ----------
    load
        Reads a thing that is not in memory, or raises that there is none.
    """

    def __init__(self, load: Callable[[str], T]) -> None:
        self._load = load
        self._lock = Lock()
        self._things: LRUCache[str, T] = LRUCache(_KEPT)

    def add(self, name: str, thing: T) -> None:
        """Keep a new thing."""
        with self._lock:
            self._things[name] = thing

    def find(self, name: str) -> T:
        """Return a thing: always the same one while it is in memory."""
        with self._lock:
            if name not in self._things:
                self._things[name] = self._load(name)
            return self._things[name]
