"""Heaps in preallocated arrays: the middles still to search, and the best boards so far."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats, Ints, kernel
from bromeliad.games.ofc.fantasyland.rows import BACK, MIDDLE, TOP


class Found(NamedTuple):
    """The best boards so far: a heap with the worst of them at its root."""

    value: NDArray[np.float64]  # in points, with the tie-break
    slot: NDArray[np.int64]  # index into boards
    boards: NDArray[np.int64]  # [slot, row] card masks
    size: NDArray[np.int64]  # [0] number of boards


@kernel(internal=True)
def sift_down(keys: Floats, items: Ints, at: int, size: int) -> None:
    """Move the entry at ``at`` down until no entry below it has a smaller key."""
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[at] <= keys[child]:
            return
        keys[at], keys[child] = keys[child], keys[at]
        items[at], items[child] = items[child], items[at]
        at = child


@kernel(inline=True)
def make_heap(keys: Floats, items: Ints, size: int) -> None:
    """Make the first ``size`` entries a heap with the smallest key at the root."""
    for at in range(size // 2 - 1, -1, -1):
        sift_down(keys, items, at, size)


@kernel(internal=True)
def worst_kept(found: Found) -> float:
    """Return the value that a board must beat to be kept."""
    return found.value[0] if found.size[0] == len(found.value) else -np.inf


@kernel(internal=True)
def keep_board(found: Found, value: float, top: int, middle: int, back: int) -> None:
    """Keep a board that beats the worst one kept, which it replaces if the heap is full."""
    count = found.size[0]
    at = count if count < len(found.value) else 0
    if at == count:
        found.slot[at] = at
        found.size[0] = count + 1
    found.value[at] = value
    board = found.boards[found.slot[at]]
    board[TOP], board[MIDDLE], board[BACK] = top, middle, back
    if found.size[0] == len(found.value):
        if at == count:
            make_heap(found.value, found.slot, len(found.value))
        else:
            sift_down(found.value, found.slot, 0, len(found.value))
