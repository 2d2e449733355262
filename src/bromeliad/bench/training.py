"""Whether training depends on luck: two runs from different seeds, and the strength of each."""

import math
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.evaluation.regret import default_start
from bromeliad.evaluation.strength import Strength, measure_strength
from bromeliad.games.ofc.values.weights import use_weights
from bromeliad.learning.run import Plan
from bromeliad.learning.train import train


@bench("training", minutes=4, page="strength")
def training_bench(quick: bool, seed: int) -> list[Section]:
    """Train twice in parallel, and compare the strength of both."""
    hands, test_hands = (20_000, 50) if quick else (2_000_000, 3000)
    spot = default_start()
    with tempfile.TemporaryDirectory() as folder:
        paths = {number: Path(folder) / f"{number}.npz" for number in (seed, seed + 1)}

        def work(number: int) -> None:
            train(spot, Plan(hands, number, checkpoints=1, test_hands=100, calibration=0), paths[number])

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(work, paths))
        results = {}
        for number, path in paths.items():
            with use_weights(path):
                results[number] = measure_strength(spot, "evaluation", test_hands, seed=seed)
    return [_section(results, hands)]


def _section(results: dict[int, Strength], hands: int) -> Section:
    first, second = results.values()
    rows: list[tuple[object, ...]] = [
        (f"seed {number}", item.luck_adjusted_mean, item.luck_adjusted_stderr, item.mean, item.stderr)
        for number, item in results.items()
    ]
    difference = second.luck_adjusted_mean - first.luck_adjusted_mean
    error = math.hypot(first.luck_adjusted_stderr, second.luck_adjusted_stderr)
    rows.append(("difference", difference, error, second.mean - first.mean, "-"))
    notes = [
        f"pineapple, solo, foul cost 0, fantasyland worth 8: {hands:,} training hands each, then {first.hands:,} hands"
        " played by the evaluation alone, with the same deals for both; ± is one standard error."
    ]
    return Section("The same training from two seeds", ("run", "luck-adjusted mean", "±", "mean", "± "), rows, notes)
