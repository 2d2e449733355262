"""The solver: quality in four scenarios, speed of exact answers, threads, memory."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from math import comb

import numpy as np

from bromeliad.bench.measuring import in_new_process, load, peak_mb, timed
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.cards import Card, format_cards
from bromeliad.core.game import score_actions
from bromeliad.core.kernel_cache import cache_directory
from bromeliad.core.machine import cores
from bromeliad.evaluation.regret import Case, Effort, all_codes, judge, judge_exactly, make_cases
from bromeliad.games.ofc.exact.earlier_streets import solve_exact
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.search_spot import default_params, search_spot
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import Field
from bromeliad.search import SearchParams
from bromeliad.solving.answer import Answer
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve

HEAP_LIMIT_MB = 2048
CACHE_LIMIT_MB = 500


@bench("solver", minutes=5, page="strength")
def solver_bench(
    quick: bool, seed: int, iterations: int | None = None, time_limit: float | None = None
) -> list[Section]:
    """Measure the solver; ``quick`` takes half a minute.

    Parameters
    ----------
    iterations
        Positions per scenario; 20 by default, 3 if quick.
    time_limit
        Seconds per decision of a scenario; 1 by default, 0.2 if quick.
    """
    before = load()
    return [
        _scenarios(quick, seed, iterations or (3 if quick else 20), time_limit or (0.2 if quick else 1.0)),
        _speed(5 if quick else 100, 1 if quick else 5, seed, before),
        _threads(1 if quick else 5, 0.3 if quick else 2.0, seed, before),
        _memory(0.5 if quick else 10.0),
    ]


@dataclass(frozen=True)
class _Scenario:
    """A kind of decision, and the quality to reach."""

    street: int
    target: float
    what: str
    close: bool = False  # only the positions with the closest heuristic values


_SCENARIOS = {
    "initial_placement": _Scenario(1, 0.80, "street 1"),
    "mid_game": _Scenario(3, 0.85, "street 3"),
    "end_game": _Scenario(5, 0.90, "street 5"),
    "complex_decision": _Scenario(2, 0.85, "street 2, the third with the closest heuristic values", close=True),
}


def _scenarios(quick: bool, seed: int, count: int, seconds: float) -> Section:
    effort = Effort(300, 0.2, 4, 1000) if quick else Effort(2500, 1.0, 5, 6000)
    rows: list[tuple[object, ...]] = []
    for name, scenario in _SCENARIOS.items():
        cases = _scenario_cases(scenario, count, seed)
        _ask(cases[0], 0.05, seed)  # compiles before the clock runs
        rows.append(_scenario_row(name, scenario, cases, seconds, seed, effort))
    columns = (
        *("scenario", "avg_time", "std_time", "min_time", "max_time", "avg_quality", "std_quality"),
        *("target", "iterations", "avg_simulations", "what"),
    )
    notes = [
        f"`solve` with {seconds:g} s and all threads, times in seconds; iterations = positions. Heads-up decks from"
        " street 3 on; pineapple, solo, foul cost 0, fantasyland worth 8.",
        "quality = (chosen − random) / (best − random), from exact values on streets 3 to 5, otherwise from"
        f" 2 × {effort.playouts:,} paired playouts per candidate: the best is picked on one half and scored on the"
        " other, so quality may exceed 1 by luck.",
    ]
    return Section("Four scenarios", columns, rows, notes)


def _scenario_cases(scenario: _Scenario, count: int, seed: int) -> list[Case]:
    cases = make_cases(scenario.street, count * (3 if scenario.close else 1), seed, heads_up=scenario.street >= 3)
    return sorted(cases, key=_lead)[:count] if scenario.close else cases


def _lead(case: Case) -> float:
    """Return the lead of the best placement over the second, by the heuristic values."""
    codes = all_codes(case.state)
    scores = np.zeros(codes.size)
    score_actions(case.state, codes, codes.size, scores)
    second, first = np.sort(scores)[-2:]
    return float(first - second)


def _ask(case: Case, seconds: float, seed: int) -> Answer:
    """Return the answer to a case, asked in text as a user would."""
    spot = case.spot
    request = SolveRequest(
        cards=format_cards(spot.cards),
        board=str(spot.board) if spot.board.cards else "",
        dead=str(spot.dead) if spot.dead else "",
        objective="solo",
        foul_cost=spot.foul_cost,
        fantasyland_worth=dict(spot.fantasyland_worth),
        time=seconds,
        seed=seed,
    )
    return solve(request)


def _scenario_row(
    name: str, scenario: _Scenario, cases: list[Case], seconds: float, seed: int, effort: Effort
) -> tuple[object, ...]:
    times, qualities, simulations = [], [], []
    for case in cases:
        start = time.perf_counter()
        answer = _ask(case, seconds, seed)
        times.append(time.perf_counter() - start)
        case.chosen["solve"] = _code(answer)
        simulations.append(answer.simulations)
        judged = judge(case, effort, seed) if scenario.street < 3 else judge_exactly(case)
        qualities.append(judged.quality("solve"))
    figures = (statistics.mean(times), statistics.pstdev(times), min(times), max(times))
    quality = (statistics.mean(qualities), statistics.pstdev(qualities))
    return name, *figures, *quality, scenario.target, len(cases), statistics.mean(simulations), scenario.what


def _code(answer: Answer) -> int:
    """Return the code of the best placement."""
    best = answer.best
    groups = (tuple(map(Card.from_string, row)) for row in (best.top, best.middle, best.back, best.discards))
    return Action(*groups).to_code()


_LIMIT_MS = {5: 0.1, 4: 2.0, 3: 3000.0}


@cache
def count_evaluations(free: tuple[int, int, int], streets: int, unseen: int) -> int:
    """Return the number of (draw, placement) sequences left for a board; a street deals three cards and places two."""
    if streets == 0:
        return 1
    total = 0
    for first in range(3):
        for second in range(3):
            left = list(free)
            left[first] -= 1
            left[second] -= 1
            if min(left) >= 0:  # three ways to choose the discard
                total += 3 * count_evaluations((left[0], left[1], left[2]), streets - 1, unseen - 3)
    return comb(unseen, 3) * total


def _replaced(spot: Spot) -> int:
    """Return the number of (action, draw, reply) evaluations in a plain enumeration."""
    free = [int(count) for count in spot.to_state().v[Field.FREE : Field.FREE + 3]]
    streets, unseen = len(spot.rules.streets) - spot.street_index, spot.unseen.size + len(spot.cards)
    return count_evaluations((free[0], free[1], free[2]), streets, unseen) // comb(unseen, 3)  # the first draw is known


def _speed(many: int, few: int, seed: int, load: float) -> Section:
    rows: list[tuple[object, ...]] = []
    for street, count in ((5, many), (4, many), (3, few)):
        cases = make_cases(street, count, seed, heads_up=True)
        run: Callable[[Spot], object] = solve_last_street if street == 5 else lambda spot: solve_exact(spot, 1)
        run(cases[0].spot)
        spent = [timed(partial(run, case.spot)) for case in cases]
        wall, cpu = ([1000.0 * value for value in values] for values in zip(*spent, strict=True))
        unseen = statistics.mean(case.spot.unseen.size for case in cases)
        replaced = statistics.mean(_replaced(case.spot) for case in cases)
        ms = statistics.median(wall), min(wall), max(wall), statistics.median(cpu)
        rows.append((street, unseen, *ms, _LIMIT_MS[street], f"{replaced:,.0f}", count))
    columns = ("street", "unseen", "median ms", "min ms", "max ms", "processor ms", "limit ms", "replaces", "positions")
    notes = [
        "Exact values of all placements, one thread, kernels loaded, from the spot to the answer; replaces = (action,"
        f" draw, reply) evaluations of plain enumeration. Load of the machine before: {load:.1f}.",
    ]
    return Section("Exact answers", columns, rows, notes)


def _threads(repeats: int, seconds: float, seed: int, load: float) -> Section:
    counts = range(1, cores() + 1)
    spots = {street: make_cases(street, 1, seed)[0].spot for street in (1, 2)}
    rows: list[tuple[object, ...]] = []
    for street, spot in spots.items():
        search_spot(spot, default_params(simulations=300))
        speeds: dict[int, list[tuple[float, float, float]]] = {count: [] for count in counts}
        for _ in range(repeats):
            for count in counts:  # in turn, so that other load affects all equally
                speeds[count].append(_throughput(spot, default_params(seconds=seconds, threads=count, seed=seed)))
        for count in counts:
            pairs = zip(speeds[count], speeds[1], strict=True)
            ratios = [own[0] / one[0] for own, one in pairs]
            efficiency = statistics.median(s[2] for s in speeds[count]) / statistics.median(s[2] for s in speeds[1])
            speed, use = (statistics.median(s[i] for s in speeds[count]) for i in (0, 1))
            rows.append((street, count, speed, statistics.median(ratios), max(ratios), 100.0 * use, efficiency))
    columns = (
        *("street", "threads", "simulations/s", "× one (median)", "× one (best)"),
        *("processor use %", "per processor second"),
    )
    notes = [
        f"{seconds:g} s per search, {repeats} alternating runs, no early stop; load before: {load:.1f}. Target: 1.7"
        " with two threads, processor use 80 to 95 %. Other load on the machine lowers use and ratio; simulations per"
        " second of processor time, relative to one thread, show what the threads themselves lose.",
    ]
    return Section("Threads", columns, rows, notes)


def _throughput(spot: Spot, params: SearchParams) -> tuple[float, float, float]:
    """Return (simulations/s, processor use, simulations per processor second)."""
    result = search_spot(spot, params.but(early_stop="never"))
    return result.simulations_per_second, result.cpu_utilisation, result.simulations / result.cpu_seconds


def _grow(street: int, seconds: float) -> tuple[float, float, float]:
    """Solve a position, in a new process; return MB: (peak resident, before solving, trees and tables)."""
    case = make_cases(street, 1, 1)[0]
    before = peak_mb()
    result = search_spot(case.spot, default_params(seconds=seconds, threads=cores(), early_stop="never"))
    if street == 3:
        solve_exact(case.spot)
    return peak_mb(), before, result.tree.size / 2**20


def _memory(seconds: float) -> Section:
    rows = []
    for street in (1, 2, 3):
        peak, before, arrays = in_new_process(_grow, street, seconds)
        rows.append((street, peak, HEAP_LIMIT_MB, before, arrays, CACHE_LIMIT_MB))
    columns = ("street", "peak MB", "limit MB", "before solving MB", "trees and caches MB", "limit MB ")
    kept = sum(file.stat().st_size for file in cache_directory().rglob("*") if file.is_file()) / 2**20
    notes = [
        f"One process per street: a search of {seconds:g} s on all threads (on street 3 also exact values); peak"
        f" resident memory. Compiled kernels and tables take {kept:.0f} MB on disk.",
    ]
    return Section("Memory", columns, rows, notes)
