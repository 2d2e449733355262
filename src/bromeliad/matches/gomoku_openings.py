"""Openings of a match: from a file, or balanced ones that are drawn by a seed."""

from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from bromeliad.core.budget import Budget
from bromeliad.errors import InputError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.openings import balanced_opening, read_openings
from bromeliad.games.gomoku.player import Player

__all__ = ["match_openings"]

_BUDGET = Budget(simulations=1000)


def match_openings(game: Gomoku, path: Path | None, count: int, seed: int) -> Iterator[list[int]]:
    """Return so many openings: those of a file, again from its beginning if it has fewer, or drawn ones."""
    if path is None:
        return _drawn(game, count, seed)
    found = read_openings(path, game.size)
    if not found:
        raise InputError("{path} has no opening", path=path)
    return islice(cycle(found), count)


def _drawn(game: Gomoku, count: int, seed: int) -> Iterator[list[int]]:
    rng = np.random.default_rng(seed)
    player = Player(game, seed=seed)
    for _ in range(count):
        yield balanced_opening(player, rng, _BUDGET)
