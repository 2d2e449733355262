"""Regret: the loss of the search's choices at several budgets, and with other search parameters."""

import math
from typing import Any

import numpy as np

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch
from bromeliad.evaluation.regret import LOOK, Case, Effort, Judged, make_cases, measure_cases
from bromeliad.games.ofc.search_spot import default_params
from bromeliad.search import SearchParams

_Cases = dict[int, list[Case]]  # by street
_TREE: dict[str, Any] = {"root_policy": "tree", "shrinkage": 0.0}
METHODS: dict[str, dict[str, Any]] = {
    "halving (the default)": {},
    "halving, all in the first round": {"first_round": 1000},
    "halving, 8 in the first round": {"first_round": 8},
    "halving, no shrinkage": {"shrinkage": 0.0},
    "halving, shrinkage 40": {"shrinkage": 40.0},
    "UCT, by value": {**_TREE, "policy": "uct"},
    "UCT, by visits": {**_TREE, "policy": "uct", "final_choice": "visits"},
    "PUCT, by value": {**_TREE, "policy": "puct"},
    "PUCT, narrow chance (1, 0.4)": {**_TREE, "policy": "puct", "chance_k": 1.0, "chance_alpha": 0.4},
    "PUCT, flat tree": {**_TREE, "policy": "puct", "tree_depth": 1},
}
"""Search methods, as changes to the default parameters."""


@bench("regret", minutes=15, batches=True, page="strength")
def regret_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Measure regret by budget; ``quick`` takes half a minute."""
    effort = Effort(500, 0.3, 4, 1500) if quick else Effort()
    budgets, count = ((0.05, 0.2), 3) if quick else ((0.1, 1.0), 200)
    methods = {f"{budget:g} s": default_params(seconds=budget, seed=seed) for budget in budgets}
    cases = {street: make_cases(street, count, seed + street) for street in (1, 2, 3)}
    return [_budget_section(cases, _judge(cases, methods, effort, seed, batch), [LOOK, *methods], effort)]


@bench("regret-long", minutes=12, batches=True, page="strength")
def long_regret_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Measure the regret of long searches, on fewer positions of streets 1 and 2."""
    effort = Effort(500, 0.3, 4, 1500) if quick else Effort()
    seconds, count = (0.2, 2) if quick else (5.0, 60)
    method = {f"{seconds:g} s": default_params(seconds=seconds, seed=seed)}
    cases = {street: make_cases(street, count, seed + 10 + street) for street in (1, 2)}
    return [_budget_section(cases, _judge(cases, method, effort, seed, batch), [LOOK, *method], effort)]


@bench("policies", minutes=10, batches=True, page="strength")
def policies_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Compare the search methods at equal time."""
    effort = Effort(300, 0.2, 3, 500) if quick else Effort(2500, 1.0, 4, 3000)
    count, seconds = (2, 0.05) if quick else (60, 0.2)
    cases = {street: make_cases(street, count, seed + street, heads_up=street == 3) for street in (1, 2, 3)}
    methods = {
        name: default_params(seconds=seconds, seed=seed, early_stop="never", **changes)
        for name, changes in METHODS.items()
    }
    judged = _judge(cases, methods, effort, seed, batch)
    return [_policy_section(cases, judged, seconds, effort, batch.workers)]


def _judge(
    cases: _Cases, methods: dict[str, SearchParams], effort: Effort, seed: int, batch: Batch
) -> dict[int, list[Judged]]:
    """Let every method choose in every case; return the judgements by street."""
    return {
        street: measure_cases(f"street {street}", some, methods, None if street == 3 else effort, seed, batch)
        for street, some in cases.items()
    }


def _figures(judged: list[Judged], method: str) -> tuple[object, ...]:
    """Return (mean regret, its error, quality, its error) of a search method."""
    regret = np.array([item.regret(method) for item in judged])
    span = np.array([item.best - item.random for item in judged])
    quality = 1.0 - regret.sum() / span.sum()
    spread = (regret - (1.0 - quality) * span).std(ddof=1) / span.mean()  # linearised error of a ratio of sums
    root = math.sqrt(len(judged))
    return float(regret.mean()), float(regret.std(ddof=1)) / root, float(quality), float(spread) / root


def _budget_section(cases: _Cases, judged: dict[int, list[Judged]], methods: list[str], effort: Effort) -> Section:
    rows: list[tuple[object, ...]] = []
    for street, some in cases.items():
        for method in methods:
            spent = float(np.mean([case.seconds[method] for case in some]))
            simulations = float(np.mean([case.simulations[method] for case in some]))
            agrees = float(np.mean([item.agrees[method] for item in judged[street]]))
            figures = _figures(judged[street], method)
            rows.append((street, method, len(some), *figures, agrees, spent, simulations))
    columns = (
        *("street", "budget", "positions", "regret", "±", "quality", "± quality", "agreement"),
        *("seconds used", "simulations"),
    )
    notes = [
        "Random positions reached by the playout policy; pineapple, solo, foul cost 0, fantasyland worth 8, no"
        " opponent. One thread per search, one search per worker at a time; `seconds used` is less than the budget if"
        " searches stopped early.",
        f"Streets 1 and 2: 2 × {effort.playouts:,} paired playouts per candidate; the best is picked on one half and"
        f" scored on the other, both ways. Candidates: the choices and the best {effort.candidates} of another search"
        f" ({effort.seconds:g} s). Placements are valued by the playout policy with more exact values near the end;"
        " better play later could rank them differently, which this measure does not see. Street 3: exact values;"
        " `solve` answers that street exactly when it has the time, with a regret of 0.",
        "quality = (chosen − random) / (best − random), sums over positions; targets: 0.80 (initial placement), 0.85"
        " (later rounds). agreement: share of choices that are the reference's best. ± is one standard error over"
        " positions.",
    ]
    return Section("Regret by budget", columns, rows, notes)


def _policy_section(
    cases: _Cases, judged: dict[int, list[Judged]], seconds: float, effort: Effort, workers: int
) -> Section:
    rows: list[tuple[object, ...]] = []
    for method in (LOOK, *METHODS):
        row: list[object] = [method]
        for street in cases:
            regret, error, *_ = _figures(judged[street], method)
            row += [regret, error]
        row.append(float(np.mean([case.simulations[method] for case in cases[2]])))
        rows.append(tuple(row))
    columns = ("method", "street 1 regret", "±", "street 2 regret", "± ", "street 3 regret", " ±", "simulations")
    notes = [
        f"Regret over {len(cases[1])} positions per street, {seconds:g} s per search, one thread, no early stop."
        f" References: 2 × {effort.playouts:,} paired playouts per candidate on streets 1 and 2, exact values on street"
        " 3 (heads-up deck).",
        f"{workers} searches at once; simulations are the mean on street 2.",
    ]
    return Section("Search methods at equal time", columns, rows, notes)
