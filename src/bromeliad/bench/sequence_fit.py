"""The value of Sequence positions: a logistic regression on games of mostly greedy players."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    apply,
    copy_into,
    playout_action,
    random_action,
    sample_chance,
    to_play,
)
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.rng import Rng, new_rng, uniform
from bromeliad.games.sequence.board import LENGTH
from bromeliad.games.sequence.evaluate import heart_level, lines_at
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.moves import MOST_ACTIONS, team_of
from bromeliad.games.sequence.state import MOVER, PLAY, SEQUENCES, STEP, WINNER, SequenceState
from bromeliad.games.sequence.team_value import hand_counts

FEATURES = (
    "tempo",
    "sequence",
    *("line of 1", "line of 2", "line of 3", "line of 4"),
    *("heart 1", "heart 2", "heart 3"),
    *("two-eyed jack", "one-eyed jack"),
    *("mover's card for 2", "mover's card for 3", "mover's card for 4"),
    *("other's card for 2", "other's card for 3", "other's card for 4"),
)
_RANDOM = 0.2  # share of random moves
_KEPT = 0.1  # share of positions that are used
_RIDGE = 1.0
_STEPS = 25


@kernel
def _describe(data: Ints, row: Floats) -> None:
    """Write the mover's features minus the opponent's into ``row``; the tempo is always 1."""
    own = team_of(data, data[MOVER])
    row[0] = 1.0
    for team in range(2):
        sign = 1.0 if team == own else -1.0
        row[1] += sign * data[SEQUENCES + team]
        for level in range(1, LENGTH):
            row[1 + level] += sign * lines_at(data, team, level)
        heart = heart_level(data, team)
        if 0 < heart < 4:
            row[5 + heart] += sign
        counts = hand_counts(data, team)
        row[9] += sign * counts[3]
        row[10] += sign * counts[4]
        for i in range(3):
            row[(11 if team == own else 14) + i] = sign * counts[i]


@kernel
def _collect(
    start: SequenceState, state: SequenceState, actions: Ints, rng: Rng, games: int, rows: Floats, won: Floats
) -> int:
    """Play games, and keep some positions with the mover's result (1, ½ or 0); return the number kept."""
    kept = 0
    for _ in range(games):
        copy_into(state, start)
        first = kept
        while to_play(state) != TERMINAL:
            if to_play(state) == CHANCE:
                apply(state, sample_chance(state, rng))
                continue
            if state.data[STEP] == PLAY and kept < won.size and uniform(rng) < _KEPT:
                _describe(state.data, rows[kept])
                won[kept] = team_of(state.data, state.data[MOVER])
                kept += 1
            if uniform(rng) < _RANDOM:
                action = int64(random_action(state, actions, rng))
            else:
                action = int64(playout_action(state, actions, rng))
            apply(state, action)
        for i in range(first, kept):
            won[i] = 0.5 if state.data[WINNER] < 0 else np.float64(won[i] == state.data[WINNER])
    return kept


class Fit(NamedTuple):
    """Weights of the logit of winning, and how well they predict."""

    weights: NDArray[np.float64]
    positions: int
    loss: float  # mean cross-entropy; a coin flip has 0.693


def fit(game: Sequence, games: int, seed: int) -> Fit:
    """Play games and fit the weights of :data:`FEATURES`."""
    rows = np.zeros((games * 12, len(FEATURES)))
    won = np.zeros(rows.shape[0])
    actions = np.zeros(MOST_ACTIONS, np.int64)
    kept = int(_collect(game.new_state(), game.new_state(), actions, new_rng(seed), games, rows, won))
    x, y = rows[:kept], won[:kept]
    weights = np.zeros(len(FEATURES))
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30.0, 30.0)))
        gradient = x.T @ (y - chance) - _RIDGE * weights
        curvature = (x * (chance * (1.0 - chance))[:, None]).T @ x + _RIDGE * np.eye(len(FEATURES))
        weights += np.linalg.solve(curvature, gradient)
    chance = np.clip(1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30.0, 30.0))), 1e-9, 1.0 - 1e-9)
    loss = float(-np.mean(y * np.log(chance) + (1.0 - y) * np.log(1.0 - chance)))
    return Fit(weights, kept, loss)


@bench("sequence-fit", minutes=1)
def fit_bench(quick: bool, seed: int) -> list[Section]:
    """Fit the weights of the features; show them as logits and as points."""
    found = fit(Sequence("course"), 300 if quick else 20_000, seed)
    weights = found.weights.tolist()
    rows = [(name, weight, round(500 * weight)) for name, weight in zip(FEATURES, weights, strict=True)]
    note = f"{found.positions:,} positions, cross-entropy {found.loss:.4f}; points are on a scale of 1,000"
    return [Section("Sequence: what positions are worth", ("feature", "logit", "points"), rows, [note])]
