"""Caches with a budget: least recently used goes first, and where asked for, nothing outlives its time."""

import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

from bromeliad.errors import InputError

__all__ = ["ACTION_ITEMS", "EXPIRY_SECONDS", "MAX_BYTES", "STATE_ITEMS", "CacheStatistics", "LruCache", "TtlCache"]

ACTION_ITEMS = 10_000
STATE_ITEMS = 5_000
MAX_BYTES = 500 * 2**20
EXPIRY_SECONDS = 300.0

V = TypeVar("V")


class CacheStatistics(NamedTuple):
    """How a cache was used."""

    items: int
    size: int  # bytes
    hits: int
    misses: int
    evicted: int
    expired: int

    @property
    def hit_rate(self) -> float:
        """Share of lookups that found something."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class LruCache(Generic[V]):
    """A mapping that forgets what was not used for longest. Threads may share it.

    Parameters
    ----------
    max_items, max_bytes
        What it never exceeds.
    size_of
        How many bytes a value counts for.
    """

    def __init__(
        self,
        max_items: int = STATE_ITEMS,
        max_bytes: int = MAX_BYTES,
        size_of: Callable[[V], int] = sys.getsizeof,
    ) -> None:
        if max_items < 1 or max_bytes < 1:
            raise InputError("a cache needs room: max_items and max_bytes must be at least 1")
        self.max_items = max_items
        self.max_bytes = max_bytes
        self._size_of = size_of
        self._items: OrderedDict[Hashable, tuple[V, int, float]] = OrderedDict()
        self._lock = threading.Lock()
        self._size = 0
        self._hits = self._misses = self._evicted = self._expired = 0

    def get(self, key: Hashable) -> V | None:
        """Return the value, now the most recently used one, or None."""
        with self._lock:
            found = self._items.get(key)
            if found is not None and self._is_stale(found[2]):
                self._drop(key)
                self._expired += 1
                found = None
            if found is None:
                self._misses += 1
                return None
            self._hits += 1
            self._items.move_to_end(key)
            return found[0]

    def take(self, key: Hashable) -> V | None:
        """Return the value and forget it, so that nobody else gets it; or None."""
        value = self.get(key)
        with self._lock:
            if key in self._items:
                self._drop(key)
        return value

    def put(self, key: Hashable, value: V) -> None:
        """Keep a value; what is larger than the whole budget is not kept."""
        size = self._size_of(value)
        with self._lock:
            if key in self._items:
                self._drop(key)
            if size > self.max_bytes:
                return
            self._items[key] = (value, size, self._now())
            self._size += size
            while len(self._items) > self.max_items or self._size > self.max_bytes:
                self._drop(next(iter(self._items)))
                self._evicted += 1

    def statistics(self) -> CacheStatistics:
        """Return how the cache was used so far."""
        with self._lock:
            return CacheStatistics(len(self._items), self._size, self._hits, self._misses, self._evicted, self._expired)

    def _drop(self, key: Hashable) -> None:
        self._size -= self._items.pop(key)[1]

    def _now(self) -> float:
        return 0.0

    def _is_stale(self, written: float) -> bool:
        return False


class TtlCache(LruCache[V]):
    """An :class:`LruCache` whose values expire.

    Parameters
    ----------
    seconds
        How long a value is believed.
    clock
        A function that returns the time in seconds.
    """

    def __init__(
        self,
        max_items: int = ACTION_ITEMS,
        max_bytes: int = MAX_BYTES,
        size_of: Callable[[V], int] = sys.getsizeof,
        *,
        seconds: float = EXPIRY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(max_items, max_bytes, size_of)
        self.seconds = seconds
        self._clock = clock

    def _now(self) -> float:
        return self._clock()

    def _is_stale(self, written: float) -> bool:
        return self._clock() - written > self.seconds
