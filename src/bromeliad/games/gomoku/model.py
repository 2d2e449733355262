"""Models: what the shapes at a cell are worth, as a prior for playing there and as a part of a position's value.

A model is two small tables over *point kinds*, the unordered sets of shapes in the four directions of a cell. The value
of a position to the mover is a squashed sum over its empty cells; a move's prior is a softmax of what its cell is worth
to either side. This is the hook for whatever learns: :func:`save_model` and :func:`load_model` keep tables that
``bromeliad gomoku train`` fits, and every search takes one.
"""

import zipfile
from functools import cache
from importlib import resources
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.errors import WeightsError
from bromeliad.games.gomoku.shapes import Shape

__all__ = [
    "DIRECTIONS",
    "KINDS",
    "UNIT",
    "Model",
    "default_model",
    "kind_of_code",
    "load_model",
    "named_model",
    "plain_model",
    "save_model",
    "seed_model",
]

DIRECTIONS = 4
UNIT = 256.0  # integer steps of one logit in the kernels' tables
_SHAPES = len(Shape)
_FORMAT = 1
_KIND_LIST = tuple(combinations_with_replacement(range(_SHAPES), DIRECTIONS))
KINDS = len(_KIND_LIST)
"""Unordered sets of four shapes."""

Table = NDArray[np.float64]


class Model(NamedTuple):
    """What point kinds are worth, in logits.

    Attributes
    ----------
    values
        Rows per kind: what an empty cell adds to the mover's logit of winning by his own shapes there (column 0), and
        what it takes from it by the opponent's (column 1).
    priors
        Rows per kind: what a move gains by the mover's shapes at its cell (column 0), and by the opponent's (column 1).
    sigmoid
        Priors are sigmoids of a tenth of the score, not a softmax of it.
    tempo
        The mover's logit of winning where nothing else speaks.
    """

    values: Table
    priors: Table
    sigmoid: bool = False
    tempo: float = 0.0


@cache
def kind_of_code() -> NDArray[np.int64]:
    """Return the kind of each code, four bits a direction; codes of what is no shape have kind 0."""
    numbers = {kind: i for i, kind in enumerate(_KIND_LIST)}
    codes = np.arange(1 << 4 * DIRECTIONS)
    shapes = np.sort(codes[:, None] >> 4 * np.arange(DIRECTIONS) & 15, axis=1)
    return np.array([numbers.get(tuple(row), 0) for row in shapes.tolist()])


def _kinds() -> NDArray[np.int64]:
    """Return how often each shape is in each kind."""
    counts = np.zeros((KINDS, _SHAPES), np.int64)
    for i, kind in enumerate(_KIND_LIST):
        np.add.at(counts[i], list(kind), 1)
    return counts


_SEED_OWN = {"fused": 9.0, "four": 7.0, "three": 3.0, "two": 0.5}
_SEED_OTHER = {"fused": 10.0, "four": 8.0, "three": 4.0, "two": 1.0}


def _seed_scores(weights: dict[str, float]) -> Table:
    counts = _kinds()
    fours = counts[:, Shape.FOUR] + counts[:, Shape.TWIN_FOUR]
    threes = counts[:, Shape.OPEN_THREE] + counts[:, Shape.WIDE_THREE]
    two = counts[:, Shape.OPEN_TWO] + counts[:, Shape.WIDE_TWO]
    four = counts[:, Shape.OPEN_FOUR] + counts[:, Shape.FIVE]
    fused = (fours >= 2) | ((fours >= 1) & (threes >= 1))
    score = weights["fused"] * fused + weights["four"] * four + weights["three"] * threes + weights["two"] * two
    return np.asarray(score, np.float64)


@cache
def seed_model() -> Model:
    """Return a model with hand-made priors: 10, 8, 4 and 1 against the opponent's shapes, 9, 7, 3 and 0.5 for own."""
    priors = np.stack([_seed_scores(_SEED_OWN), _seed_scores(_SEED_OTHER)], axis=1)
    return Model(plain_model().values, priors, sigmoid=True)


_PLAIN_VALUE = (0.0, 0.0, 0.01, 0.01, 0.03, 0.04, 0.04, 0.12, 0.15, 0.1, 0.3, 0.3, 1.0, 0.0)
_PLAIN_PRIOR = (0.0, 0.0, 0.1, 0.1, 0.4, 0.5, 0.4, 1.5, 1.7, 1.5, 4.0, 5.0, 9.0, 0.0)


@cache
def plain_model() -> Model:
    """Return a model whose numbers were set by hand: where learning starts from."""
    counts = _kinds()
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
    damaged = WeightsError("{path} holds no Gomoku model: train one with `bromeliad gomoku train`", path=path)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            values, priors = (stored[name].astype(np.float64) for name in ("values", "priors"))
            rest, version = stored["rest"], int(stored["format"][0])
    except (OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile):
        raise damaged from None
    whole = values.shape == priors.shape == (KINDS, 2) and rest.shape == (2,) and version == _FORMAT
    if not whole or not all(np.isfinite(part).all() for part in (values, priors, rest)):
        raise damaged
    return Model(values, priors, bool(rest[0]), float(rest[1]))


@cache
def default_model() -> Model:
    """Return the model that ships: learned by playing itself."""
    with resources.as_file(resources.files("bromeliad.games.gomoku") / "trained" / "model.npz") as path:
        return load_model(path)


def named_model(name: str) -> Model:
    """Return ``default``, ``plain``, ``seed`` or what is in a file."""
    own = {"default": default_model, "plain": plain_model, "seed": seed_model}
    return own[name]() if name in own else load_model(Path(name))
