"""Learning a Gomoku model by self-play: its tables are fitted to the results and searches of games.

The value is a logistic regression on the point kinds of both sides; the prior is a softmax regression on the kinds of a
cell. Both start from the last model and stay close to it where data are few.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import TERMINAL, to_play
from bromeliad.core.jit import Floats, Ints
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.model import KINDS, Model, kind_of_code
from bromeliad.games.gomoku.moves import play
from bromeliad.games.gomoku.openings import random_opening
from bromeliad.games.gomoku.player import search_params
from bromeliad.games.gomoku.position import play_cells
from bromeliad.games.gomoku.proof.threats import Prover
from bromeliad.games.gomoku.rules import BLACK, WHITE
from bromeliad.games.gomoku.state import BOARD, EMPTY, MOVER, WINNER, GomokuState, codes_of
from bromeliad.search import Searcher

_CELLS = 48  # cells per position to which the prior is fitted: the most visited ones, then random ones
_PROOF_NODES = 500
_LONGEST = 100  # moves after which a game counts as drawn
_BATCH = 4096  # positions per step
_RECENT = 4  # rounds whose games are used
_LIVELY = 8  # moves at the start of a game that are sampled in proportion to the visits


class Plan(NamedTuple):
    """The sizes of a training run."""

    rounds: int = 3
    games: int = 2000  # per round
    simulations: int = 400  # per move
    steps: int = 400  # per fit
    blend: float = 0.3  # share of the searched value in the target of the value; the rest is the result
    hold: float = 3e-4  # strength of the pull towards the starting weights


class Samples(NamedTuple):
    """The data of positions that a fit needs."""

    own: NDArray[np.uint8]  # [position, kind] number of empty cells of this kind for the mover
    other: NDArray[np.uint8]  # the same for the opponent
    target: Floats  # [position] target of the value, from -1 to 1
    cells: NDArray[np.int16]  # [position, cell, 2] kinds of the cell for the mover and the opponent
    shares: NDArray[np.float32]  # [position, cell] share of the visits


class _Position(NamedTuple):
    """A position of a game, and the search of it."""

    mover: int
    value: float  # of the search
    own: NDArray[np.uint8]  # this and the rest are rows of Samples
    other: NDArray[np.uint8]
    cells: NDArray[np.int16]
    shares: NDArray[np.float32]


Report = Callable[[float], None]


def _kinds(state: GomokuState) -> tuple[Ints, Ints, Ints]:
    """Return the empty cells, and their point kinds for the mover and for the opponent."""
    size = int(state.data[0])
    empty = np.flatnonzero(state.data[BOARD : BOARD + size * size] == EMPTY)
    codes = codes_of(state)[empty]
    black, white = kind_of_code()[codes & 0xFFFF], kind_of_code()[codes >> 16]
    return (empty, black, white) if state.data[MOVER] == 0 else (empty, white, black)


def _counts(kinds: Ints) -> NDArray[np.uint8]:
    """Return the number of cells of each kind."""
    return np.bincount(kinds, minlength=KINDS).clip(0, 255).astype(np.uint8)


class _Game:
    """One game of self-play."""

    def __init__(self, game: Gomoku, searcher: Searcher, prover: Prover, rng: np.random.Generator, plan: Plan) -> None:
        self._game, self._searcher, self._prover, self._rng, self._plan = game, searcher, prover, rng, plan
        self.positions: list[_Position] = []

    def play(self) -> int:
        """Play to the end or until a win is proved; return the winner, or -1 for a draw."""
        state = play_cells(self._game, random_opening(self._game.size, self._rng))
        moves = 0
        while to_play(state) != TERMINAL and moves < _LONGEST:
            if self._prover.prove(state, "threats", _PROOF_NODES).result == "win":
                return int(state.data[MOVER])
            play(state, self._move(state, moves))
            moves += 1
        return int(state.data[WINNER]) if state.data[WINNER] in (BLACK, WHITE) else -1

    def _move(self, state: GomokuState, moves: int) -> int:
        seed = int(self._rng.integers(2**31))
        params = search_params(simulations=self._plan.simulations, memory_mb=16.0, seed=seed)
        result = self._searcher.search(self._game.info, state, params)
        visits = np.array([item.visits for item in result.actions], np.float64)
        if len(result.actions) > 1:
            self._note(state, {item.action: item.visits for item in result.actions}, result.value)
        if moves >= _LIVELY:
            return result.best
        return result.actions[int(self._rng.choice(visits.size, p=visits / visits.sum()))].action

    def _note(self, state: GomokuState, visits: dict[int, int], value: float) -> None:
        empty, own, other = _kinds(state)
        shares = np.array([visits.get(int(cell), 0) for cell in empty], np.float32)
        order = np.argsort(-shares - 1e-3 * self._rng.random(empty.size), kind="stable")[:_CELLS]
        cells = np.full((_CELLS, 2), -1, np.int16)
        cells[: order.size, 0], cells[: order.size, 1] = own[order], other[order]
        kept = np.zeros(_CELLS, np.float32)
        kept[: order.size] = shares[order] / shares.sum()
        self.positions.append(_Position(int(state.data[MOVER]), value, _counts(own), _counts(other), cells, kept))


def self_play(
    game: Gomoku, plan: Plan, seed: int, report: Report, cancelled: Callable[[], bool] = lambda: False
) -> Samples:
    """Play games of self-play and return their positions."""
    rng = np.random.default_rng(seed)
    searcher, prover = Searcher(), Prover(12)
    positions: list[_Position] = []
    targets: list[float] = []
    for i in range(plan.games):
        if positions and cancelled():
            break
        one = _Game(game, searcher, prover, rng, plan)
        winner = one.play()
        for position in one.positions:
            result = 0.0 if winner < 0 else 1.0 if winner == position.mover else -1.0
            targets.append((1.0 - plan.blend) * result + plan.blend * position.value)
        positions += one.positions
        report((i + 1) / plan.games)
    _, _, own, other, cells, shares = map(np.stack, zip(*positions, strict=True))
    return Samples(own, other, np.array(targets), cells, shares)


class _Adam:
    """The Adam optimiser."""

    def __init__(self, weights: Floats, rate: float) -> None:
        self.weights, self._rate = weights.copy(), rate
        self._first, self._second = np.zeros_like(weights), np.zeros_like(weights)
        self._count = 0

    def step(self, gradient: Floats, pace: float) -> None:
        """Take one step, with the learning rate scaled by ``pace``."""
        self._count += 1
        self._first += 0.1 * (gradient - self._first)
        self._second += 0.001 * (gradient**2 - self._second)
        scale = np.sqrt(self._second / (1 - 0.999**self._count)) + 1e-9
        self.weights -= pace * self._rate * self._first / (1 - 0.9**self._count) / scale


def _fit_values(samples: Samples, model: Model, plan: Plan) -> tuple[Floats, float]:
    """Return the values and tempo that best predict the winner."""
    seen = np.flatnonzero(samples.own.any(axis=0) | samples.other.any(axis=0))
    both = np.concatenate([samples.own[:, seen], samples.other[:, seen]], axis=1)
    signs = np.repeat([1.0, -1.0], seen.size)
    start = np.concatenate([model.values[seen, 0], model.values[seen, 1], [model.tempo]])
    chance = (samples.target + 1.0) / 2.0
    descent = _Adam(start, 0.01)
    rng = np.random.default_rng(plan.games)
    for step in range(plan.steps):
        rows = rng.integers(0, chance.size, _BATCH)
        counts = both[rows].astype(np.float32)
        logit = counts @ (signs * descent.weights[:-1]).astype(np.float32) + descent.weights[-1]
        error = (1.0 / (1.0 + np.exp(-logit)) - chance[rows]) / rows.size
        gradient = np.append(signs * (error.astype(np.float32) @ counts), error.sum())
        descent.step(gradient + plan.hold * (descent.weights - start), 1.0 - step / plan.steps)
    values = model.values.copy()
    values[seen, 0], values[seen, 1] = descent.weights[: seen.size], descent.weights[seen.size : -1]
    return values, float(descent.weights[-1])


def _fit_priors(samples: Samples, model: Model, plan: Plan) -> Floats:
    """Return the priors that best predict the visits of the searches."""
    start = np.concatenate([model.priors[:, 0], model.priors[:, 1]])
    descent = _Adam(start, 0.02)
    rng = np.random.default_rng(plan.games)
    for step in range(plan.steps):
        rows = rng.integers(0, samples.shares.shape[0], _BATCH)
        own, other = samples.cells[rows, :, 0].astype(np.int64), samples.cells[rows, :, 1].astype(np.int64)
        there = own >= 0
        scores = np.where(there, descent.weights[own] + descent.weights[KINDS + other], -np.inf)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = (chances / chances.sum(axis=1, keepdims=True) - samples.shares[rows]) / rows.size
        gradient = np.bincount(own[there], error[there], 2 * KINDS)
        gradient += np.bincount(KINDS + other[there], error[there], 2 * KINDS)
        descent.step(gradient + plan.hold * (descent.weights - start), 1.0 - step / plan.steps)
    return np.stack([descent.weights[:KINDS], descent.weights[KINDS:]], axis=1)


def fit_model(samples: Samples, model: Model, plan: Plan) -> Model:
    """Return a model fitted to positions, starting from another one."""
    values, tempo = _fit_values(samples, model, plan)
    return Model(values, _fit_priors(samples, model, plan), tempo=tempo)


def train_model(
    start: Model,
    plan: Plan,
    size: int,
    rules: str,
    seed: int,
    report: Report,
    cancelled: Callable[[], bool] = lambda: False,
) -> Model:
    """Return a model trained by rounds of self-play, each played by the model of the previous round.

    The fit after a round uses the games of the last few rounds. A cancelled run returns the model of its last complete
    round.
    """
    model = start
    recent: list[Samples] = []
    for number in range(plan.rounds):
        game = Gomoku(size, rules, model)

        def tell(share: float, number: int = number) -> None:
            report((number + share) / plan.rounds)

        recent = [*recent, self_play(game, plan, seed + number, tell, cancelled)][-_RECENT:]
        if cancelled():
            break
        model = fit_model(Samples(*map(np.concatenate, zip(*recent, strict=True))), model, plan)
    return model
