"""Batch work: what Ray costs beside local processes, and what big jobs would take by the rates measured here."""

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

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

__all__ = ["cluster_bench"]

WORKERS = 2
KERNELS = ("bromeliad.games.ofc.search_spot",)
_SIMULATIONS = 8000  # of an item: well over 50 ms
_STARTS = 3
_OPENINGS, _OPENINGS_WITH_JOKERS = 134_459, 152_646
_DEEP = 100_000  # simulations of an opening in a book of full depth
_STUDY = 10_000_000  # hands
_NODES = 100
_PARTS = 4  # of the hands behind a rate: their scatter is its error
_MATCHES = (("heuristic", "heuristic"), ("mcts:500sims", "heuristic"), ("solver:2000sims:solo", "heuristic"))


@bench("cluster", minutes=15)
def cluster_bench(quick: bool, seed: int) -> list[Section]:
    """Measure both back ends side by side, then the rates."""
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
    """Start a cluster of this machine alone; give the seconds that it took."""
    from bromeliad.cluster.ray_pool import import_ray

    ray = import_ray()
    os.environ.setdefault("RAY_worker_niceness", "0")  # as local processes have it; Ray's own default is 15
    start = time.perf_counter()
    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        yield time.perf_counter() - start
    finally:
        ray.shutdown()


# --- items of work ----------------------------------------------------------------------------------------------------


def search_opening(item: tuple[Spot, int, int]) -> float:
    """Search a position; return the seconds that it took here."""
    spot, simulations, seed = item
    start = time.perf_counter()
    search_spot(spot, default_params(simulations=simulations, seed=seed, memory_mb=64.0, early_stop="never"))
    return time.perf_counter() - start


def do_nothing(item: int) -> int:
    """Return the item: what is left is the cost of sending it."""
    return item


def _openings(count: int, seed: int) -> list[Spot]:
    return [case.spot for case in make_cases(1, count, seed)]


# --- throughput -------------------------------------------------------------------------------------------------------


class _Round(NamedTuple):
    """One back end's part of a round."""

    rate: float  # items a second
    milliseconds: float  # of the clock an item, where it was done
    overhead: float  # items a second that have nothing to do


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
    """Take turns, the first of them changing, so that what else the machine does hits both alike."""
    spots = _openings(items, seed)
    for executor in (local, ray):
        _measure(executor, spots[: 2 * WORKERS], seed)  # both are warm
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
    columns = ("back end", "workers", "rounds", "items a round", "ms an item", "items a second", "±", "to local",
               "± ", "asked", "empty items a second")  # fmt: skip
    notes = [
        f"An item is a search of a first street with {_SIMULATIONS:,} simulations, each with a seed of its own. The"
        " back ends take turns on the same items, the first of them changing; `to local` is the mean of the rounds'"
        " ratios. ± is one standard error over the rounds.",
        "empty items have nothing to do: so many the process that hands them out can serve, however many workers"
        " there are.",
    ]
    return Section("Ray beside local processes", columns, rows, notes)


# --- start-up ---------------------------------------------------------------------------------------------------------


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


# --- what big jobs cost -----------------------------------------------------------------------------------------------


def _costs_section(batch: Batch, book: tuple[int, int], hands: int, seed: int) -> Section:
    openings, simulations = book
    seconds = _seconds_an_opening(batch, openings, simulations, seed)
    rows = [
        _cost(f"book, {count:,} openings, {simulations:,} simulations each", "opening", openings, seconds, count)
        for count in (_OPENINGS, _OPENINGS_WITH_JOKERS)
    ]
    for names in _MATCHES:
        spent = _seconds_a_hand(names, hands, batch, seed)
        rows.append(_cost(f"study, {names[0]} against {names[1]}", "hand", hands, spent, _STUDY))
    columns = ("job", "unit", "measured", "core-seconds a unit", "±", "units", "core-hours", "± ",
               f"hours, this node ({cores()} cores)", f"hours, {_NODES} such nodes")  # fmt: skip
    notes = [
        f"core-seconds of {batch.workers} workers at once, by the clock: what workers take from each other is in them,"
        " their start is not. core-hours = core-seconds a unit × units; ± is one standard error.",
        f"hours of {_NODES} nodes: core-hours over their cores. It takes items long enough that one process can hand"
        " them out (see the rate of empty items above); nothing else is shared.",
    ]
    return Section("What big jobs cost", columns, rows, notes)


def _seconds_an_opening(batch: Batch, count: int, simulations: int, seed: int) -> tuple[float, float]:
    items = ((f"opening {i}", (spot, simulations, seed + i)) for i, spot in enumerate(_openings(count, seed + 1)))
    spent = [seconds for _, seconds in batch.unordered(search_opening, items, KERNELS)]
    return mean_and_error(np.array(spent))


def _seconds_a_hand(names: tuple[str, ...], hands: int, batch: Batch, seed: int) -> tuple[float, float]:
    """Return core-seconds by the clock and their error over rounds, after one that only warms up."""
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
