"""Training runs: seeded, resumable, and measured as they go.

A run is divided by checkpoints. At each, greedy play by the learned values is measured on a fixed set of hands, and the
run is stored in one file beside the weights. A stopped run resumes where it was and ends with the same weights.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.cluster import Batch
from bromeliad.core.game import clone
from bromeliad.evaluation.calibration import SEARCHED_STREETS, fit_errors, sample_misses
from bromeliad.evaluation.play import Played, deal_hands, max_actions, play_hands
from bromeliad.evaluation.results import mean_and_error
from bromeliad.games.ofc.exact.earlier_streets import PAIR_STREET
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST
from bromeliad.games.ofc.values.learned import Learned, learned_layout, stage_size
from bromeliad.games.ofc.values.weights import ErrorModel, Provenance, read_weights, save_weights, use_weights
from bromeliad.learning.run import CALIBRATION, TEST_SEED, Checkpoint, Plan, Run
from bromeliad.learning.td import learn_hands, new_memory

SLICE = 20_000
"""Hands between two reports of progress and checks of cancel."""

FEARLESS = 0.15
"""Share of the hands, at the start, in which a foul costs nothing: a learner that fears fouls from the start never
learns where the risk pays."""


class TrainingResult(NamedTuple):
    """The result of a run."""

    provenance: Provenance | None  # None if the run was stopped
    curve: tuple[Checkpoint, ...]
    done: int


class SoloRun(Run):
    """A training run of the solo value of boards."""

    def __init__(self, spot: Spot, plan: Plan) -> None:
        super().__init__(spot, plan)
        layout = learned_layout(spot.rules)
        size = (len(spot.rules.streets) - 1) * stage_size(layout)
        root = spot.to_state()
        self._memory = new_memory(size, max_actions(root).size)
        self._root = root._replace(learned=Learned(layout, np.zeros(size, np.float32)))
        self._state = clone(root)._replace(learned=self._root.learned)
        self.errors: tuple[ErrorModel, ...] = ()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that learning changes."""
        memory = self._memory
        return {"weights": self._root.learned.weights, "parts": memory.parts, "errors": memory.errors}

    def learn(self, count: int) -> None:
        """Learn from the next hands, at most ``count``."""
        plan, state = self.plan, self._state
        fearless = int(plan.hands * FEARLESS)
        if self.done < fearless:
            count = min(count, fearless - self.done)
            state = state._replace(worth=_without_cost(state.worth))
        learn_hands(self._root, state, self._memory, self.rng, plan.seed, self.done, count, plan.rate, plan.explore)
        self.done += count
        if self.done == fearless:
            self._begin_to_fear()

    def _begin_to_fear(self) -> None:
        """Recompute the weights for the true cost of a foul, and reset the step sizes."""
        cost = np.array([1.0, -self.spot.foul_cost, 1.0], np.float32)
        self._root.learned.weights[:] = self._memory.parts @ cost
        self._memory.errors[:] = 0.0

    def measure(self) -> Checkpoint:
        """Return how well greedy play by the learned values does."""
        deals = deal_hands(self._root, min(self.plan.test_hands, self.plan.hands), TEST_SEED + self.plan.seed)
        out = play_hands(self._root, deals, "evaluation", 1).results
        means = out.mean(axis=0)
        return Checkpoint(
            self.done,
            float(means[Played.VALUE]),
            mean_and_error(out[:, Played.VALUE]).stderr,
            float(means[Played.FOUL]),
            float(means[Played.FANTASYLAND]),
        )

    def save(self, path: Path) -> Provenance:
        """Write the weights and the fitted errors."""
        return save_weights(path, {**self.provenance(), "errors": self.errors}, self._memory.parts)


def _without_cost(worth: NDArray[np.float64]) -> NDArray[np.float64]:
    free = worth.copy()
    free[FOUL_COST] = 0.0
    free.setflags(write=False)
    return free


def unfinished(output: Path) -> Path:
    """Return the file of an unfinished run that will write ``output``."""
    return output.with_name(output.name + ".run")


def train(
    spot: Spot,
    plan: Plan,
    output: Path,
    on_progress: Callable[[float, tuple[Checkpoint, ...]], None] = lambda share, curve: None,
    cancelled: Callable[[], bool] = lambda: False,
    batch: Batch | None = None,
) -> TrainingResult:
    """Learn values for the rules and the objective of ``spot`` and write them to ``output``.

    A stopped run is stored beside it; the same call resumes it and ends with the same weights.

    Parameters
    ----------
    batch
        Searches the positions to which stated errors are fitted. Learning itself is sequential, because every hand is
        played by the values learned from earlier hands.

    Raises
    ------
    WeightsError
        If the file beside ``output`` is not a stored run, or is a run with other settings.
    """
    run, kept = _new_run(spot, plan), unfinished(output)
    if kept.exists():
        run.restore(kept)
    for mark in plan.marks:
        while run.done < mark:
            if cancelled():
                run.store(kept)
                return TrainingResult(None, tuple(run.curve), run.done)
            run.learn(min(SLICE, mark - run.done))
            on_progress(run.done / plan.hands, tuple(run.curve))
        if not run.curve or run.curve[-1].hands < mark:
            run.curve.append(run.measure())
            on_progress(run.done / plan.hands, tuple(run.curve))
            run.store(kept)
    if not _calibrate(run, output.with_name(output.name + ".new"), batch or Batch(), cancelled):
        run.store(kept)
        return TrainingResult(None, tuple(run.curve), run.done)
    header = run.save(output)
    kept.unlink(missing_ok=True)
    return TrainingResult(header, tuple(run.curve), run.done)


def _new_run(spot: Spot, plan: Plan) -> Run:
    if plan.objective == "solo":
        return SoloRun(spot, plan)
    from bromeliad.learning.versus_train import VersusRun

    return VersusRun(spot, plan)


def _calibrate(run: Run, path: Path, batch: Batch, cancelled: Callable[[], bool]) -> bool:
    """Fit the error models of the searched streets to the weights just learned; return False if cancelled."""
    if not isinstance(run, SoloRun) or run.plan.calibration == 0:
        return True
    run.save(path)
    try:
        errors = _fit(run.spot, path, run.plan.calibration, run.plan.seed, batch, lambda share: None, cancelled)
    finally:
        path.unlink()
    run.errors = errors or ()
    return errors is not None


def _fit(
    spot: Spot,
    path: Path,
    positions: int,
    seed: int,
    batch: Batch,
    on_progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> tuple[ErrorModel, ...] | None:
    """Return the error model of each searched street, for the weights in a file; None if cancelled."""
    if any(street != PAIR_STREET for street in spot.rules.streets[1:]):
        return ()  # no exact values to compare with
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
    """Fit the stated errors of searches again, for existing weights; return None if cancelled.

    Parameters
    ----------
    spot
        The rules and the objective for which the weights were trained.
    """
    errors = _fit(spot, path, CALIBRATION, seed, batch or Batch(), on_progress, cancelled)
    if errors is None:
        return None
    header, parts = read_weights(path)
    kept = header.model_dump(exclude={"format", "units", "sha256", "errors"})
    return save_weights(path, {**kept, "errors": errors}, parts)
