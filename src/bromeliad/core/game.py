"""What a game provides to the search, and the registry entry through which the rest of the program meets a game.

A game's state is a ``NamedTuple`` around **one** small ``int64`` array with named offsets (tables that never change may
stand beside it). The functions below are :func:`~bromeliad.core.jit.generic`: a game registers its own for its state
class, and the search calls them from one compiled kernel. Those without a body are required, the others have a default.

Players are 0, 1, …; :data:`CHANCE` moves where cards are dealt or dice are thrown, and :data:`TERMINAL` says that the
game is over. Actions and chance outcomes are ``int64`` numbers whose meaning is the game's own.
"""
# mypy: disable-error-code="empty-body"
# What every game has to provide has no body.

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats, generic, int64, kernel
from bromeliad.core.rng import Rng, below

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Actions",
    "Game",
    "GameInfo",
    "State",
    "apply",
    "clone",
    "copy_into",
    "determinize",
    "estimate",
    "information_key",
    "is_critical",
    "is_hopeless",
    "leaf_value",
    "legal_actions",
    "outcome",
    "phase",
    "play_randomly",
    "playout_action",
    "random_action",
    "sample_chance",
    "score_actions",
    "state_key",
    "to_play",
    "upper_bound",
    "value_scale",
]

CHANCE = -1
TERMINAL = -2

Actions = NDArray[np.int64]
State = Any
"""A game's NamedTuple; the generic functions find the game by its class."""


@generic
def copy_into(target: State, source: State) -> None:
    """Make ``target`` equal to ``source`` without allocating."""


@generic
def to_play(state: State) -> int:
    """Return the player who moves, or CHANCE, or TERMINAL."""


@generic
def legal_actions(state: State, actions: Actions) -> int:
    """Write the mover's legal actions, each once, in a fixed order, into ``actions``; return how many there are."""


@generic
def apply(state: State, action: int) -> None:
    """Play ``action`` (or let the chance outcome happen) in place."""


@generic
def sample_chance(state: State, rng: Rng) -> int:
    """Return a random outcome of the chance event that ``state`` waits for, with its true probability."""
    return int64(0)


@generic
def outcome(state: State, player: int) -> float:
    """Return what a finished game is worth to ``player``."""


@generic
def state_key(state: State) -> int:
    """Return a 64-bit hash of what matters for the rest of the game, or 0 if the game has no transpositions."""
    return int64(0)


# --- what a game may add, each with a default that does no harm ------------------------------------------------------


@generic
def random_action(state: State, actions: Actions, rng: Rng) -> int:
    """Return a uniformly random legal action; ``actions`` is scratch space. Worth providing where it can be faster."""
    return actions[below(rng, legal_actions(state, actions))]


@generic
def playout_action(state: State, actions: Actions, rng: Rng) -> int:
    """Return the move of the game's quick heuristic policy; ``actions`` is scratch space."""
    return random_action(state, actions, rng)


@generic(optional=True)
def score_actions(state: State, actions: Actions, count: int, scores: Floats) -> None:
    """Write how good each of the first ``count`` actions looks into ``scores``; a softmax makes them priors."""


@generic
def leaf_value(state: State, values: Floats) -> bool:
    """Write each player's value of an unfinished state if playing on cannot improve it; return whether it was written.

    The search asks at the leaf and before each move of a playout, so that a playout can end in an exact answer.
    """
    return False


@generic
def estimate(state: State, player: int) -> float:
    """Return a quick guess of what an unfinished state is worth to ``player``: cut playouts and shrinkage use it."""
    return 0.0


@generic
def upper_bound(state: State, player: int) -> float:
    """Return a value that ``player`` cannot exceed from here on."""
    return np.inf


@generic
def is_hopeless(state: State, action: int) -> bool:
    """Say whether a legal ``action`` is certain not to be best (a foul, a dominated move)."""
    return False


@generic
def value_scale(state: State) -> float:
    """Return half the range of outcomes worth telling apart (1.0 for win or loss), 0.0 to let the search observe it."""
    return 0.0


@generic(optional=True)
def determinize(state: State, rng: Rng, observer: int) -> None:
    """Replace everything that ``observer`` cannot see by a random possibility that fits what he has seen."""


@generic
def information_key(state: State) -> int:
    """Return a hash of all that the mover knows; states that share it share statistics, and 0 means always shared."""
    return int64(0)


@generic
def phase(state: State) -> int:
    """Return 0 in the opening, 1 in the middle and 2 in the end of a game: the time manager asks."""
    return 1


@generic
def is_critical(state: State) -> bool:
    """Say whether this decision deserves more time than others."""
    return False


def clone(state: State) -> State:
    """Return an independent copy of a state; only read-only arrays (tables) are shared."""
    return type(state)(*(_copy_part(part) for part in state))


def _copy_part(part: Any) -> Any:
    if isinstance(part, tuple):
        return clone(part)
    return part.copy() if isinstance(part, np.ndarray) and part.flags.writeable else part


@kernel
def play_randomly(state: State, actions: Actions, rng: Rng, limit: int) -> int:
    """Play uniformly random moves to the end, at most ``limit`` of them; return how many were played."""
    count = 0
    while count < limit:
        mover = to_play(state)
        if mover == TERMINAL:
            break
        if mover == CHANCE:
            apply(state, sample_chance(state, rng))
        else:
            apply(state, actions[below(rng, legal_actions(state, actions))])
        count += 1
    return count


class GameInfo(NamedTuple):
    """The fixed numbers of a game."""

    name: str
    players: int
    max_actions: int  # no position has more legal actions
    max_length: int  # no game has more moves and chance events
    zero_sum: bool


@runtime_checkable
class Game(Protocol):
    """A registered game: how a person meets it. The search meets it through the generic functions."""

    @property
    def info(self) -> GameInfo:
        """The fixed numbers of the game."""

    def new_state(self) -> State:
        """Return the state at the start of a game."""

    def random_state(self, rng: Rng) -> State:
        """Return a state from the middle of a random game."""

    def action_to_string(self, state: State, action: int) -> str:
        """Write an action as a person would."""

    def action_from_string(self, state: State, text: str) -> int:
        """Read an action; raise :class:`~bromeliad.errors.InputError` if it is not one or not legal here."""
