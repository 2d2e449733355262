"""The search: speed compared with OpenSpiel, threads, quality, memory, punctuality, compilation."""

import os
import statistics
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from bromeliad import registry
from bromeliad.bench.measuring import in_new_process, load, spiel_bot, spiel_game, thread_seconds, timed
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.game import CHANCE, Game, GameInfo, apply, sample_chance, to_play
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError
from bromeliad.search import Cancel, Progress, Searcher, SearchParams, SearchResult

_SIMULATIONS = 10_000  # per search in the comparison with OpenSpiel
_PYTHON_SIMULATIONS = 1_000  # per search of OpenSpiel's Python bot


@bench("search", minutes=7, depends=("bromeliad.games.ofc.game",))
def search_bench(quick: bool, seed: int) -> list[Section]:
    """Measure the search; ``quick`` takes seconds."""
    before = load()
    return [
        _speed(3 if quick else 15, seed),
        _scaling(3 if quick else 9, 0.2 if quick else 1.0, seed, before),
        _quality(60 if quick else 1500, seed),
        _memory(1.0 if quick else 20.0, seed),
        _punctuality(20 if quick else 200, seed),
        _compilation(),
    ]


def _small_game(name: str) -> Game:
    """Return a game of examples/games, which is not part of this package; raise InputError if it is not installed."""
    if name not in registry.names():
        raise InputError("{name} is a game of examples/games: pip install ./examples/games", name=name)
    return registry.get(name)


def _speed(repeats: int, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    for own, name in (("tictactoe", "tic_tac_toe"), ("connect4", "connect_four")):
        game = _small_game(own)
        ours = _ours(game, seed)
        rivals = _open_spiel(name, seed)
        ours()
        times: list[list[float]] = [[] for _ in range(1 + len(rivals))]
        for _ in range(repeats):  # in turn, so that other load affects all equally
            for kept, run in zip(times, [ours, *rivals], strict=True):
                kept.append(thread_seconds(run))
        mine, fast, slow = (min(kept) if kept else float("nan") for kept in (*times, [], [])[:3])
        rows.append(
            (
                game.info.name,
                _SIMULATIONS / mine,
                _SIMULATIONS / fast,
                _PYTHON_SIMULATIONS / slow,
                fast / mine,
                slow * _SIMULATIONS / _PYTHON_SIMULATIONS / mine,
            )
        )
    columns = ("game", "ours /s", "OpenSpiel C++ /s", "OpenSpiel Python /s", "ours / C++", "ours / Python")
    notes = [
        f"UCT with random playouts from the empty board, {_SIMULATIONS:,} simulations per search"
        f" ({_PYTHON_SIMULATIONS:,} for the Python bot), one thread, simulations per second of processor time,"
        f" best of {repeats} alternating runs. Target: 4 times OpenSpiel's C++ bot.",
    ]
    return Section("Simulations per second on one thread", columns, rows, notes)


def _ours(game: Any, seed: int) -> Callable[[], object]:
    searcher = Searcher(SearchParams(simulations=_SIMULATIONS, early_stop="never", memory_mb=64, seed=seed))
    state = game.new_state()
    return lambda: searcher.search(game.info, state)


def _open_spiel(name: str, seed: int) -> list[Callable[[], object]]:
    """Return functions that search with OpenSpiel's C++ and Python bots; none if OpenSpiel is not installed."""
    game = spiel_game(name)
    if game is None:
        return []
    bots = import_module("open_spiel.python.algorithms.mcts")
    state = game.new_initial_state()

    def fast() -> object:
        return spiel_bot(game, _SIMULATIONS, seed).mcts_search(state)

    def slow() -> object:
        random = np.random.RandomState(seed)
        evaluator = bots.RandomRolloutEvaluator(1, random)
        return bots.MCTSBot(game, 1.414, _PYTHON_SIMULATIONS, evaluator, False, random).mcts_search(state)

    return [fast, slow]


_MODES: dict[str, dict[str, Any]] = {
    "1 thread": {},
    "2 threads, tree": {"threads": 2, "parallel": "tree"},
    "2 threads, root": {"threads": 2, "parallel": "root"},
    "2 threads, leaf": {"threads": 2, "parallel": "leaf"},
}


def _scaling(repeats: int, seconds: float, seed: int, load: float) -> Section:
    rows: list[tuple[object, ...]] = []
    for name, info, state in _positions_to_scale(seed):
        results: dict[str, list[SearchResult]] = {mode: [] for mode in _MODES}
        searcher = Searcher()
        searcher.search(info, state, SearchParams(simulations=10, memory_mb=16))
        for _ in range(repeats):
            for mode, changes in _MODES.items():
                params = SearchParams(seconds=seconds, early_stop="never", memory_mb=256, seed=seed, **changes)
                results[mode].append(searcher.search(info, state, params))
        rows += [(name, mode, *_compare(found, results["1 thread"])) for mode, found in results.items()]
    columns = ("game", "mode", "simulations/s", "× one thread", "best ×", "processor use", "× by processor time")
    notes = [
        f"{seconds:g} s per search, {repeats} alternating runs, medians; load of the machine before: {load:.1f}."
        " Target: tree with two threads 1.7 times one thread.",
        "× by processor time: simulations per second of processor time, times the threads: what idle cores would give.",
    ]
    return Section("Two threads", columns, rows, notes)


def _positions_to_scale(seed: int) -> list[tuple[str, GameInfo, Any]]:
    """Return starting positions: connect four (quick simulations) and OFC (slow ones)."""
    four, ofc, rng = _small_game("connect4"), registry.get("ofc"), new_rng(seed)
    state = ofc.new_state()
    while to_play(state) == CHANCE:
        apply(state, sample_chance(state, rng))
    return [("connect four", four.info, four.new_state()), ("ofc, first street", ofc.info, state)]


def _compare(found: list[SearchResult], single: list[SearchResult]) -> tuple[float, ...]:
    """Return the speed, its ratio to one thread (median and best), processor use, and the ratio by processor time."""
    ratios = [own.simulations_per_second / one.simulations_per_second for own, one in zip(found, single, strict=True)]
    threads = found[0].params.threads
    costs = [
        threads * own.simulations / own.cpu_seconds / (one.simulations / one.cpu_seconds)
        for own, one in zip(found, single, strict=True)
    ]
    return (
        statistics.median(result.simulations_per_second for result in found),
        statistics.median(ratios),
        max(ratios),
        statistics.median(result.cpu_utilisation for result in found),
        statistics.median(costs),
    )


_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@cache
def _solve(mine: int, theirs: int) -> int:
    """Return the exact value of a tic-tac-toe position for the player to move."""
    if any(all(theirs >> square & 1 for square in line) for line in _LINES):
        return -1
    free = [square for square in range(9) if not (mine | theirs) >> square & 1]
    return max((-_solve(theirs, mine | 1 << square) for square in free), default=0)


def _hard_positions(count: int, seed: int) -> list[tuple[Any, set[int]]]:
    """Return random positions in which some moves are wrong, each with its right moves."""
    game = _small_game("tictactoe")
    rng = new_rng(seed)
    found: list[tuple[Any, set[int]]] = []
    while len(found) < count:
        state = game.random_state(rng)
        mover = int(state.data[2])
        mine, theirs = int(state.data[mover]), int(state.data[1 - mover])
        free = [square for square in range(9) if not (mine | theirs) >> square & 1]
        values = {square: -_solve(theirs, mine | 1 << square) for square in free}
        right = {square for square, value in values.items() if value == max(values.values())}
        if len(right) < len(free):
            found.append((state, right))
    return found


def _quality(count: int, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    positions = _hard_positions(count, seed)
    ways = {
        f"{policy}, {mode}": {"policy": policy, **changes}
        for policy in ("uct", "puct")
        for mode, changes in _MODES.items()
    }
    for way, changes in ways.items():
        searcher = Searcher()
        right = 0
        for i, (state, moves) in enumerate(positions):
            params = SearchParams(simulations=100, early_stop="never", memory_mb=8, seed=seed + i, **changes)
            right += searcher.search(_small_game("tictactoe").info, state, params).best in moves
        share = right / count
        rows.append((way, share, (share * (1.0 - share) / count) ** 0.5))
    notes = [f"{count:,} random tic-tac-toe positions in which some moves are wrong, 100 simulations each."]
    return Section("Right moves at equal simulations", ("search", "right", "± standard error"), rows, notes)


def _resident() -> int:
    """Return the resident memory of this process in bytes (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _grow(parallel: str, seconds: float, seed: int) -> tuple[object, ...]:
    """Search with a limit of 64 MB in a new process; return a row about how much the process grew."""
    game = _small_game("connect4")
    threads = 1 if parallel == "one thread" else 2
    mode = "tree" if threads == 1 else parallel
    params = SearchParams(seconds=seconds, early_stop="never", memory_mb=64, table_mb=8, seed=seed)
    params = params.but(threads=threads, parallel=mode)
    small = params.but(seconds=None, simulations=1000, memory_mb=2, table_mb=0.5)
    Searcher().search(game.info, game.new_state(), small)
    before = _resident()
    peak = [before]

    def watch(progress: Progress) -> None:
        peak[0] = max(peak[0], _resident())

    result = Searcher().search(game.info, game.new_state(), params, on_progress=watch)
    peak[0] = max(peak[0], _resident())
    grown = (peak[0] - before) / 2**20
    return parallel, grown, result.tree.size / 2**20, result.tree.nodes, str(result.tree.full), result.simulations


def _memory(seconds: float, seed: int) -> Section:
    rows = [in_new_process(_grow, mode, seconds, seed) for mode in ("one thread", "tree", "root", "leaf")]
    columns = ("mode", "process grew by MB", "arrays MB", "nodes", "tree full", "simulations")
    notes = [
        f"Connect four with memory_mb=64, 8 of them for the transposition table, for {seconds:g} s. Resident memory is"
        " watched throughout. Limit: 64 MB."
    ]
    return Section("Memory", columns, rows, notes)


def _lateness(searcher: Searcher, params: SearchParams, cancelling: bool) -> float:
    """Return the seconds from the deadline, or from the call of ``cancel``, to the answer."""
    game = _small_game("connect4")
    if not cancelling:
        start = time.perf_counter()
        searcher.search(game.info, game.new_state(), params)
        return time.perf_counter() - start - (params.seconds or 0.0)
    cancel = Cancel()
    called = [0.0]

    def press() -> None:
        called[0] = time.perf_counter()
        cancel.cancel()

    timer = threading.Timer(0.05, press)
    timer.start()
    searcher.search(game.info, game.new_state(), params.but(seconds=60.0), cancel=cancel)
    late = time.perf_counter() - called[0]
    timer.join()
    return late


def _punctuality(repeats: int, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    for mode, changes in _MODES.items():
        for cancelling in (False, True):
            searcher = Searcher()
            params = SearchParams(seconds=0.05, early_stop="never", memory_mb=64, seed=seed, **changes)
            late = [_lateness(searcher, params, cancelling) * 1000 for _ in range(repeats)]
            quantiles = (float(value) for value in np.quantile(late, (0.5, 0.9, 0.99, 1.0)))
            rows.append(("cancel" if cancelling else "deadline", mode, *quantiles))
    columns = ("what", "mode", "p50 ms", "p90 ms", "p99 ms", "max ms")
    notes = [f"{repeats} searches of 50 ms, connect four. Target: p99 of cancel 100 ms, of the deadline 50 ms."]
    return Section("How late an answer comes", columns, rows, notes)


def _compile() -> tuple[float, float, float]:
    """Return the seconds of three searches: one game, another, the first again; runs in a new process."""
    times = []
    for name in ("tictactoe", "connect4", "tictactoe"):
        game, searcher = _small_game(name), Searcher(SearchParams(simulations=100, memory_mb=2))
        times.append(timed(partial(searcher.search, game.info, game.new_state())).seconds)
    return times[0], times[1], times[2]


def _compilation() -> Section:
    with TemporaryDirectory() as directory, patch.dict(os.environ, BROMELIAD_CACHE_DIR=directory):
        rows = [(state, *in_new_process(_compile)) for state in ("cold", "from the cache")]
    columns = ("kernels", "first game s", "next game s", "first game again s")
    return Section("First search of a process", columns, rows, ["Compiled once per machine and game, then cached."])
