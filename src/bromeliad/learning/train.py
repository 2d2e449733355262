"""A training run: seeded, resumable, measured while it goes on.

A run is cut into slices. After each the greedy policy of what was learned plays a fixed set of hands, and everything
is kept in one file beside the weights, so that a run that was stopped goes on where it was and ends the same.
"""

import json
import math
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad import __version__
from bromeliad.cluster import Batch
from bromeliad.core.game import clone
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError, WeightsError
from bromeliad.evaluation.calibration import SEARCHED_STREETS, fit_errors, sample_misses
from bromeliad.evaluation.play import Played, deal_hands, max_actions, play_hands
from bromeliad.games.ofc.exact.earlier_streets import PAIR_STREET
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST
from bromeliad.games.ofc.values.learned import Learned, learned_layout, stage_size
from bromeliad.games.ofc.values.weights import (
    ErrorModel,
    Provenance,
    game_key,
    layout_key,
    read_weights,
    save_weights,
    use_weights,
)
from bromeliad.learning.td import Memory, learn_hands, new_memory

__all__ = ["Checkpoint", "Plan", "TrainingResult", "calibrate", "train"]

SLICE = 20_000
"""Hands between two looks at progress and cancel."""

FEARLESS = 0.15
"""Share of the hands, the first ones, in which a foul costs nothing: who fears it from the start never learns to risk
it where that pays."""

CALIBRATION = 80
"""Positions of each searched street with which stated errors are fitted."""

_TEST_SEED = 1 << 40  # hands that measure are none of those that teach


@dataclass(frozen=True)
class Plan:
    """What decides the outcome of a run, whatever interrupts it."""

    hands: int
    seed: int = 1
    rate: float = 1.0  # of the largest step: the share of an error that one board takes over
    explore: float = 0.05  # share of placements at random
    checkpoints: int = 20
    test_hands: int = 20_000
    calibration: int = CALIBRATION  # positions of each searched street behind the stated errors; 0 for none

    @property
    def marks(self) -> list[int]:
        """The numbers of hands after which is measured."""
        return [self.hands * (i + 1) // self.checkpoints for i in range(self.checkpoints)]


class Checkpoint(NamedTuple):
    """A point of the learning curve."""

    hands: int
    mean: float
    stderr: float
    p_foul: float
    p_fantasyland: float


class TrainingResult(NamedTuple):
    """What a run came to."""

    provenance: Provenance | None  # None if it was stopped
    curve: tuple[Checkpoint, ...]
    done: int


class _Run:
    """A learner and how far it is."""

    def __init__(self, spot: Spot, plan: Plan) -> None:
        if spot.rules.fantasyland.first_street is not None or len(spot.rules.streets) < 2:
            raise InputError("{rules}: values are not learned where the first deal decides", rules=spot.rules.name)
        self.spot, self.plan = spot, plan
        self.layout = learned_layout(spot.rules)
        size = (len(spot.rules.streets) - 1) * stage_size(self.layout)
        self.weights = np.zeros(size, np.float32)
        root = spot.to_state()
        self.memory: Memory = new_memory(size, max_actions(root).size)
        self.root = root._replace(learned=Learned(self.layout, self.weights))
        self.state = clone(root)._replace(learned=self.root.learned)
        self.rng = new_rng(plan.seed)
        self.done = 0
        self.curve: list[Checkpoint] = []

    def learn(self, count: int) -> None:
        """Learn from the next hands, at most so many."""
        plan, state = self.plan, self.state
        fearless = int(plan.hands * FEARLESS)
        if self.done < fearless:
            count = min(count, fearless - self.done)
            state = state._replace(worth=_without_cost(state.worth))
        learn_hands(self.root, state, self.memory, self.rng, plan.seed, self.done, count, plan.rate, plan.explore)
        self.done += count
        if self.done == fearless:
            self._begin_to_fear()

    def _begin_to_fear(self) -> None:
        """Value what was learned under the true cost of a foul, and take large steps again."""
        self.weights[:] = self.memory.parts @ np.array([1.0, -self.spot.foul_cost, 1.0], np.float32)
        self.memory.errors[:] = 0.0

    def measure(self) -> Checkpoint:
        """Return how well the greedy policy of what was learned plays."""
        deals = deal_hands(self.root, self.plan.test_hands, _TEST_SEED + self.plan.seed)
        out = play_hands(self.root, deals, "evaluation", 1).results
        means = out.mean(axis=0)
        stderr = float(out[:, Played.VALUE].std(ddof=1)) / math.sqrt(len(out))
        return Checkpoint(
            self.done,
            float(means[Played.VALUE]),
            stderr,
            float(means[Played.FOUL]),
            float(means[Played.FANTASYLAND]),
        )

    def identity(self) -> dict[str, Any]:
        """Return what a stored run must agree in to be gone on with."""
        return {
            **asdict(self.plan),
            "game": game_key(self.spot.rules),
            "layout": layout_key(self.layout),
            "foul_cost": self.spot.foul_cost,
            "worth": [list(item) for item in self.spot.fantasyland_worth],
        }

    def store(self, path: Path) -> None:
        """Keep everything in a file, whole or not at all."""
        header = {"identity": self.identity(), "done": self.done, "curve": self.curve}
        arrays: dict[str, NDArray[Any]] = {
            "header": np.frombuffer(json.dumps(header).encode(), np.uint8),
            "weights": self.weights,
            "parts": self.memory.parts,
            "errors": self.memory.errors,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as fresh:
            np.savez(fresh, allow_pickle=False, **arrays)
        Path(fresh.name).replace(path)

    def restore(self, path: Path) -> None:
        """Go on where a stored run stopped."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                header = json.loads(stored["header"].tobytes())
                if header["identity"] != self.identity():
                    raise WeightsError(
                        "{path} is a run with other settings: repeat them, or delete it to begin anew", path=path
                    )
                self.weights[:] = stored["weights"]
                self.memory.parts[:] = stored["parts"]
                self.memory.errors[:] = stored["errors"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise WeightsError("{path} is not a stored run: delete it to begin anew", path=path) from error
        self.done = int(header["done"])
        self.curve = [Checkpoint(*point) for point in header["curve"]]


def _without_cost(worth: NDArray[np.float64]) -> NDArray[np.float64]:
    free = worth.copy()
    free[FOUL_COST] = 0.0
    free.setflags(write=False)
    return free


def unfinished(output: Path) -> Path:
    """Return where a run towards ``output`` is kept until it is done."""
    return output.with_name(output.name + ".run")


def train(
    spot: Spot,
    plan: Plan,
    output: Path,
    on_progress: Callable[[float, tuple[Checkpoint, ...]], None] = lambda share, curve: None,
    cancelled: Callable[[], bool] = lambda: False,
    batch: Batch | None = None,
) -> TrainingResult:
    """Learn the values for the rules and the objective of ``spot`` and write them to ``output``.

    A run that was stopped is kept beside it; the same call goes on with it, and comes to the same weights.

    Parameters
    ----------
    batch
        Who searches the positions that stated errors are fitted with. Learning itself is one after the other: every
        hand is played by what the hands before have taught.

    Raises
    ------
    WeightsError
        If a run with other settings, or something else, stands where the run is kept.
    """
    run, kept = _Run(spot, plan), unfinished(output)
    if kept.exists():
        run.restore(kept)
    for mark in plan.marks:
        while run.done < mark:
            if cancelled():
                run.store(kept)
                return TrainingResult(None, tuple(run.curve), run.done)
            run.learn(min(SLICE, mark - run.done))
            on_progress(run.done / plan.hands, tuple(run.curve))
        if len(run.curve) < len(plan.marks) and (not run.curve or run.curve[-1].hands < mark):
            run.curve.append(run.measure())
            on_progress(run.done / plan.hands, tuple(run.curve))
            run.store(kept)
    errors = _calibrate(run, output.with_name(output.name + ".new"), batch or Batch(), cancelled)
    if errors is None:
        run.store(kept)
        return TrainingResult(None, tuple(run.curve), run.done)
    header = save_weights(output, {**_provenance(run), "errors": errors}, run.memory.parts)
    kept.unlink(missing_ok=True)
    return TrainingResult(header, tuple(run.curve), run.done)


def _provenance(run: _Run) -> dict[str, Any]:
    spot, plan = run.spot, run.plan
    return {
        "rules": spot.rules.name,
        "game": game_key(spot.rules),
        "layout": layout_key(run.layout),
        "foul_cost": spot.foul_cost,
        "fantasyland_worth": dict(spot.fantasyland_worth),
        "hands": plan.hands,
        "seed": plan.seed,
        "rate": plan.rate,
        "explore": plan.explore,
        "package": __version__,
    }


def _calibrate(run: _Run, path: Path, batch: Batch, cancelled: Callable[[], bool]) -> tuple[ErrorModel, ...] | None:
    """Return the error model of each searched street with the weights just learned; None if somebody cancelled."""
    if run.plan.calibration == 0:
        return ()
    save_weights(path, _provenance(run), run.memory.parts)
    try:
        return _fit(run.spot, path, run.plan.calibration, run.plan.seed, batch, lambda share: None, cancelled)
    finally:
        path.unlink()


def _fit(
    spot: Spot,
    path: Path,
    positions: int,
    seed: int,
    batch: Batch,
    on_progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> tuple[ErrorModel, ...] | None:
    """Return the error model of each searched street with the weights of a file; None if somebody cancelled."""
    if any(street != PAIR_STREET for street in spot.rules.streets[1:]):
        return ()  # other streets have no exact values to compare with
    errors: list[ErrorModel] = []
    with use_weights(path):
        for street in SEARCHED_STREETS:
            misses = sample_misses(spot, street, positions, seed, batch=batch, cancelled=cancelled)
            if cancelled():
                return None
            errors.append(fit_errors(misses))
            on_progress(len(errors) / len(SEARCHED_STREETS))
    return tuple(errors)


def calibrate(
    spot: Spot,
    path: Path,
    seed: int = 1,
    on_progress: Callable[[float], None] = lambda share: None,
    cancelled: Callable[[], bool] = lambda: False,
    batch: Batch | None = None,
) -> Provenance | None:
    """Fit the errors that searches state anew, for weights that were trained before; None if somebody cancelled.

    Parameters
    ----------
    spot
        The rules and the objective; those that the weights were trained for.
    """
    errors = _fit(spot, path, CALIBRATION, seed, batch or Batch(), on_progress, cancelled)
    if errors is None:
        return None
    header, parts = read_weights(path)
    kept = header.model_dump(exclude={"format", "units", "sha256", "errors"})
    return save_weights(path, {**kept, "errors": errors}, parts)
