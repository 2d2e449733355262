"""How a game begins: openings near the centre, those of them that are balanced, opening files, and swap2.

An opening file has an opening a line: ``x,y`` offsets from the centre, black and white in turn.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Budget
from bromeliad.errors import InputError
from bromeliad.games.gomoku.player import Answer, Player
from bromeliad.games.gomoku.position import play_cells

__all__ = [
    "balanced_opening",
    "balanced_openings",
    "choose_side",
    "propose_opening",
    "random_opening",
    "read_openings",
    "write_opening",
]

_AROUND = 3  # rows and columns from the centre within which openings are drawn
_BALANCED = 0.2  # value to either side up to which an opening is called balanced
_CLEAR = 0.12  # value from which one side is preferred under swap2
_TRIES = 40
_LOOK = Budget(simulations=1000)  # to find out whether an opening of a match is balanced
_OFFSET = re.compile(r"(-?\d{1,2})\s*,\s*(-?\d{1,2})")


def random_opening(size: int, rng: np.random.Generator, stones: int | None = None) -> list[int]:
    """Return some stones around the centre, two to five unless told otherwise: something else in every game."""
    around = min(_AROUND, size // 2 - 1)
    side = 2 * around + 1
    count = int(rng.integers(2, 6)) if stones is None else stones
    cells: NDArray[np.int64] = rng.choice(side * side, count, replace=False)
    corner = size // 2 - around
    return [int((corner + cell // side) * size + corner + cell % side) for cell in cells]


def balanced_opening(player: Player, rng: np.random.Generator, budget: Budget, stones: int | None = None) -> list[int]:
    """Return a random opening after which neither side is seen to be better; the best of some if none is."""
    best, least = [], np.inf
    for _ in range(_TRIES):
        cells = random_opening(player.game.size, rng, stones)
        answer = player.think(play_cells(player.game, cells), budget)
        if abs(answer.value) < least:
            best, least = cells, abs(answer.value)
        if least <= _BALANCED:
            break
    return best


def balanced_openings(player: Player, seed: int) -> Iterator[list[int]]:
    """Yield balanced openings, drawn by a seed."""
    rng = np.random.default_rng(seed)
    while True:
        yield balanced_opening(player, rng, _LOOK)


def propose_opening(player: Player, rng: np.random.Generator, budget: Budget) -> list[int]:
    """Return the three stones that the first player puts under swap2."""
    return balanced_opening(player, rng, Budget(simulations=min(budget.simulations or 200, 200)), 3)


def choose_side(player: Player, cells: list[int], budget: Budget) -> list[int] | None:
    """Answer three or five stones under swap2.

    Returns
    -------
    list or None
        None to swap colours; one cell to keep them and play there; two cells, after three stones, to let the other
        side choose.
    """
    part = Budget(budget.seconds and budget.seconds / 3, budget.simulations and budget.simulations // 3)
    answer = player.think(play_cells(player.game, cells), part)
    if answer.value < -_CLEAR:
        return None
    if answer.value > _CLEAR or len(cells) > 3:
        return [answer.best]
    return _two_stones(player, cells, answer, part)


def _two_stones(player: Player, cells: list[int], answer: Answer, part: Budget) -> list[int]:
    """Return a white and a black stone after which the position is as even as it gets."""
    first = answer.best
    reply = player.think(play_cells(player.game, [*cells, first]), part)
    even = min(reply.candidates, key=lambda candidate: abs(candidate.value) if candidate.visits else np.inf)
    return [first, even.cell]


def read_openings(path: Path, size: int) -> list[list[int]]:
    """Read an opening file.

    Raises
    ------
    InputError
        If a line has something else than offsets, or one that is off the board or repeated; or if no line has any.
    """
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


def write_opening(cells: list[int], size: int) -> str:
    """Write an opening as a line of an opening file."""
    centre = size // 2
    return ", ".join(f"{cell % size - centre},{cell // size - centre}" for cell in cells)
