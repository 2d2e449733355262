"""Models: the value of the shapes at a cell, for the prior of a move and for the value of a position.

A model has two small tables over *point kinds*: the shapes in the four directions of a cell, in any order. The value
of a position to the mover is a squashed sum over its empty cells. The priors of moves are a softmax of their scores,
which depend on the shapes of both sides at their cells. ``bromeliad gomoku train`` fits models; every search uses one.
"""

from functools import cache
from importlib import resources
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.arrays import read_arrays
from bromeliad.errors import WeightsError
from bromeliad.games.gomoku.shapes import Shape

DIRECTIONS = 4
UNIT = 256.0  # integer steps per logit in the kernels' tables
_SHAPES = len(Shape)
_FORMAT = 1
_MOST_BYTES = 1_000_000  # per array in a file
_KIND_LIST = tuple(combinations_with_replacement(range(_SHAPES), DIRECTIONS))
KINDS = len(_KIND_LIST)
"""Number of point kinds."""

Table = NDArray[np.float64]


class Model(NamedTuple):
    """The values of point kinds, in logits. The tables have a row per kind.

    An empty cell adds ``values[:, 0]`` for the mover's shapes to the mover's logit of winning, and subtracts
    ``values[:, 1]`` for the opponent's. The score of a move is ``priors[:, 0]`` for the mover's shapes plus
    ``priors[:, 1]`` for the opponent's.
    """

    values: Table
    priors: Table
    sigmoid: bool = False  # priors are proportional to sigmoid(score / 10), not to exp(score)
    tempo: float = 0.0  # the mover's logit of winning on a board without shapes


@cache
def kind_of_code() -> NDArray[np.int64]:
    """Return the kind of each code (four bits per direction); invalid codes have kind 0."""
    numbers = {kind: i for i, kind in enumerate(_KIND_LIST)}
    codes = np.arange(1 << 4 * DIRECTIONS)
    shapes = np.sort(codes[:, None] >> 4 * np.arange(DIRECTIONS) & 15, axis=1)
    return np.array([numbers.get(tuple(row), 0) for row in shapes.tolist()])


def _shape_counts() -> NDArray[np.int64]:
    """Return how often each shape occurs in each kind."""
    counts = np.zeros((KINDS, _SHAPES), np.int64)
    for i, kind in enumerate(_KIND_LIST):
        np.add.at(counts[i], list(kind), 1)
    return counts


_SEED_OWN = {"fused": 9.0, "four": 7.0, "three": 3.0, "two": 0.5}
_SEED_OTHER = {"fused": 10.0, "four": 8.0, "three": 4.0, "two": 1.0}


def _seed_scores(weights: dict[str, float]) -> Table:
    counts = _shape_counts()
    fours = counts[:, Shape.FOUR] + counts[:, Shape.TWIN_FOUR]
    threes = counts[:, Shape.OPEN_THREE] + counts[:, Shape.WIDE_THREE]
    two = counts[:, Shape.OPEN_TWO] + counts[:, Shape.WIDE_TWO]
    four = counts[:, Shape.OPEN_FOUR] + counts[:, Shape.FIVE]
    fused = (fours >= 2) | ((fours >= 1) & (threes >= 1))
    score = weights["fused"] * fused + weights["four"] * four + weights["three"] * threes + weights["two"] * two
    return np.asarray(score, np.float64)


@cache
def seed_model() -> Model:
    """Return a model with hand-made priors and the values of the plain model.

    The scores are 9 for two fours or a four with a three, 7 for an open four or five, 3 for an open three and 0.5 for
    an open two; for the opponent's shapes 10, 8, 4 and 1.
    """
    priors = np.stack([_seed_scores(_SEED_OWN), _seed_scores(_SEED_OTHER)], axis=1)
    return Model(plain_model().values, priors, sigmoid=True)


_PLAIN_VALUE = (0.0, 0.0, 0.01, 0.01, 0.03, 0.04, 0.04, 0.12, 0.15, 0.1, 0.3, 0.3, 1.0, 0.0)
_PLAIN_PRIOR = (0.0, 0.0, 0.1, 0.1, 0.4, 0.5, 0.4, 1.5, 1.7, 1.5, 4.0, 5.0, 9.0, 0.0)


@cache
def plain_model() -> Model:
    """Return a model with hand-made values and priors, from which learning starts."""
    counts = _shape_counts()
    value = counts @ np.array(_PLAIN_VALUE)
    prior = counts @ np.array(_PLAIN_PRIOR)
    fours = counts[:, Shape.FOUR]
    threes = counts[:, Shape.OPEN_THREE] + counts[:, Shape.WIDE_THREE]
    strong = (fours >= 2) | ((fours >= 1) & (threes >= 1))
    value = value + 0.3 * strong + 0.15 * (threes >= 2)
    prior = prior + 3.0 * strong + 1.5 * (threes >= 2)
    return Model(np.stack([value, 0.8 * value], axis=1), np.stack([prior, 0.8 * prior], axis=1), tempo=0.2)


def save_model(path: Path, model: Model) -> None:
    """Write a model to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            format=np.array([_FORMAT]),
            values=model.values.astype(np.float32),
            priors=model.priors.astype(np.float32),
            rest=np.array([float(model.sigmoid), model.tempo]),
        )


def load_model(path: Path) -> Model:
    """Read a model from a file.

    Raises
    ------
    WeightsError
        If the file is missing, damaged or of another version.
    """
    damaged = WeightsError("{path} is not a Gomoku model: train one with `bromeliad gomoku train`", path=path)
    try:
        stored = read_arrays(path, dict.fromkeys(("values", "priors", "rest", "format"), _MOST_BYTES))
        values, priors, rest, version = (part.astype(np.float64) for part in stored.values())
    except (OSError, ValueError, TypeError):
        raise damaged from None
    whole = values.shape == priors.shape == (KINDS, 2) and rest.shape == (2,) and version.tolist() == [_FORMAT]
    if not whole or not all(np.isfinite(part).all() for part in (values, priors, rest)):
        raise damaged
    return Model(values, priors, bool(rest[0]), float(rest[1]))


@cache
def default_model() -> Model:
    """Return the model that ships with the program, learned by self-play."""
    with resources.as_file(resources.files("bromeliad.games.gomoku") / "trained" / "model.npz") as path:
        return load_model(path)


def named_model(name: str) -> Model:
    """Return the model ``default``, ``plain`` or ``seed``, or one from a file."""
    own = {"default": default_model, "plain": plain_model, "seed": seed_model}
    return own[name]() if name in own else load_model(Path(name))
