"""The games by name, loaded when asked for. Packages add theirs through the entry point group ``bromeliad.games``."""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from bromeliad.errors import InputError

if TYPE_CHECKING:
    from bromeliad.core.game import Game
    from bromeliad.core.playable import Playable

__all__ = ["OWN", "get", "names", "playable"]

_LOCATIONS = {
    "ofc": "bromeliad.playing.playable:OfcPlayable",
    "gomoku": "bromeliad.games.gomoku.playable:GomokuPlayable",
    "sequence": "bromeliad.games.sequence.playable:SequencePlayable",
}
OWN = tuple(_LOCATIONS)
"""The games of this package."""


@cache
def _locations() -> dict[str, str]:
    return _LOCATIONS | {
        entry.name: entry.value for entry in entry_points(group="bromeliad.games") if entry.name not in OWN
    }


def names() -> tuple[str, ...]:
    """Return the names of all games; those of this package come first."""
    return tuple(_locations())


@cache
def playable(name: str) -> "Playable":
    """Return a game by name, as the interfaces meet it.

    An entry point names a class: that of a :class:`~bromeliad.core.playable.Playable`, or that of a
    :class:`~bromeliad.core.game.Game`, whose positions the search answers.

    Raises
    ------
    InputError
        If there is no such game, or its package does not have what it promises.
    """
    if name not in _locations():
        raise InputError("there is no game {name}; games: {games}", name=name, games=", ".join(names()))
    module, _, attribute = _locations()[name].partition(":")
    try:
        found = getattr(import_module(module), attribute)()
    except (ImportError, AttributeError) as error:
        raise InputError("the game {name} cannot be loaded: {problem}", name=name, problem=error) from error
    from bromeliad.core.playable import Playable

    if isinstance(found, Playable):
        return found
    from bromeliad.search.playable import SearchedGame

    return SearchedGame(name, found)


def get(name: str) -> "Game":
    """Return a game by name for the search, with its usual rules."""
    return playable(name).game()
