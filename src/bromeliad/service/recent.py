"""Recently used games in memory; others are read from the store again."""

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
    """A thing in memory that must agree with the store."""

    lock: RLock = field(default_factory=RLock)
    lost: bool = False  # a change of it was not stored: it is read from the store again


T = TypeVar("T", bound=Stored)


class Recent(Generic[T]):
    """The most recently used things by id; thread-safe. ``load`` reads one that is not in memory, or raises."""

    def __init__(self, load: Callable[[str], T]) -> None:
        self._load = load
        self._lock = Lock()
        self._things: LRUCache[str, T] = LRUCache(_KEPT)

    def add(self, name: str, thing: T) -> None:
        """Keep a new thing."""
        with self._lock:
            self._things[name] = thing

    def forget(self, name: str) -> None:
        """Forget a thing; it is read again when it is next asked for."""
        with self._lock:
            self._things.pop(name, None)

    def find(self, name: str) -> T:
        """Return a thing; the same object while it is in memory."""
        with self._lock:
            if name not in self._things:
                self._things[name] = self._load(name)
            return self._things[name]

    @contextmanager
    def changing(self, name: str, thing: T, store: Callable[[], None]) -> Iterator[None]:
        """Lock a thing for a change, then call ``store``, even if the change fails half way.

        If that fails, memory is ahead of the store: the thing is forgotten, and other waiting changes fail.

        Raises
        ------
        StoreError
            If the thing cannot be stored, or an earlier change of it could not.
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
