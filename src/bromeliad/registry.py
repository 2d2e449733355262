"""The games by name, loaded when asked for. Packages add theirs through the entry point group ``bromeliad.games``."""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from bromeliad.core.game import Game
from bromeliad.errors import InputError

__all__ = ["get", "names"]

_OWN = {
    "ofc": "bromeliad.games.ofc.game:OfcGame",
    "gomoku": "bromeliad.games.gomoku.game:Gomoku",
    "sequence": "bromeliad.games.sequence.game:Sequence",
}


@cache
def _locations() -> dict[str, str]:
    return {entry.name: entry.value for entry in entry_points(group="bromeliad.games")} | _OWN


def names() -> tuple[str, ...]:
    """Return the names of all games."""
    return tuple(_locations())


@cache
def get(name: str) -> Game:
    """Return a game by name, with its default rules."""
    if name not in _locations():
        raise InputError("there is no game {name}; games: {games}", name=name, games=", ".join(names()))
    module, _, attribute = _locations()[name].partition(":")
    return cast(Game, getattr(import_module(module), attribute)())
