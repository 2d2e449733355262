"""Gomoku for the search: the generic functions of :mod:`bromeliad.core.game`, and the registered game."""

import math

import numpy as np

import bromeliad.games.gomoku.state as at
from bromeliad.core import game
from bromeliad.core.game import GameInfo
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, below
from bromeliad.errors import InputError
from bromeliad.games.gomoku.line_tables import Point, Tier
from bromeliad.games.gomoku.model import UNIT, Model, default_model
from bromeliad.games.gomoku.moves import is_legal, pass_turn, play, play_plain
from bromeliad.games.gomoku.notation import cell_name, parse_cell
from bromeliad.games.gomoku.proof.vcf import find_fours
from bromeliad.games.gomoku.rules import GomokuRules, check_size, rules_named
from bromeliad.games.gomoku.state import (
    GomokuState,
    code_at,
    count_tier,
    makes_row,
    new_state,
    next_in_tier,
    pattern_base,
    put,
    tier_at,
)
from bromeliad.search import warm

LEAF_NODES = 30
"""Maximum number of moves that a leaf of the search tries to find a forced win."""
_SCALE = 1.0 / UNIT
NEAR = 2  # maximum distance of tried moves from a stone, in rows and columns
PLAYOUT_CANDIDATES = 5  # cells that the playout policy chooses among


@game.copy_into.register(GomokuState)
def _(target: GomokuState, source: GomokuState) -> None:
    for i in range(source.data.size):
        target.data[i] = source.data[i]


@game.to_play.register(GomokuState)
def _(state: GomokuState) -> int:
    data = state.data
    return game.TERMINAL if data[at.WINNER] >= 0 or data[at.STONES] == data[at.SIZE] * data[at.SIZE] else data[at.MOVER]


@kernel
def _list_legal(state: GomokuState, actions: Ints) -> int:
    data = state.data
    count = 0
    for cell in range(data[at.SIZE] * data[at.SIZE]):
        if is_legal(state, int64(cell)):
            actions[count] = cell
            count += 1
    return count


@game.legal_actions.register(GomokuState)
def _(state: GomokuState, actions: Ints) -> int:
    return _list_legal(state, actions)


@kernel(inline=True)
def _draw(state: GomokuState, actions: Ints, rng: Rng) -> int:
    data = state.data
    cells = data[at.SIZE] * data[at.SIZE]
    if 8 * (cells - data[at.STONES]) >= cells and not data[at.RULE] & at.RULE_FORBIDDEN:
        cell = below(rng, cells)
        while data[np.uint64(at.BOARD + cell)] != at.EMPTY:
            cell = below(rng, cells)
        return cell
    return actions[below(rng, _list_legal(state, actions))]


@game.random_action.register(GomokuState)
def _(state: GomokuState, actions: Ints, rng: Rng) -> int:
    return int64(_draw(state, actions, rng))


@game.apply.register(GomokuState)
def _(state: GomokuState, action: int) -> None:
    if state.data[at.PATTERNS] == 0:
        play_plain(state, action, state.data[at.MOVER])
    else:
        play(state, action)


@game.outcome.register(GomokuState)
def _(state: GomokuState, player: int) -> float:
    winner = state.data[at.WINNER]
    if winner < 0 or winner == at.DRAWN:
        return 0.0
    return 1.0 if winner == player else -1.0


@game.state_key.register(GomokuState)
def _(state: GomokuState) -> int:
    return state.data[at.KEY]


@game.value_scale.register(GomokuState)
def _(state: GomokuState) -> float:
    return 1.0


@kernel(inline=True)
def _score(state: GomokuState, cell: int) -> float:
    """Return the model's score of a cell for the mover."""
    data = state.data
    points = state.tables.points
    mover = data[at.MOVER]
    own = points[(mover << 16) + code_at(data, cell, mover), Point.PRIOR_OWN]
    other = points[((1 - mover) << 16) + code_at(data, cell, 1 - mover), Point.PRIOR_OTHER]
    return np.float64(own + other) * _SCALE


@game.score_actions.register(GomokuState)
def _(state: GomokuState, actions: Ints, count: int, scores: Floats) -> None:
    data = state.data
    for i in range(count):
        score = _score(state, actions[i]) if data[at.PATTERNS] else 0.0
        scores[i] = -math.log1p(math.exp(-0.1 * score)) if data[at.SIGMOID] else score


@kernel
def _is_far(data: Ints, cell: int) -> bool:
    """Return whether a cell is far from all stones or, on an empty board, from the centre."""
    size = data[at.SIZE]
    row, column = cell // size, cell % size
    if data[at.STONES] == 0:
        return max(abs(row - size // 2), abs(column - size // 2)) > NEAR
    for i in range(max(row - NEAR, 0), min(row + NEAR + 1, size)):
        for j in range(max(column - NEAR, 0), min(column + NEAR + 1, size)):
            value = data[at.BOARD + i * size + j]
            if value != at.EMPTY and value != at.BLOCKED:
                return False
    return True


@kernel
def _is_futile(state: GomokuState, cell: int) -> bool:
    """Return whether a move is banned, far from all stones, or ignores a five or the opponent's open four."""
    data = state.data
    if data[at.STONES] == data[at.ROOT]:
        if data[at.BANNED + (cell >> 6)] >> (cell & 63) & 1:
            return True
    elif data[at.PATTERNS] and _is_far(data, cell):
        return True
    if data[at.PATTERNS] == 0:
        return False
    mover = data[at.MOVER]
    own = tier_at(state, cell, mover)
    if own == Tier.FIVE:
        return False
    if count_tier(data, mover, Tier.FIVE) > 0:
        return True
    if count_tier(data, 1 - mover, Tier.FIVE) > 0:
        return tier_at(state, cell, 1 - mover) != Tier.FIVE
    if count_tier(data, 1 - mover, Tier.WIN) == 0 or data[at.RULE] & (at.RULE_OPEN_END | at.RULE_FORBIDDEN):
        return False
    points = state.tables.points
    forcing = points[(mover << 16) + code_at(data, cell, mover), Point.MAKES_FOUR]
    stopping = points[((1 - mover) << 16) + code_at(data, cell, 1 - mover), Point.MAKES_FOUR]
    return not (forcing or stopping)


@game.is_hopeless.register(GomokuState)
def _(state: GomokuState, action: int) -> bool:
    return bool(_is_futile(state, action))


@kernel
def _known(state: GomokuState, values: Floats) -> bool:
    """Write the values of a position if a forced win is found; return whether one was found."""
    data = state.data
    mover = data[at.MOVER]
    other = 1 - mover
    if count_tier(data, mover, Tier.FIVE) > 0:
        winner = mover
    elif count_tier(data, other, Tier.FIVE) > 1 and not data[at.RULE] & (at.RULE_OPEN_END | at.RULE_FORBIDDEN):
        winner = other
    elif data[at.THREAT_NODES] > 0 and find_fours(state, data[at.THREAT_NODES]):
        winner = mover
    else:
        return False
    values[winner] = 1.0
    values[1 - winner] = -1.0
    return True


@game.leaf_value.register(GomokuState)
def _(state: GomokuState, values: Floats) -> bool:
    return state.data[at.PATTERNS] == 1 and bool(_known(state, values))


@kernel
def _guess(state: GomokuState, player: int) -> float:
    """Return the value of a position to ``player``, in (-1, 1), from the sums of the patterns."""
    data = state.data
    if data[at.PATTERNS] == 0:
        return 0.0
    mover = data[at.MOVER]
    base = pattern_base(data) + at.SUMS
    logit = np.float64(data[at.TEMPO] + data[base + 2 * mover] - data[base + 2 * (1 - mover) + 1]) * _SCALE
    value = math.tanh(0.5 * logit)
    return value if player == mover else -value


@game.estimate.register(GomokuState)
def _(state: GomokuState, player: int) -> float:
    return _guess(state, player)


@kernel
def _policy_move(state: GomokuState, actions: Ints, rng: Rng) -> int:
    """Return the move of a playout: a five or an open four of either side, else one of the best-scored cells."""
    data = state.data
    if data[at.PATTERNS] == 0:
        return int64(_draw(state, actions, rng))
    for tier in (Tier.FIVE, Tier.WIN):
        for side in (data[at.MOVER], 1 - data[at.MOVER]):
            cell = next_in_tier(data, side, tier, 0)
            if cell >= 0 and is_legal(state, cell):
                return cell
    count = _list_legal(state, actions)
    limit = min(PLAYOUT_CANDIDATES, count)
    for i in range(limit):
        best = i
        for j in range(i + 1, count):
            if _score(state, actions[j]) > _score(state, actions[best]):
                best = j
        actions[i], actions[best] = actions[best], actions[i]
    first, second = below(rng, limit), below(rng, limit)
    return actions[min(first, second)]


@game.playout_action.register(GomokuState)
def _(state: GomokuState, actions: Ints, rng: Rng) -> int:
    return int64(_policy_move(state, actions, rng))


@game.phase.register(GomokuState)
def _(state: GomokuState) -> int:
    stones = state.data[at.STONES]
    return 0 if stones < 6 else 1 if stones < 60 else 2


@game.is_critical.register(GomokuState)
def _(state: GomokuState) -> bool:
    data = state.data
    return data[at.PATTERNS] == 1 and count_tier(data, 1 - data[at.MOVER], Tier.WIN) > 0


class Gomoku:
    """Gomoku as a registered game. Actions are cells, row by row from the top; people write ``H8``.

    Parameters
    ----------
    size
        Number of rows and columns.
    rules
        A rule set or its name.
    model
        Values of shapes; by default the model that ships with the program.
    patterns
        Whether states have shapes. Without them, playouts can only be random, but are much faster.
    leaf_nodes
        Maximum number of moves that a leaf tries to find a forced win.
    """

    def __init__(
        self,
        size: int = 15,
        rules: GomokuRules | str = "freestyle",
        model: Model | None = None,
        *,
        patterns: bool = True,
        leaf_nodes: int = LEAF_NODES,
    ) -> None:
        self.size = check_size(size)
        self.rules = rules_named(rules) if isinstance(rules, str) else rules
        if self.rules.forbidden and not patterns:
            raise InputError("renju needs patterns to find forbidden points")
        self.model = model or default_model()
        cells = size * size
        self.info = GameInfo(name="gomoku", players=2, max_actions=cells, max_length=cells, zero_sum=True)
        self._empty = new_state(size, self.rules, self.model, patterns)
        self._empty.data[at.THREAT_NODES] = leaf_nodes

    def new_state(self) -> GomokuState:
        """Return the empty board."""
        return GomokuState(self._empty.data.copy(), self._empty.tables)

    def random_state(self, rng: Rng) -> GomokuState:
        """Return a state from the middle of a random game."""
        state = self.new_state()
        actions = np.zeros(self.info.max_actions, np.int64)
        for _ in range(int(below(rng, min(60, self.info.max_actions // 2)))):
            play(state, int64(_draw(state, actions, rng)))
            if game.to_play(state) == game.TERMINAL:
                return self.new_state()
        return state

    def action_to_string(self, state: GomokuState, action: int) -> str:
        """Return the name of a cell: a column letter and a row counted from below."""
        return cell_name(action, self.size)

    def action_from_string(self, state: GomokuState, text: str) -> int:
        """Read a cell; raise InputError if it cannot be played."""
        cell = parse_cell(text, self.size)
        if game.to_play(state) == game.TERMINAL or not is_legal(state, cell):
            raise InputError("{text!r} cannot be played: the cell is taken, forbidden, or the game is over", text=text)
        return cell


@warmup
def _warm() -> None:
    gomoku = Gomoku(6)
    warm(gomoku.info, gomoku.new_state())
    state = gomoku.new_state()
    put(state, int64(0), int64(1), int64(1))  # for positions set up from stones, and for the player
    pass_turn(state)
    is_legal(state, 1 + int(next_in_tier(state.data, 0, Tier.FIVE, 0)))
    makes_row(state, int64(0), int64(0))
