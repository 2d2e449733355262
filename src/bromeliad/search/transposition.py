"""The transposition table: values of positions, wherever they occur in the tree.

A leaf whose position occurs elsewhere takes the mean from there instead of a playout. (Childs, Brodeur & Kocsis,
"Transpositions and move groups in Monte Carlo tree search", CIG 2008, compare ways to go further.)

The table has a fixed number of slots in buckets of four. A new position replaces the least visited one of its bucket,
positions of earlier searches first. Threads share the table. Each slot has a lock, which keeps sums consistent; threads
try it but never wait for it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats, atomic_add, compare_and_swap, int64, kernel, store_release

BUCKET = 4

# Places in `Table.counters`:
PROBES = 0
HITS = 1
STORES = 2
REPLACED = 3
SKIPPED = 4  # another thread held the lock
AGE = 5  # number of the current search

_HASH = np.uint64(0x9E3779B97F4A7C15)
_32 = np.uint64(32)


# Columns of `Table.slots`:
KEY = 0  # 0 = empty
VISITS = 1
WRITTEN = 2  # number of the last search that wrote the slot
LOCK = 3  # 1 while a thread reads or writes the slot


class Table(NamedTuple):
    """A transposition table; a single slot if it is switched off."""

    slots: NDArray[np.int64]
    values: NDArray[np.float64]  # per slot and player: sum of values
    counters: NDArray[np.int64]


class TableStatistics(NamedTuple):
    """Usage statistics of a transposition table."""

    slots: int
    probes: int
    hits: int
    stores: int
    replaced: int
    skipped: int

    @property
    def hit_rate(self) -> float:
        """Share of probes that found their position."""
        return self.hits / self.probes if self.probes else 0.0


def new_table(budget: int, players: int) -> Table:
    """Allocate a table of at most ``budget`` bytes; 0 for a table that is switched off."""
    slot_bytes = 4 * 8 + 8 * players
    fitting = max(budget - 64, 0) // slot_bytes
    slots = 1 << fitting.bit_length() - 1 if fitting >= BUCKET else 1
    return Table(
        slots=np.zeros((slots, 4), np.int64), values=np.zeros((slots, players)), counters=np.zeros(8, np.int64)
    )


def new_age(table: Table) -> None:
    """Begin a new search: ignore all earlier values and reset the counters.

    Values of an earlier search may come from other rules or another opponent model. Their slots are overwritten first.
    """
    table.counters[:AGE] = 0
    table.counters[AGE] += 1


def read_statistics(table: Table) -> TableStatistics:
    """Return the usage statistics of the current search."""
    return TableStatistics(table.slots.shape[0], *(int(count) for count in table.counters[:AGE]))


@kernel(inline=True, internal=True)
def _bucket(table: Table, key: int) -> int:
    word = np.uint64(int64(key)) * _HASH
    return int64((word >> _32) & np.uint64(table.slots.shape[0] - 1)) & ~int64(BUCKET - 1)


@kernel(internal=True)
def table_read(table: Table, key: int, enough: int, values: Floats) -> bool:
    """Write each player's mean for a position into ``values`` if it has ``enough`` visits; return whether it has."""
    atomic_add(table.counters, PROBES, int64(1))
    start = _bucket(table, key)
    for slot in range(start, start + BUCKET):
        if table.slots[slot, KEY] != key or table.slots[slot, WRITTEN] != table.counters[AGE]:
            continue
        if not compare_and_swap(table.slots[slot], LOCK, int64(0), int64(1)):
            return False
        found = table.slots[slot, KEY] == key and table.slots[slot, VISITS] >= enough
        if found:
            for player in range(values.size):
                values[player] = table.values[slot, player] / table.slots[slot, VISITS]
            atomic_add(table.counters, HITS, int64(1))
        store_release(table.slots[slot], LOCK, int64(0))
        return found
    return False


@kernel(internal=True)
def _choose_slot(table: Table, key: int) -> int:
    """Return the slot of the position, or the slot to replace."""
    start = _bucket(table, key)
    chosen = start
    least = int64(2**62)
    for slot in range(start, start + BUCKET):
        current = table.slots[slot, WRITTEN] == table.counters[AGE]
        if table.slots[slot, KEY] == key and current:
            return slot
        worth = table.slots[slot, VISITS] if current else int64(-1)
        if worth < least:
            least = worth
            chosen = slot
    return chosen


@kernel(internal=True)
def table_add(table: Table, key: int, sums: Floats, row: int, weight: int) -> None:
    """Add the values of ``weight`` playouts, from a row of ``Scratch.sums``, to a position."""
    slot = _choose_slot(table, key)
    if not compare_and_swap(table.slots[slot], LOCK, int64(0), int64(1)):
        atomic_add(table.counters, SKIPPED, int64(1))
        return
    age = table.counters[AGE]
    if table.slots[slot, KEY] != key or table.slots[slot, WRITTEN] != age:
        if table.slots[slot, WRITTEN] == age:
            atomic_add(table.counters, REPLACED, int64(1))
        atomic_add(table.counters, STORES, int64(1))
        table.slots[slot, KEY] = key
        table.slots[slot, WRITTEN] = age
        table.slots[slot, VISITS] = 0
        for player in range(table.values.shape[1]):
            table.values[slot, player] = 0.0
    table.slots[slot, VISITS] += weight
    for player in range(table.values.shape[1]):
        table.values[slot, player] += sums[row, player]
    store_release(table.slots[slot], LOCK, int64(0))
