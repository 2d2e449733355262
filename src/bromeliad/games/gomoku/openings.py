"""Openings: random and balanced openings near the centre, opening files, and swap2.

An opening file has one opening per line: ``x,y`` offsets from the centre, black and white in turn.
"""

import math
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Budget
from bromeliad.errors import InputError
from bromeliad.games.gomoku.player import Player
from bromeliad.games.gomoku.position import play_cells

_AROUND = 3  # maximum distance of opening stones from the centre, in rows and columns
_BALANCED = 0.2  # maximum value of a balanced opening to either side
_CLEAR = 0.12  # value from which one side is preferred under swap2
_TRIES = 40
_LOOK = Budget(simulations=1000)  # to evaluate one opening of a match
_OFFSET = re.compile(r"(-?\d{1,2})\s*,\s*(-?\d{1,2})")


def random_opening(size: int, rng: np.random.Generator, stones: int | None = None) -> list[int]:
    """Return random stones around the centre; two to five if ``stones`` is None."""
    around = min(_AROUND, size // 2 - 1)
    side = 2 * around + 1
    count = int(rng.integers(2, 6)) if stones is None else stones
    cells: NDArray[np.int64] = rng.choice(side * side, count, replace=False)
    corner = size // 2 - around
    return [int((corner + cell // side) * size + corner + cell % side) for cell in cells]


def balanced_opening(
    player: Player, rng: np.random.Generator, budget: Budget, stones: int | None = None, seconds: float = math.inf
) -> list[int]:
    """Return a random balanced opening, or the most balanced of several tries.

    Each try may cost ``budget``; after ``seconds``, no further try begins.
    """
    end = time.monotonic() + seconds
    best, least = [], math.inf
    for _ in range(_TRIES):
        cells = random_opening(player.game.size, rng, stones)
        answer = player.think(play_cells(player.game, cells), budget)
        if abs(answer.value) < least:
            best, least = cells, abs(answer.value)
        if least <= _BALANCED or time.monotonic() >= end:
            break
    return best


def balanced_openings(player: Player, seed: int) -> Iterator[list[int]]:
    """Yield balanced openings without end, drawn with a seed."""
    rng = np.random.default_rng(seed)
    while True:
        yield balanced_opening(player, rng, _LOOK)


def propose_opening(player: Player, rng: np.random.Generator, seconds: float) -> list[int]:
    """Return the first player's three stones under swap2."""
    return balanced_opening(player, rng, Budget(simulations=200), 3, seconds)


def choose_side(player: Player, cells: list[int], budget: Budget) -> list[int] | None:
    """Choose a colour under swap2, after three or five stones.

    Return None to swap colours, one cell to keep them and play there or, after three stones only, two cells to let the
    opponent choose.
    """
    part = budget.part(1 / 3)
    answer = player.think(play_cells(player.game, cells), part)
    if answer.value < -_CLEAR:
        return None
    if answer.value > _CLEAR or len(cells) > 3:
        return [answer.best]
    reply = player.think(play_cells(player.game, [*cells, answer.best]), part)
    even = min(reply.candidates, key=lambda candidate: abs(candidate.value) if candidate.visits else math.inf)
    return [answer.best, even.cell]


def read_openings(path: Path, size: int) -> list[list[int]]:
    """Read an opening file; raise InputError if a line is not an opening or the file has none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError("{path} cannot be read as an opening file", path=path) from None
    openings = []
    for number, line in enumerate(lines, start=1):
        pairs = _OFFSET.findall(line)
        rest = _OFFSET.sub("", line).replace(",", "").strip()
        cells = [(size // 2 + int(down)) * size + size // 2 + int(right) for right, down in pairs]
        inside = all(0 <= size // 2 + int(part) < size for pair in pairs for part in pair)
        if rest or not inside or len(set(cells)) < len(cells):
            raise InputError(
                "{path}, line {number}: write offsets from the centre as x,y x,y", path=path, number=number
            )
        if cells:
            openings.append(cells)
    if not openings:
        raise InputError("{path} has no opening", path=path)
    return openings
