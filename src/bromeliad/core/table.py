"""A game in progress: seeded chance events, moves and undo."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np

from bromeliad.core.game import CHANCE, Game, apply, clone, legal_actions, outcome, sample_chance, to_play
from bromeliad.core.jit import int64
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError

G = TypeVar("G", bound=Game)

_NAMED = 20  # most moves, and most characters of a move, in an error message


def list_actions(game: Game, state: Any) -> list[int]:
    """Return the mover's legal actions; none if there is no mover."""
    if to_play(state) < 0:
        return []
    actions = np.zeros(game.info.max_actions, np.int64)
    return [int(action) for action in actions[: legal_actions(state, actions)]]


def deal_seeds(seed: int) -> Iterator[int]:
    """Yield the seeds of a match's deals."""
    return count(seed * 1_000_003)


class Table(Generic[G]):
    """A game in progress; the seed determines all chance events."""

    def __init__(self, game: G, seed: int = 1) -> None:
        self.game = game
        self.state = game.new_state()  # the full position, including what is hidden from the seats
        self.history: list[str] = []  # the moves so far, as text
        self._before: list[Any] = []  # a snapshot before each move
        self._rng = new_rng(seed)
        self._deal()

    @property
    def mover(self) -> int | None:
        """The seat to move; None if the game is over."""
        player = int(to_play(self.state))
        return player if player >= 0 else None

    @property
    def sides(self) -> int:
        """The number of sides that play against each other."""
        return self.game.info.players

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.mover is None

    def score(self, seat: int) -> float:
        """Return the value of a finished game to a seat; positive for a winner."""
        return float(outcome(self.state, seat))

    def won_by(self) -> str:
        """Return how a decided game was won."""
        return "win"

    def legal(self) -> list[int]:
        """Return the mover's legal actions."""
        return list_actions(self.game, self.state)

    def moves(self) -> list[str]:
        """Return the mover's legal actions as text."""
        return [self._name(action) for action in self.legal()]

    def play(self, action: int) -> None:
        """Play an action of the mover and the chance events after it."""
        if action not in self.legal():
            raise InputError("{text!r} cannot be played in this position", text=self._name(action))
        self._before.append(self._snapshot())
        self.history.append(self._name(action))
        apply(self.state, int64(action))
        self._deal()

    def read(self, text: str) -> int:
        """Return the action of a typed move; raise InputError if it is not one."""
        try:
            return self.game.action_from_string(self.state, text)
        except ValueError:  # from Python's own conversions; our errors say more
            moves = ", ".join(self.moves()[:_NAMED])
            raise InputError("{text!r} is not a move; moves: {moves}", text=text[:_NAMED], moves=moves) from None

    def play_all(self, moves: str) -> None:
        """Play several moves, separated by spaces or commas."""
        for text in moves.replace(",", " ").split():
            self.play(self.read(text))

    def undo(self) -> None:
        """Take back the last action and the chance events after it."""
        if not self._before:
            raise InputError("there is nothing to take back")
        self._restore(self._before.pop())
        self.history.pop()

    def draw(self, seat: int | None) -> str:
        """Return the view of a seat (None: a spectator) as text for a terminal."""
        draw = getattr(self.game, "draw", None)
        return " ".join(self.history) if draw is None else str(draw(self.state))

    def transcript(self) -> str:
        """Return the moves so far on one line."""
        return " ".join(self.history)

    def _name(self, action: int) -> str:
        return self.game.action_to_string(self.state, action)

    def _deal(self) -> None:
        """Play chance events until there is a mover."""
        while to_play(self.state) == CHANCE:
            apply(self.state, sample_chance(self.state, self._rng))

    def _snapshot(self) -> Any:
        return clone(self.state), self._rng.copy()

    def _restore(self, snapshot: Any) -> None:
        self.state, self._rng = snapshot
