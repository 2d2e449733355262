"""A game as it is played at a table: chance by a seed, moves and their taking back."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np

from bromeliad.core.game import CHANCE, Game, apply, clone, legal_actions, outcome, sample_chance, to_play
from bromeliad.core.jit import int64
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError

__all__ = ["Table", "deal_seeds", "list_actions"]

G = TypeVar("G", bound=Game)


def list_actions(game: Game, state: Any) -> list[int]:
    """Return the mover's legal actions, none if nobody is to move."""
    if to_play(state) < 0:
        return []
    actions = np.zeros(game.info.max_actions, np.int64)
    return [int(action) for action in actions[: legal_actions(state, actions)]]


def deal_seeds(seed: int) -> Iterator[int]:
    """Yield the seeds of the deals of a match."""
    return count(seed * 1_000_003)


class Table(Generic[G]):
    """A game between seats.

    Parameters
    ----------
    game
        The rules.
    seed
        Of all that is dealt or thrown.

    Attributes
    ----------
    state
        The position, with all that is hidden from the seats.
    history
        The moves so far, as people write them.
    """

    def __init__(self, game: G, seed: int = 1) -> None:
        self.game = game
        self.state = game.new_state()
        self.history: list[str] = []
        self._before: list[Any] = []  # what to go back to, for each move
        self._rng = new_rng(seed)
        self._deal()

    @property
    def mover(self) -> int | None:
        """The seat that is to move, None if the game is over."""
        player = int(to_play(self.state))
        return player if player >= 0 else None

    @property
    def sides(self) -> int:
        """How many sides play against each other; seats take turns for them."""
        return self.game.info.players

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.mover is None

    def score(self, seat: int) -> float:
        """Return what a finished game is worth to a seat: more than 0 for a winner."""
        return float(outcome(self.state, seat))

    def won_by(self) -> str:
        """Return what decided a game that somebody has won."""
        return "win"

    def legal(self) -> list[int]:
        """Return the mover's actions."""
        return list_actions(self.game, self.state)

    def moves(self) -> list[str]:
        """Return the mover's actions as people write them."""
        return [self._name(action) for action in self.legal()]

    def play(self, action: int) -> None:
        """Play an action of the mover, and deal what follows from it."""
        if action not in self.legal():
            raise InputError("{text!r} cannot be played in this position", text=self._name(action))
        self._before.append(self._snapshot())
        self.history.append(self._name(action))
        apply(self.state, int64(action))
        self._deal()

    def read(self, text: str) -> int:
        """Return the action that somebody typed."""
        return self.game.action_from_string(self.state, text)

    def play_all(self, moves: str) -> None:
        """Play moves that are written one after the other."""
        for text in moves.replace(",", " ").split():
            self.play(self.read(text))

    def undo(self) -> None:
        """Take the last action back, with all that was dealt after it."""
        if not self._before:
            raise InputError("there is nothing to take back")
        self._restore(self._before.pop())
        self.history.pop()

    def draw(self, seat: int | None) -> str:
        """Return what a seat (None: a spectator) may see, for a terminal."""
        draw = getattr(self.game, "draw", None)
        return " ".join(self.history) if draw is None else str(draw(self.state))

    def transcript(self) -> str:
        """Return the moves so far in one line."""
        return " ".join(self.history)

    def _name(self, action: int) -> str:
        return self.game.action_to_string(self.state, action)

    def _deal(self) -> None:
        """Let chance events happen until somebody is to move."""
        while to_play(self.state) == CHANCE:
            apply(self.state, sample_chance(self.state, self._rng))

    def _snapshot(self) -> Any:
        return clone(self.state), self._rng.copy()

    def _restore(self, snapshot: Any) -> None:
        self.state, self._rng = snapshot
