"""Caches with a budget: least recently used values go first, and values may expire."""

import math
import sys
import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

from cachetools import Cache, LRUCache, TTLCache

from bromeliad.errors import InputError

ACTION_ITEMS = 10_000
STATE_ITEMS = 5_000
MAX_BYTES = 500 * 2**20
EXPIRY_SECONDS = 300.0

V = TypeVar("V")


class CacheStatistics(NamedTuple):
    """Usage statistics of a cache."""

    items: int
    size: int  # bytes
    hits: int
    misses: int
    evicted: int
    expired: int

    @property
    def hit_rate(self) -> float:
        """Share of successful look-ups."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class LruCache(Generic[V]):
    """A thread-safe mapping that drops the least recently used values; ``size_of`` returns a value's size in bytes."""

    def __init__(
        self, max_items: int = STATE_ITEMS, max_bytes: int = MAX_BYTES, size_of: Callable[[V], int] = sys.getsizeof
    ) -> None:
        if max_items < 1 or max_bytes < 1:
            raise InputError("max_items and max_bytes of a cache must be at least 1")
        self.max_items = max_items
        self.max_bytes = max_bytes
        self._items: Cache[Hashable, V] = LRUCache(max_bytes, size_of)
        self._lock = threading.Lock()
        self._hits = self._misses = self._evicted = self._expired = 0

    def get(self, key: Hashable) -> V | None:
        """Return the value, which becomes the most recently used one; None if there is none."""
        with self._lock:
            return self._find(key)

    def take(self, key: Hashable) -> V | None:
        """Remove and return the value, so that no other thread gets it; None if there is none."""
        with self._lock:
            value = self._find(key)
            self._items.pop(key, None)
            return value

    def put(self, key: Hashable, value: V) -> None:
        """Store a value, unless it is larger than the whole cache."""
        with self._lock:
            self._expire()
            self._items.pop(key, None)
            before = len(self._items)
            try:
                self._items[key] = value
            except ValueError:
                return
            while len(self._items) > self.max_items:
                self._items.popitem()
            self._evicted += before + 1 - len(self._items)

    def statistics(self) -> CacheStatistics:
        """Return the usage statistics so far."""
        with self._lock:
            size = int(self._items.currsize)
            return CacheStatistics(len(self._items), size, self._hits, self._misses, self._evicted, self._expired)

    def _find(self, key: Hashable) -> V | None:
        self._expire()
        found = self._items.get(key)
        self._hits += found is not None
        self._misses += found is None
        return found

    def _expire(self) -> None:
        """Drop expired values; here values never expire."""


class TtlCache(LruCache[V]):
    """An :class:`LruCache` whose values expire after ``seconds`` of ``clock``."""

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
        last = math.nextafter(seconds, math.inf)  # a value is still valid at the last moment
        self._timed: TTLCache[Hashable, V, float] = TTLCache(max_bytes, last, clock, size_of)
        self._items = self._timed

    def _expire(self) -> None:
        self._expired += len(self._timed.expire())
