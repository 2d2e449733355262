"""Batch work: Ray compared with local processes, and the time of big jobs at the measured rates."""

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from bromeliad.bench.measuring import timed
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch, Executor, open_executor
from bromeliad.core.machine import cores
from bromeliad.evaluation.regret import make_cases
from bromeliad.evaluation.results import mean_and_error
from bromeliad.games.ofc.search_spot import default_params, search_spot
from bromeliad.games.ofc.spot import Spot
from bromeliad.matches.ofc import OfcMatch
from bromeliad.matches.runner import play_match

WORKERS = 2
KERNELS = ("bromeliad.games.ofc.search_spot",)
_SIMULATIONS = 8000  # per item, which takes well over 50 ms
_STARTS = 3
_OPENINGS, _OPENINGS_WITH_JOKERS = 134_459, 152_646
_DEEP = 100_000  # simulations per opening in a book of full depth
_STUDY = 10_000_000  # hands
_NODES = 100
_PARTS = 4  # parts of a measured match; their scatter gives the error of its rate
_MATCHES = (("heuristic", "heuristic"), ("mcts:500sims", "heuristic"), ("solver:2000sims:solo", "heuristic"))


@bench("cluster", minutes=15)
def cluster_bench(quick: bool, seed: int) -> list[Section]:
    """Measure both back ends in turn, then the cost of big jobs."""
    items, rounds, hands = (8, 2, 8) if quick else (100, 10, 400)
    with _ray() as cluster_seconds:
        starts = _starts_section(cluster_seconds, seed, 1 if quick else _STARTS)
        with open_executor("local", WORKERS) as local, open_executor("auto", WORKERS) as ray:
            throughput = _throughput_section(local, ray, items, rounds, seed)
    with open_executor("local", WORKERS) as executor:
        costs = _costs_section(Batch(executor), (4, 2000) if quick else (200, _DEEP), hands, seed)
    return [throughput, starts, costs]


@contextmanager
def _ray() -> Iterator[float]:
    """Run a Ray cluster on this machine alone; yield the seconds that its start took."""
    from bromeliad.cluster.ray_pool import import_ray

    ray = import_ray()
    os.environ.setdefault("RAY_worker_niceness", "0")  # as for local processes; Ray's default is 15
    start = time.perf_counter()
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        yield time.perf_counter() - start
    finally:
        ray.shutdown()


def search_opening(item: tuple[Spot, int, int]) -> float:
    """Search a position; return the seconds it took."""
    spot, simulations, seed = item
    params = default_params(simulations=simulations, seed=seed, memory_mb=64.0, early_stop="never")
    return timed(lambda: search_spot(spot, params)).seconds


def do_nothing(item: int) -> int:
    """Return the item, to measure the cost of sending it."""
    return item


def _openings(count: int, seed: int) -> list[Spot]:
    return [case.spot for case in make_cases(1, count, seed)]


class _Round(NamedTuple):
    """The figures of one back end in one round."""

    rate: float  # items per second
    milliseconds: float  # per item, in the worker
    overhead: float  # empty items per second


def _measure(executor: Executor, spots: list[Spot], seed: int) -> _Round:
    items = ((str(i), (spot, _SIMULATIONS, seed + i)) for i, spot in enumerate(spots))
    start = time.perf_counter()
    spent = [seconds for _, seconds in executor.map_unordered(search_opening, items, warm=KERNELS)]
    seconds = time.perf_counter() - start
    empty = _empty_rate(executor, 20 * len(spots))
    return _Round(len(spots) / seconds, 1e3 * float(np.mean(spent)), empty)


def _empty_rate(executor: Executor, count: int) -> float:
    start = time.perf_counter()
    done = sum(1 for _ in executor.map_unordered(do_nothing, ((str(i), i) for i in range(count))))
    return done / (time.perf_counter() - start)


def _throughput_section(local: Executor, ray: Executor, items: int, rounds: int, seed: int) -> Section:
    """Measure both back ends in alternating order, so that other load affects both equally."""
    spots = _openings(items, seed)
    for executor in (local, ray):
        _measure(executor, spots[: 2 * WORKERS], seed)  # warms up
    found: dict[str, list[_Round]] = {"local": [], "Ray": []}
    for number in range(rounds):
        pair = [("local", local), ("Ray", ray)]
        for name, executor in pair if number % 2 == 0 else reversed(pair):
            found[name].append(_measure(executor, spots, seed))
    rows: list[tuple[object, ...]] = []
    for name, measured in found.items():
        ratios = np.array([mine.rate / base.rate for mine, base in zip(measured, found["local"], strict=True)])
        rates = mean_and_error(np.array([one.rate for one in measured]))
        item = float(np.mean([one.milliseconds for one in measured]))
        empty = float(np.mean([one.overhead for one in measured]))
        rows.append((name, WORKERS, rounds, items, item, *rates, *mean_and_error(ratios), 0.9, empty))
    columns = ("back end", "workers", "rounds", "items per round", "ms per item", "items per second", "±", "to local",
               "± ", "asked", "empty items per second")  # fmt: skip
    notes = [
        f"An item is a search of a first street with {_SIMULATIONS:,} simulations and its own seed. The back ends work"
        " on the same items in turn, in changing order; `to local` is the mean ratio over the rounds. ± is one standard"
        " error over the rounds.",
        "empty items do nothing: their rate is the most that the distributing process can handle, however many workers"
        " there are.",
    ]
    return Section("Ray beside local processes", columns, rows, notes)


def _starts_section(cluster_seconds: float, seed: int, times: int) -> Section:
    def first_result(open_one: Callable[[], Executor]) -> tuple[float, float]:
        return mean_and_error(np.array([_time_start(open_one, seed) for _ in range(times)]))

    rows: list[tuple[object, ...]] = [
        ("local processes, to the first result", times, *first_result(lambda: open_executor("local", WORKERS))),
        ("Ray actors, to the first result", times, *first_result(lambda: open_executor("auto", WORKERS))),
        ("a Ray cluster of this machine", 1, cluster_seconds, math.nan),
    ]
    notes = [f"{WORKERS} workers, kernels in the disk cache; the item is a search of 10 simulations."]
    return Section("Start of workers", ("what", "times", "seconds", "±"), rows, notes)


def _time_start(open_one: Callable[[], Executor], seed: int) -> float:
    (spot,) = _openings(1, seed)
    start = time.perf_counter()
    with open_one() as executor:
        list(executor.map_unordered(search_opening, [("first", (spot, 10, seed))], warm=KERNELS))
        return time.perf_counter() - start


def _costs_section(batch: Batch, book: tuple[int, int], hands: int, seed: int) -> Section:
    openings, simulations = book
    seconds = _seconds_per_opening(batch, openings, simulations, seed)
    rows = [
        _cost(f"book, {count:,} openings, {simulations:,} simulations each", "opening", openings, seconds, count)
        for count in (_OPENINGS, _OPENINGS_WITH_JOKERS)
    ]
    for names in _MATCHES:
        spent = _seconds_per_hand(names, hands, batch, seed)
        rows.append(_cost(f"study, {names[0]} against {names[1]}", "hand", hands, spent, _STUDY))
    columns = ("job", "unit", "measured", "core-seconds per unit", "±", "units", "core-hours", "± ",
               f"hours, this node ({cores()} cores)", f"hours, {_NODES} such nodes")  # fmt: skip
    notes = [
        f"core-seconds: wall time of {batch.workers} workers at once, which slow each other down, without their start."
        " core-hours = core-seconds per unit × units; ± is one standard error.",
        f"hours of {_NODES} nodes: core-hours divided by their cores. This assumes items long enough for one process to"
        " distribute (see the rate of empty items above); nothing else is shared.",
    ]
    return Section("Cost of big jobs", columns, rows, notes)


def _seconds_per_opening(batch: Batch, count: int, simulations: int, seed: int) -> tuple[float, float]:
    items = ((f"opening {i}", (spot, simulations, seed + i)) for i, spot in enumerate(_openings(count, seed + 1)))
    spent = [seconds for _, seconds in batch.unordered(search_opening, items, KERNELS)]
    return mean_and_error(np.array(spent))


def _seconds_per_hand(names: tuple[str, ...], hands: int, batch: Batch, seed: int) -> tuple[float, float]:
    """Return the core-seconds per hand and their standard error over parts, measured after a warm-up match."""
    play_match(OfcMatch(names, 2 * batch.workers, seed=seed), batch=batch)
    spent = []
    for part in range(_PARTS):
        start = time.perf_counter()
        played = play_match(OfcMatch(names, max(hands // _PARTS, 2), seed=seed + part), batch=batch).hands
        spent.append((time.perf_counter() - start) * batch.workers / played)
    return mean_and_error(np.array(spent))


def _cost(job: str, unit: str, measured: int, seconds: tuple[float, float], units: int) -> tuple[Any, ...]:
    hours, error = (value * units / 3600.0 for value in seconds)
    return (job, unit, measured, *seconds, units, hours, error, hours / cores(), hours / (_NODES * cores()))
