"""The state of a training run: its settings, its learning curve, and how it is stored and resumed."""

import json
import tempfile
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad import __version__
from bromeliad.core.arrays import read_arrays
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError, WeightsError
from bromeliad.games.ofc.spot import ObjectiveName, Spot
from bromeliad.games.ofc.values.weights import Provenance, layout_key

CALIBRATION = 80
"""Positions per searched street to which stated errors are fitted."""

_MOST_HEADER = 10_000_000  # largest header of a stored run in bytes; it contains the curve

TEST_SEED = 1 << 40
"""Added to the seed of a run for the hands that measure it, so that they differ from those that it learns from."""


@dataclass(frozen=True)
class Plan:
    """The settings that determine the outcome of a run, even if it is interrupted."""

    hands: int
    seed: int = 1
    rate: float = 1.0  # largest step: the share of its error by which one board moves
    explore: float = 0.05  # share of random placements
    checkpoints: int = 20
    test_hands: int = 20_000
    calibration: int = CALIBRATION  # positions per searched street to which stated errors are fitted; 0 for no fit
    objective: ObjectiveName = "solo"  # versus: values of two boards, starting from solo weights

    @property
    def marks(self) -> list[int]:
        """The numbers of hands after which the run is measured."""
        return [self.hands * (i + 1) // self.checkpoints for i in range(self.checkpoints)]


class Checkpoint(NamedTuple):
    """A point of the learning curve."""

    hands: int
    mean: float
    stderr: float
    p_foul: float
    p_fantasyland: float


class Run(ABC):
    """A training run and its progress."""

    def __init__(self, spot: Spot, plan: Plan) -> None:
        if spot.rules.fantasyland.first_street is not None or len(spot.rules.streets) < 2:
            raise InputError(
                "{rules}: values cannot be learned if the first deal decides fantasyland, or if there is only one deal",
                rules=spot.rules.name,
            )
        self.spot, self.plan = spot, plan
        self.rng = new_rng(plan.seed)
        self.done = 0
        self.curve: list[Checkpoint] = []

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that learning changes."""

    @abstractmethod
    def learn(self, count: int) -> None:
        """Learn from the next hands, at most ``count``."""

    @abstractmethod
    def measure(self) -> Checkpoint:
        """Return how well the learned values play."""

    @abstractmethod
    def save(self, path: Path) -> Provenance:
        """Write the weights."""

    def provenance(self) -> dict[str, Any]:
        """Return the header of the weights."""
        spot, plan = self.spot, self.plan
        return {
            "rules": spot.rules.name,
            "game": spot.rules.game_key,
            "layout": layout_key(spot.rules, plan.objective),
            "foul_cost": spot.foul_cost,
            "fantasyland_worth": dict(spot.fantasyland_worth),
            "hands": plan.hands,
            "seed": plan.seed,
            "rate": plan.rate,
            "explore": plan.explore,
            "package": __version__,
        }

    def identity(self) -> dict[str, Any]:
        """Return the settings that a stored run must have to be resumed by this one."""
        return {
            **asdict(self.plan),
            "game": self.spot.rules.game_key,
            "layout": layout_key(self.spot.rules, self.plan.objective),
            "foul_cost": self.spot.foul_cost,
            "worth": [list(item) for item in self.spot.fantasyland_worth],
        }

    def store(self, path: Path) -> None:
        """Write the run to a file, completely or not at all."""
        header = {"identity": self.identity(), "done": self.done, "curve": self.curve}
        text = np.frombuffer(json.dumps(header).encode(), np.uint8)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as fresh:
            np.savez(fresh, allow_pickle=False, header=text, **self.arrays())
        Path(fresh.name).replace(path)

    def restore(self, path: Path) -> None:
        """Resume a stored run."""
        own = self.arrays()
        try:
            stored = read_arrays(path, {"header": _MOST_HEADER} | {name: array.nbytes for name, array in own.items()})
            header = json.loads(stored["header"].tobytes())
            if header["identity"] != self.identity():
                raise WeightsError(
                    "{path} is a run with other settings: use the same settings, or delete it to start again", path=path
                )
            done, curve = int(header["done"]), [Checkpoint(*point) for point in header["curve"]]
            for name, array in own.items():
                array[:] = stored[name]
        except (OSError, ValueError, LookupError, TypeError, OverflowError) as error:
            raise WeightsError("{path} is not a stored run: delete it to start again", path=path) from error
        self.done, self.curve = done, curve
