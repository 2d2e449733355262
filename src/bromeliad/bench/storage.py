"""Speed of the store: writing, reading, reviewing, importing, reporting, and looking up answers."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import update

from bromeliad.bench.measuring import Spent, peak_mb, timed, wait_for
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.games.ofc.play.history import record_of
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing.strategies import find_strategy
from bromeliad.solving.request import SolveRequest
from bromeliad.storage import Store, open_store
from bromeliad.storage.cached import solve_stored
from bromeliad.storage.decisions import BATCH, Review, batches
from bromeliad.storage.rows import HandRows, rows_of
from bromeliad.storage.schema import decisions as decision_table
from bromeliad.storage.store_statistics import store_statistics

DECISIONS = 1_000_000
_QUICK = 50  # divisor of the decisions in a quick run
_PLAYED = 200  # different hands, written repeatedly with new numbers
_IMPORTED = 500
_LOOK = 0.02  # seconds between two checks of the memory of a process
_ASKED = 500
_SPOT = SolveRequest(cards="Kc 9d 3s", board="Qd / 9c 9s 4h / As Ac Ad 7h 7d", dead="2c 5d")


def fill_store(store: Store, decisions: int, seed: int) -> Spent:
    """Write at least ``decisions`` decisions of self-played hands as one game; return the time of writing alone."""
    played = _played(seed)
    each = len(played[0].decisions)
    count = -(-decisions // each)
    game = store.games.add("pineapple", "match", "heuristic, random")
    seconds, cpu = 0.0, 0.0
    for batch in batches(_numbered(played, count), BATCH // each):
        spent = timed(partial(store.hands.add, game, batch))
        seconds, cpu = seconds + spent.seconds, cpu + spent.cpu
    return Spent(seconds, cpu)


def _played(seed: int) -> list[HandRows]:
    """Return self-played hands, none in fantasyland, so that all have the same number of decisions."""
    names = "heuristic", "random"
    table = Table(preset("pineapple"), [find_strategy(name) for name in names], seed=seed)
    found: list[HandRows] = []
    while len(found) < _PLAYED:
        hand = table.play_hand()
        if not any(hand.hand.fantasyland):
            found.append(rows_of(record_of(hand, names), hand.hand))
    return found


def _numbered(played: list[HandRows], count: int) -> Iterator[HandRows]:
    """Yield ``count`` hands with consecutive numbers."""
    for number in range(1, count + 1):
        hand = played[number % len(played)]
        line = hand.line.replace(f'"hand": {hand.number},', f'"hand": {number},', 1)
        yield hand._replace(number=number, line=line)


@bench("storage", minutes=2)
def storage_bench(quick: bool, seed: int) -> list[Section]:
    """Measure a store in a temporary SQLite file."""
    count = DECISIONS // (_QUICK if quick else 1)
    with TemporaryDirectory() as directory, open_store(Path(directory) / "store.sqlite") as store:
        written = fill_store(store, count, seed)
        rows = [("decisions written, with hands and seats", count, written)]
        rows.append(("decisions read", count, timed(lambda: sum(1 for _ in store.decisions.stream()))))
        rows.append(("reviews written", count // 10, timed(lambda: store.decisions.review(_reviews(count // 10)))))
        rows.append(("hands imported, each replayed", _IMPORTED, _import(store, Path(directory))))
        solve_stored(_SPOT, store)
        rows.append(("answers found", _ASKED, timed(lambda: [solve_stored(_SPOT, store) for _ in range(_ASKED)])))
        size = store_statistics(store).bytes
    notes = [
        f"An SQLite file of {size / 1e6:,.0f} MB in the temporary directory, WAL, synchronous NORMAL; decisions are"
        f" written in transactions of {BATCH:,}, one thread.",
        f"{_PLAYED} self-played hands of ten decisions are written repeatedly with new numbers (seed {seed}); playing"
        " them is not timed. Finding an answer also writes its hit count.",
        "CPU seconds are those of the bench; seconds also depend on other load on the machine.",
    ]
    columns = ("what", "count", "seconds", "per second", "CPU seconds")
    cells = [(what, done, spent.seconds, done / spent.seconds, spent.cpu) for what, done, spent in rows]
    return [Section("The store", columns, cells, notes)]


def _reviews(count: int) -> Iterator[Review]:
    better = {"top": ["As"], "middle": [], "back": ["Kd"], "discards": ["2c"]}
    return (Review(number, 1.0, 1.5, 0.5, 0.1, False, better, "mcts") for number in range(1, count + 1))


def _import(store: Store, directory: Path) -> Spent:
    """Export hands and import them into another store; return the time of the import."""
    lines = [line for line, _ in zip(store.hands.export_lines(), range(_IMPORTED), strict=False)]
    with open_store(directory / "other.sqlite") as other:
        return timed(lambda: list(other.hands.import_lines(enumerate(lines, start=1))))


@bench("report", minutes=2.5, depends=("bromeliad.cli.report",))
def report_bench(quick: bool, seed: int) -> list[Section]:
    """Fill a store as ``bench storage`` does, and measure reports on it, each in a new process."""
    with TemporaryDirectory(prefix="bromeliad-bench-") as folder:
        place = Path(folder) / "store.sqlite"
        with open_store(place) as store:
            fill_store(store, DECISIONS // (_QUICK if quick else 1), seed)
            _review_all(store)
            hands, count = store.hands.count(), store.decisions.count()
        rows = [_measured(place, "--json"), _measured(place, "--html", str(Path(folder) / "report.html"))]
    notes = [
        f"{hands:,} hands with {count:,} decisions, written as in bench storage and all reviewed. Seed {seed}.",
        "Seconds and memory are those of the whole process. Processor seconds do not depend on other load on the"
        " machine.",
    ]
    return [Section("Report on a store", ("command", "seconds", "processor seconds", "peak MB"), rows, notes)]


def _review_all(store: Store) -> None:
    """Give every decision a loss, so that there are losses to add up."""
    said = {"ev": 0.7, "best_ev": 1.0, "ev_loss": 0.3, "stderr": 0.1, "exact": False, "method": "mcts"}
    with store.writing() as connection:
        connection.execute(update(decision_table).values(**said))


def _measured(store: Path, *options: str) -> tuple[object, ...]:
    """Run a report; return its name, seconds, processor seconds and peak memory in MB."""
    start, peak = time.perf_counter(), 0.0
    command = [sys.executable, "-m", "bromeliad", "report", "--store", str(store), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        peak = max(peak, peak_mb(process.pid))  # max() ignores the NaN of an ended process
        time.sleep(_LOOK)
    return f"report {options[0]}", *wait_for(process, start), peak or math.nan
