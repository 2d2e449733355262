"""Files of learned weights: how to write, read and find the one that fits a rule set and an objective.

A file is a numpy archive without pickles. For every weight that was trained it has three small integers: the
contributions to royalties, to the probability of a foul and to the worth of fantasyland. So one file serves every foul
cost and worth under its rules, though it is most accurate for those of its training. A header has the provenance and a
hash of the contents.

A file for values of two boards has the network instead, and the hash of the solo weights that it was trained with.
"""

import hashlib
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import platformdirs
from numpy.typing import NDArray
from pydantic import ValidationError

from bromeliad.core.arrays import read_arrays
from bromeliad.errors import WeightsError
from bromeliad.games.ofc.rules.rule_set import Model, RuleSet
from bromeliad.games.ofc.values.learned import Learned, empty_learned, learned_layout, stage_size
from bromeliad.games.ofc.values.versus_learned import (
    Singles,
    VersusLearned,
    empty_versus,
    frozen,
    input_starts,
    new_versus,
    versus_shapes,
)

FORMAT = 1
_UNITS = (1 / 256, 1 / 4096, 1 / 256)  # of royalties, fouls and worth in a file, at the finest
_ROW_UNIT = 1 / 2048  # of the rows of a network's inputs in a file
MOST_BYTES = 6_000_000  # of a file; a larger one gets coarser units
_SHIPPED = resources.files("bromeliad.games.ofc.values") / "trained"
_MOST_HEADER, _MOST_USED = 100_000, 4_000_000  # bytes; a small file can unpack into gigabytes
_ENVIRONMENT = "BROMELIAD_WEIGHTS"
_DAMAGED = "{path} is damaged or of another version: train it again with `bromeliad train`"


class ErrorModel(NamedTuple):
    """The errors that searched means have besides their sampling error, as measured on one street."""

    beside: float = 0.0  # standard error that more simulations do not reduce
    dropped: float = 0.0  # number of simulations at which dropping unlucky candidates doubles the variance

    def stated(self, error: float, visits: int) -> float:
        """Return the standard error to report for a mean, given its sampling error and number of simulations."""
        return math.hypot(self.stated_loss(error, visits), self.beside)

    def stated_loss(self, error: float, visits: int) -> float:
        """Return the standard error to report for a difference between two means, in which common errors cancel."""
        return error * math.sqrt(1.0 + self.dropped / visits)


class Provenance(Model):
    """The header of a file of weights: how they were trained, and what they are for."""

    format: int
    rules: str
    game: str  # hash of the rules that affect the value of a board
    layout: str  # hash of the tables' layout
    foul_cost: float
    fantasyland_worth: dict[int, float]
    hands: int
    seed: int
    rate: float
    explore: float
    package: str  # version that trained the weights
    units: tuple[float, ...] = _UNITS  # of the integers in the file
    objective: Literal["solo", "versus"] = "solo"  # versus: values of two boards
    solo: str = ""  # versus: the sha256 of the solo weights that the network was trained with
    counted: int = 1  # versus: the deals left up to which all next deals were counted
    errors: tuple[ErrorModel, ...] = ()  # by street
    sha256: str  # of the contents


class WeightFile(NamedTuple):
    """The contents of a file of solo weights."""

    provenance: Provenance
    parts: NDArray[np.float32]  # [weight, part]


def layout_key(rules: RuleSet, objective: Literal["solo", "versus"] = "solo") -> str:
    """Return a hash of the layout of weights; weights with another layout cannot be used."""
    layout = learned_layout(rules).tobytes()
    if objective == "versus":
        layout += input_starts(rules).tobytes() + repr(versus_shapes(rules)).encode()
    return hashlib.sha256(layout).hexdigest()[:16]


def save_weights(path: Path, provenance: Mapping[str, Any], parts: NDArray[np.float32]) -> Provenance:
    """Write a file of solo weights, complete or not at all.

    Parameters
    ----------
    provenance
        The fields of :class:`Provenance` except format, units and sha256, which are added.
    """
    for coarser in (1, 2, 4, 8, 16):
        units = tuple(unit * coarser for unit in _UNITS)
        header = _write(path, {**provenance, "units": units}, _packed("parts", parts, units))
        if path.stat().st_size <= MOST_BYTES:
            break
    return header


def save_network(path: Path, provenance: Mapping[str, Any], rows: Singles, layers: Singles) -> Provenance:
    """Write the network for values of two boards, as :func:`save_weights` does.

    Rows are rounded to keep the file small; rows that were never trained are 0.
    """
    units = (_ROW_UNIT,)
    return _write(path, {**provenance, "units": units}, {**_packed("rows", rows, units), "layers": layers})


def _packed(name: str, weights: NDArray[np.float32], units: tuple[float, ...]) -> dict[str, NDArray[Any]]:
    """Return weights as the arrays of a file: which rows are not 0, and these rows as integers."""
    whole = np.clip(np.rint(weights / np.array(units, np.float32)), -32768, 32767).astype(np.int16)
    used = whole.any(axis=1)
    return {"used": np.packbits(used), name: np.ascontiguousarray(whole[used].T)}


def _write(path: Path, provenance: Mapping[str, Any], contents: Mapping[str, NDArray[Any]]) -> Provenance:
    """Write a file of weights, complete or not at all."""
    header = Provenance(**provenance, format=FORMAT, sha256=_hash(contents.values()))
    text = np.frombuffer(header.model_dump_json().encode(), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as fresh:
        np.savez_compressed(fresh, allow_pickle=False, header=text, **contents)
    Path(fresh.name).replace(path)
    path.chmod(0o644)
    return header


def _hash(arrays: Iterable[NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def _read(path: Path, name: str, most_bytes: int) -> NDArray[Any]:
    """Return an array of a file."""
    try:
        return read_arrays(path, {name: most_bytes})[name]
    except OSError as error:
        raise WeightsError("{path} cannot be read: {problem}", path=path, problem=error.strerror or error) from error
    except ValueError as error:
        raise WeightsError(_DAMAGED, path=path) from error


def read_header(path: Path) -> Provenance:
    """Return the header of a file, without its weights."""
    try:
        return Provenance.model_validate_json(_read(path, "header", _MOST_HEADER).tobytes())
    except ValidationError as error:
        raise WeightsError(_DAMAGED, path=path) from error


def read_weights(path: Path) -> WeightFile:
    """Read a file of solo weights and check that it is complete.

    Raises
    ------
    WeightsError
        If it cannot be read, is damaged, or of another format.
    """
    header = read_header(path)
    weights, _ = _unpack(path, header, "parts", len(header.units))
    return WeightFile(header, weights * np.array(header.units, np.float32))


def read_network(path: Path, rules: RuleSet) -> tuple[Provenance, Singles, Singles]:
    """Read the network for values of two boards, as :func:`read_weights` does; return its header, rows and layers."""
    header, shapes = read_header(path), versus_shapes(rules)
    rows, layers = _unpack(path, header, "rows", shapes[0][1], shapes[1])
    if len(header.units) != 1 or len(rows) != 8 * math.ceil(shapes[0][0] / 8):
        raise WeightsError(_DAMAGED, path=path)
    return header, rows[: shapes[0][0]] * np.float32(header.units[0]), layers


def _unpack(
    path: Path, header: Provenance, name: str, width: int, layers: tuple[int, int] | None = None
) -> tuple[NDArray[np.float32], Singles]:
    """Return the integers of a file, 0 for weights that were never trained; also its layers if their shape is given.

    The size of each array limits the next one, so that a damaged file cannot fill the memory.
    """
    used = _read(path, "used", _MOST_USED)
    if header.format != FORMAT or used.dtype != np.uint8 or used.ndim != 1:
        raise WeightsError(_DAMAGED, path=path)
    places = np.flatnonzero(np.unpackbits(used))
    learned = _read(path, name, 2 * width * places.size)
    dense = _read(path, "layers", 4 * layers[0] * layers[1]) if layers else np.zeros((0, 0), np.float32)
    fits = learned.dtype == np.int16 and learned.shape == (width, places.size)
    fits = fits and dense.dtype == np.float32 and dense.shape == (layers or (0, 0))
    if not fits or header.sha256 != _hash((used, learned, dense)):
        raise WeightsError(_DAMAGED, path=path)
    numbers = np.zeros((8 * used.size, width), np.float32)
    numbers[places] = learned.T
    return numbers, dense


def weights_directory() -> Path:
    """Return the folder of the user's own weights, where `bromeliad train` puts them."""
    return Path(platformdirs.user_data_dir("bromeliad", appauthor=False)) / "weights"


def _files() -> list[Path]:
    """Return all files of weights, the user's own first; or only the one that the environment names."""
    named = os.environ.get(_ENVIRONMENT)
    if named is not None:
        return [Path(named)] if named else []
    own = weights_directory()
    with resources.as_file(_SHIPPED) as shipped:
        return [*sorted(own.glob("*.npz")), *sorted(Path(shipped).glob("*.npz"))]


def _distance(header: Provenance, foul_cost: float, worth: Mapping[int, float]) -> float:
    """Return the distance between the objective of some weights and another objective."""
    cards = header.fantasyland_worth.keys() | worth.keys()
    return abs(header.foul_cost - foul_cost) + sum(
        abs(header.fantasyland_worth.get(count, 0.0) - worth.get(count, 0.0)) for count in cards
    )


@contextmanager
def use_weights(path: Path) -> Iterator[None]:
    """Use only one file inside a ``with`` block, in this process and those that it starts."""
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
    versus_for.cache_clear()


@lru_cache(maxsize=8)
def find_weights(
    rules: RuleSet,
    foul_cost: float,
    worth: tuple[tuple[int, float], ...],
    objective: Literal["solo", "versus"] = "solo",
) -> tuple[Path, Provenance] | None:
    """Return the file that best fits a rule set and an objective, and its header; None if none fits."""
    if rules.fantasyland.first_street is not None:  # the tables do not know what the first deal earned
        return None
    game, key = rules.game_key, layout_key(rules, objective)
    fitting: list[tuple[float, int, Path, Provenance]] = []
    named = os.environ.get(_ENVIRONMENT)
    for path in _files():
        try:
            header = read_header(path)
        except WeightsError:
            if named:
                raise
            continue  # one damaged file must not stop everything
        fits = header.game == game and header.layout == key and header.format == FORMAT
        if fits and header.objective == objective:
            fitting.append((_distance(header, foul_cost, dict(worth)), len(fitting), path, header))
    if named and not fitting and objective == "solo":
        raise WeightsError("{path} has no weights for these rules: {rules}", path=named, rules=rules.name)
    return min(fitting)[2:] if fitting else None


@lru_cache(maxsize=8)
def learned_for(rules: RuleSet, foul_cost: float, worth: tuple[tuple[int, float], ...]) -> Learned:
    """Return the learned evaluation that best fits a rule set and an objective; an empty one if none fits."""
    found = find_weights(rules, foul_cost, worth)
    if found is None:
        return empty_learned()
    learned = _learned(read_weights(found[0]), rules, foul_cost, dict(worth))
    if learned.weights.size < (len(rules.streets) - 1) * stage_size(learned.map):
        raise WeightsError(_DAMAGED, path=found[0])
    return learned


def _learned(file: WeightFile, rules: RuleSet, foul_cost: float, worth: Mapping[int, float]) -> Learned:
    """Return the learned evaluation of a file of solo weights under an objective."""
    layout = learned_layout(rules)
    weights = _under_objective(file, foul_cost, worth)[: (len(rules.streets) - 1) * stage_size(layout)]
    weights.setflags(write=False)
    return Learned(layout, weights)


@lru_cache(maxsize=2)
def versus_for(rules: RuleSet, worth: tuple[tuple[int, float], ...]) -> VersusLearned:
    """Return the learned evaluation of two boards that best fits a rule set; an empty one if none fits."""
    found = find_weights(rules, rules.objective.foul_cost, worth, "versus")
    if found is None:
        return empty_versus()
    header, rows, layers = read_network(found[0], rules)
    path = next((path for path in _files() if _is_file(path, header.solo)), None)
    if path is None:
        return empty_versus()  # the network is useless without its solo weights
    file = read_weights(path)
    solo = _learned(file, rules, header.foul_cost, dict(worth))
    worths = file.provenance.fantasyland_worth
    return frozen(new_versus(rules, solo, file.parts, worths, rows, layers, header.counted))


def _is_file(path: Path, sha256: str) -> bool:
    try:
        return read_header(path).sha256 == sha256
    except WeightsError:
        return False


def _worth_ratio(header: Provenance, worth: Mapping[int, float]) -> float:
    """Return the worth of fantasyland as a multiple of the worth in training."""
    before = sum(header.fantasyland_worth.values())
    return sum(worth.get(count, 0.0) for count in header.fantasyland_worth) / before if before else 1.0


def _under_objective(file: WeightFile, foul_cost: float, worth: Mapping[int, float]) -> NDArray[np.float32]:
    """Return one number per weight: its royalties, fouls and fantasyland, added up under an objective."""
    ratio = _worth_ratio(file.provenance, worth)
    weights: NDArray[np.float32] = file.parts @ np.array([1.0, -foul_cost, ratio], np.float32)
    return weights
