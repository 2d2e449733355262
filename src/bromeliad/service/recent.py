"""Recently used games in memory; the others are read from the store when they are needed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Generic, TypeVar

from cachetools import LRUCache

from bromeliad.errors import StoreError

_KEPT = 200


@dataclass(kw_only=True)
class Stored:
    """An object in memory that must agree with the store."""

    lock: RLock = field(default_factory=RLock)
    lost: bool = False  # a change was not stored: the object must be read from the store again


T = TypeVar("T", bound=Stored)


class Recent(Generic[T]):
    """The most recently used objects by id; thread-safe. ``load`` reads an object from the store, or raises."""

    def __init__(self, load: Callable[[str], T]) -> None:
        self._load = load
        self._lock = Lock()
        self._things: LRUCache[str, T] = LRUCache(_KEPT)

    def add(self, name: str, thing: T) -> None:
        """Keep a new object."""
        with self._lock:
            self._things[name] = thing

    def forget(self, name: str) -> None:
        """Remove an object from memory; :meth:`find` will read it from the store."""
        with self._lock:
            self._things.pop(name, None)

    def find(self, name: str) -> T:
        """Return an object, always the same one while it is in memory."""
        with self._lock:
            if name not in self._things:
                self._things[name] = self._load(name)
            return self._things[name]

    @contextmanager
    def changing(self, name: str, thing: T, store: Callable[[], None]) -> Iterator[None]:
        """Lock an object for a change, then call ``store``, even if the change fails halfway.

        If ``store`` fails, memory is ahead of the store: the object is removed, and changes that wait for it fail.

        Raises
        ------
        StoreError
            If this change or an earlier one cannot be stored.
        """
        with thing.lock:
            if thing.lost:
                raise StoreError("an earlier change was not stored: try again")
            try:
                yield
            finally:
                thing.lost = True
                try:
                    store()
                    thing.lost = False
                finally:
                    if thing.lost:
                        self.forget(name)
