"""A game's contract with the search: generic functions over its states, and the :class:`Game` around them.

A game's state is a ``NamedTuple`` around **one** small ``int64`` array with named offsets, and read-only tables if it
needs them. The functions below are :func:`~bromeliad.core.jit.generic`: a game registers implementations for its state
class, and the search calls them from one compiled kernel. A function without a body is required unless it is marked
optional; the others have a default.

Players are 0, 1, …; :data:`CHANCE` moves when cards are dealt or dice are thrown, and :data:`TERMINAL` means that the
game is over. Actions and chance outcomes are ``int64`` numbers; each game defines their meaning.
"""
# mypy: disable-error-code="empty-body"
# Required functions have no body.

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats, generic, int64, kernel
from bromeliad.core.rng import Rng, below

CHANCE = -1
TERMINAL = -2

Actions = NDArray[np.int64]
State = Any
"""A game's NamedTuple; the generic functions dispatch on its class."""


@generic
def copy_into(target: State, source: State) -> None:
    """Make ``target`` equal to ``source`` without allocating."""


@generic
def to_play(state: State) -> int:
    """Return the player who moves, or CHANCE, or TERMINAL."""


@generic
def legal_actions(state: State, actions: Actions) -> int:
    """Write the mover's legal actions, each once and in a fixed order, into ``actions``; return their number."""


@generic
def apply(state: State, action: int) -> None:
    """Play an action, or apply a chance outcome, in place."""


@generic
def sample_chance(state: State, rng: Rng) -> int:
    """Return a random outcome of the pending chance event, drawn with its true probability."""
    return int64(0)


@generic
def outcome(state: State, player: int) -> float:
    """Return the value of a finished game to ``player``."""


@generic
def state_key(state: State) -> int:
    """Return a 64-bit hash of everything that affects the rest of the game, or 0 if there are no transpositions."""
    return int64(0)


# --- optional functions, each with a harmless default ----------------------------------------------------------------


@generic
def random_action(state: State, actions: Actions, rng: Rng) -> int:
    """Return a uniformly random legal action; ``actions`` is scratch. Register it if the game can be faster."""
    return actions[below(rng, legal_actions(state, actions))]


@generic
def playout_action(state: State, actions: Actions, rng: Rng) -> int:
    """Return the move of the game's quick heuristic policy; ``actions`` is scratch."""
    return random_action(state, actions, rng)


@generic(optional=True)
def score_actions(state: State, actions: Actions, count: int, scores: Floats) -> None:
    """Write a score for each of the first ``count`` actions into ``scores``; a softmax turns scores into priors."""


@generic
def leaf_value(state: State, values: Floats) -> bool:
    """Write each player's value of an unfinished state if it is known exactly; return whether it was written.

    The search asks at the leaf and before each playout move, so that a playout can end with an exact value.
    """
    return False


@generic
def estimate(state: State, player: int) -> float:
    """Return a quick estimate of an unfinished state's value to ``player``, for truncated playouts and shrinkage."""
    return 0.0


@generic
def upper_bound(state: State, player: int) -> float:
    """Return an upper bound of the value that ``player`` can still reach."""
    return np.inf


@generic
def is_hopeless(state: State, action: int) -> bool:
    """Return whether a legal action is certainly not the best one (a foul, a dominated move)."""
    return False


@generic
def value_scale(state: State) -> float:
    """Return half the range of relevant outcomes (1.0 for win or loss), or 0.0 to let the search observe it.

    A game that knows its range should return it. An observed range is too small until extreme outcomes have occurred,
    and if the first outcomes of a good move are all bad, UCT may then never try the move again.
    """
    return 0.0


@generic(optional=True)
def determinize(state: State, rng: Rng, observer: int) -> None:
    """Replace everything hidden from ``observer`` by a random possibility that fits the observations."""


@generic
def information_key(state: State) -> int:
    """Return a hash of everything the mover knows; equal hashes share statistics, and 0 means always shared."""
    return int64(0)


@generic
def phase(state: State) -> int:
    """Return the phase of the game for the time manager: 0 opening, 1 middle, 2 end."""
    return 1


@generic
def is_critical(state: State) -> bool:
    """Return whether this decision deserves more time than others."""
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
    """Play at most ``limit`` events: uniformly random moves, and chance events; return how many were played."""
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
    """The constants of a game."""

    name: str
    players: int
    max_actions: int  # no position has more legal actions
    max_length: int  # no game has more moves and chance events
    zero_sum: bool


@runtime_checkable
class Game(Protocol):
    """A registered game: its states, and its actions as text. The search uses the generic functions."""

    @property
    def info(self) -> GameInfo:
        """The constants of the game."""

    def new_state(self) -> State:
        """Return the state at the start of a game."""

    def random_state(self, rng: Rng) -> State:
        """Return a state from the middle of a random game."""

    def action_to_string(self, state: State, action: int) -> str:
        """Return an action as text for people."""

    def action_from_string(self, state: State, text: str) -> int:
        """Read an action; raise :class:`~bromeliad.errors.InputError` if it is unreadable or illegal."""
