"""Files of learned weights: which one serves a rule set and an objective, and how they are written and read.

A file is a numpy archive without pickles. It holds, for every weight that was ever touched, three small integers: what
it adds to the royalties, to the share of fouls and to the worth of fantasyland. So one file serves every foul cost and
worth of its rules, best those that it was trained for. A header says where it comes from, with a hash of the contents.
"""

import hashlib
import json
import math
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import platformdirs
from numpy.typing import NDArray
from pydantic import ValidationError

from bromeliad.errors import WeightsError
from bromeliad.games.ofc.rules.rule_set import Model, RuleSet
from bromeliad.games.ofc.values.learned import Learned, empty_learned, learned_layout, stage_size

__all__ = [
    "FORMAT",
    "ErrorModel",
    "Provenance",
    "WeightFile",
    "find_weights",
    "game_key",
    "layout_key",
    "learned_for",
    "read_header",
    "read_weights",
    "save_weights",
    "use_weights",
    "weights_directory",
]

FORMAT = 1
_UNITS = (1 / 256, 1 / 4096, 1 / 256)  # of royalties, fouls and worth in a file, at their finest
_MOST_BYTES = 6_000_000  # of a file; a larger one gets coarser units
_SHIPPED = resources.files("bromeliad.games.ofc.values") / "trained"
_ENVIRONMENT = "BROMELIAD_WEIGHTS"
_DAMAGED = "{path} is damaged or of another version: train it again with `bromeliad train`"


class ErrorModel(NamedTuple):
    """What the error of a searched mean has beside that of sampling, as measured on one street."""

    beside: float = 0.0  # standard error that no number of simulations takes away
    dropped: float = 0.0  # simulations after which having been dropped as unlucky doubles the variance

    def stated(self, error: float, visits: int) -> float:
        """Return the standard error to state for a mean of so many simulations with this sampling error."""
        return math.hypot(error * math.sqrt(1.0 + self.dropped / visits), self.beside)


class Provenance(Model):
    """Where weights come from: the header of a file."""

    format: int
    rules: str
    game: str  # key of the rules, as far as they matter to the value of a board
    layout: str  # hash of the tables' layout
    foul_cost: float
    fantasyland_worth: dict[int, float]
    hands: int
    seed: int
    rate: float
    explore: float
    package: str  # version that trained them
    units: tuple[float, float, float] = _UNITS  # what one of a file's whole numbers stands for
    errors: tuple[ErrorModel, ...] = ()  # by street: what searched means are off beside their sampling error
    sha256: str  # of the contents


class WeightFile(NamedTuple):
    """What a file holds."""

    provenance: Provenance
    parts: NDArray[np.float32]  # [weight, part]


def game_key(rules: RuleSet) -> str:
    """Return a hash of the rules as far as they decide what a board is worth: stay and settlement do not."""
    data = rules.model_dump(mode="json", include={"jokers", "streets", "order", "royalties", "fantasyland"})
    for unused in ("stay", "stay_cards", "commit", "button_moves_on_stay"):
        data["fantasyland"].pop(unused)
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def layout_key(layout: NDArray[np.int64]) -> str:
    """Return a hash of a layout: weights of another one mean something else."""
    return hashlib.sha256(layout.tobytes()).hexdigest()[:16]


def save_weights(path: Path, provenance: Mapping[str, Any], parts: NDArray[np.float32]) -> Provenance:
    """Write weights; the file appears whole or not at all.

    Parameters
    ----------
    provenance
        The fields of :class:`Provenance` but format, units and sha256, which are added.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as fresh:
        for coarser in (1, 2, 4, 8, 16):
            fresh.seek(0)
            fresh.truncate()
            units = tuple(unit * coarser for unit in _UNITS)
            header, contents = _packed({**provenance, "units": units}, parts)
            text = np.frombuffer(header.model_dump_json().encode(), np.uint8)
            np.savez_compressed(fresh, allow_pickle=False, header=text, **contents)
            if fresh.tell() <= _MOST_BYTES:
                break
    Path(fresh.name).replace(path)
    path.chmod(0o644)
    return header


def _packed(provenance: Mapping[str, Any], parts: NDArray[np.float32]) -> tuple[Provenance, dict[str, NDArray[Any]]]:
    """Return the header and the contents of a file."""
    units = np.array(provenance["units"], np.float32)
    whole = np.clip(np.rint(parts / units), -32768, 32767).astype(np.int16)
    used = whole.any(axis=1)
    contents = {"used": np.packbits(used), "parts": np.ascontiguousarray(whole[used].T)}
    return Provenance(**provenance, format=FORMAT, sha256=_hash(contents.values())), contents


def _hash(arrays: Iterable[NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def _read(path: Path, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Return some arrays of a file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in names}
    except OSError as error:
        raise WeightsError("{path} cannot be read: {problem}", path=path, problem=error.strerror or error) from error
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise WeightsError(_DAMAGED, path=path) from error


def read_header(path: Path) -> Provenance:
    """Return the header of a file, without its weights."""
    try:
        return Provenance.model_validate_json(_read(path, ["header"])["header"].tobytes())
    except ValidationError as error:
        raise WeightsError(_DAMAGED, path=path) from error


def read_weights(path: Path) -> WeightFile:
    """Read a file and check that it is whole.

    Raises
    ------
    WeightsError
        If it cannot be read, is damaged, or of another format.
    """
    header = read_header(path)
    used, parts = _read(path, ["used", "parts"]).values()
    if header.format != FORMAT or header.sha256 != _hash((used, parts)):
        raise WeightsError(_DAMAGED, path=path)
    weights = np.zeros((8 * used.size, len(_UNITS)), np.float32)
    weights[np.flatnonzero(np.unpackbits(used))] = parts.T * np.array(header.units, np.float32)
    return WeightFile(header, weights)


def weights_directory() -> Path:
    """Return where the user's own weights are kept: `bromeliad train` puts them there."""
    return Path(platformdirs.user_data_dir("bromeliad", appauthor=False)) / "weights"


def _files() -> list[Path]:
    """Return all files of weights, the user's own first; one that is named in the environment is the only one."""
    named = os.environ.get(_ENVIRONMENT)
    if named is not None:
        return [Path(named)] if named else []
    own = weights_directory()
    with resources.as_file(_SHIPPED) as shipped:
        return [*sorted(own.glob("*.npz")), *sorted(Path(shipped).glob("*.npz"))]


def _distance(header: Provenance, foul_cost: float, worth: Mapping[int, float]) -> float:
    """Return how far the objective of some weights is from the one that is asked for."""
    cards = header.fantasyland_worth.keys() | worth.keys()
    return abs(header.foul_cost - foul_cost) + sum(
        abs(header.fantasyland_worth.get(count, 0.0) - worth.get(count, 0.0)) for count in cards
    )


@contextmanager
def use_weights(path: Path) -> Iterator[None]:
    """Let one file be the only one, in this process and those that it starts, while a ``with`` block runs."""
    before = os.environ.get(_ENVIRONMENT)
    os.environ[_ENVIRONMENT] = str(path)
    _forget()
    try:
        yield
    finally:
        os.environ.pop(_ENVIRONMENT)
        if before is not None:
            os.environ[_ENVIRONMENT] = before
        _forget()


def _forget() -> None:
    find_weights.cache_clear()
    learned_for.cache_clear()


@lru_cache(maxsize=8)
def find_weights(
    rules: RuleSet, foul_cost: float, worth: tuple[tuple[int, float], ...]
) -> tuple[Path, Provenance] | None:
    """Return the file that serves a rule set and an objective best, and its header; None if there is none."""
    if rules.fantasyland.first_street is not None:  # what the first deal decided is not in the tables
        return None
    layout = learned_layout(rules)
    game, key = game_key(rules), layout_key(layout)
    fitting: list[tuple[float, int, Path, Provenance]] = []
    named = os.environ.get(_ENVIRONMENT)
    for path in _files():
        try:
            header = read_header(path)
        except WeightsError:
            if named:
                raise
            continue  # a damaged file among others must not stop everything
        if header.game == game and header.layout == key and header.format == FORMAT:
            fitting.append((_distance(header, foul_cost, dict(worth)), len(fitting), path, header))
    if named and not fitting:
        raise WeightsError("{path} has no weights for these rules: {rules}", path=named, rules=rules.name)
    return min(fitting)[2:] if fitting else None


@lru_cache(maxsize=8)
def learned_for(rules: RuleSet, foul_cost: float, worth: tuple[tuple[int, float], ...]) -> Learned:
    """Return the learned evaluation that serves a rule set and an objective best; an empty one if there is none."""
    found = find_weights(rules, foul_cost, worth)
    if found is None:
        return empty_learned()
    layout = learned_layout(rules)
    size = (len(rules.streets) - 1) * stage_size(layout)
    weights = _under_objective(read_weights(found[0]), foul_cost, dict(worth))[:size]
    if weights.size < size:
        raise WeightsError(_DAMAGED, path=found[0])
    weights.setflags(write=False)
    return Learned(layout, weights)


def _under_objective(file: WeightFile, foul_cost: float, worth: Mapping[int, float]) -> NDArray[np.float32]:
    """Return the weights of the value under an objective."""
    trained = file.provenance.fantasyland_worth
    before = sum(trained.values())
    ratio = sum(worth.get(count, 0.0) for count in trained) / before if before else 1.0
    weights: NDArray[np.float32] = file.parts @ np.array([1.0, -foul_cost, ratio], np.float32)
    return weights
