"""All games by name, loaded on first use. Other packages add games through the entry points ``bromeliad.games``."""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from bromeliad.errors import InputError

if TYPE_CHECKING:
    from bromeliad.core.game import Game
    from bromeliad.core.playable import Playable

_LOCATIONS = {
    "ofc": "bromeliad.storage.playable:OfcPlayable",
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
    """Return the names of all games, those of this package first."""
    return tuple(_locations())


@cache
def playable(name: str) -> "Playable":
    """Return a game by name, for the interfaces.

    An entry point names a subclass of :class:`~bromeliad.core.playable.TurnGame`, or a class that implements
    :class:`~bromeliad.core.game.Game`, which is then played by the search. Raise InputError if there is no such game,
    or its class cannot be loaded.
    """
    if name not in _locations():
        raise InputError("there is no game {name}; games: {games}", name=name, games=", ".join(names()))
    module, _, attribute = _locations()[name].partition(":")
    from bromeliad.core.playable import Playable, TurnGame

    try:
        found = getattr(import_module(module), attribute)()
        if isinstance(found, Playable if name in OWN else TurnGame):
            return found
        from bromeliad.search.playable import SearchedGame

        return SearchedGame(name, found)
    except Exception as error:  # whatever another package does wrong, the other games are still served
        raise InputError("the game {name} cannot be loaded: {problem}", name=name, problem=error) from error


def get(name: str) -> "Game":
    """Return a game by name, for the search, with its default rules."""
    return playable(name).game()
