"""The store: how fast decisions are written, read, reviewed, imported and reported on, and answers found."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from sqlalchemy import update

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

__all__ = ["Spent", "fill_store", "report_bench", "storage_bench"]

DECISIONS = 1_000_000
_QUICK = 50  # a quick run writes so many times fewer
_PLAYED = 200  # different hands, written again and again under other numbers
_IMPORTED = 500
_LOOK = 0.02  # seconds between two looks at the memory of a process
_ASKED = 500
_SPOT = SolveRequest(cards="Kc 9d 3s", board="Qd / 9c 9s 4h / As Ac Ad 7h 7d", dead="2c 5d")


class Spent(NamedTuple):
    """What some work took."""

    seconds: float
    cpu: float  # seconds of this process, whatever else the machine does


def fill_store(store: Store, decisions: int, seed: int = 1) -> Spent:
    """Write at least so many decisions of self-played hands, with hands and seats, as one game.

    Returns what the writing took; playing the hands is not in it.
    """
    played = _played(seed)
    each = len(played[0].decisions)
    count = -(-decisions // each)
    game = store.games.add("pineapple", "match", "heuristic, random")
    seconds, cpu = 0.0, 0.0
    for batch in batches(_numbered(played, count), BATCH // each):
        spent = _timed(partial(store.hands.add, game, batch))
        seconds, cpu = seconds + spent.seconds, cpu + spent.cpu
    return Spent(seconds, cpu)


def _played(seed: int) -> list[HandRows]:
    """Return hands that were played, none of them in fantasyland, so that all have as many decisions."""
    names = "heuristic", "random"
    table = Table(preset("pineapple"), [find_strategy(name) for name in names], seed=seed)
    found: list[HandRows] = []
    while len(found) < _PLAYED:
        hand = table.play_hand()
        if not any(hand.hand.fantasyland):
            found.append(rows_of(record_of(hand, names), hand.hand))
    return found


def _numbered(played: list[HandRows], count: int) -> Iterator[HandRows]:
    """Yield so many hands, numbered through."""
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
        rows.append(("decisions read", count, _timed(lambda: sum(1 for _ in store.decisions.stream()))))
        rows.append(("reviews written", count // 10, _timed(lambda: store.decisions.review(_reviews(count // 10)))))
        rows.append(("hands imported, each played again", _IMPORTED, _import(store, Path(directory))))
        solve_stored(_SPOT, store)
        rows.append(("answers found", _ASKED, _timed(lambda: [solve_stored(_SPOT, store) for _ in range(_ASKED)])))
        size = store_statistics(store).bytes
    notes = [
        f"An SQLite file of {size / 1e6:,.0f} MB in the temporary directory, WAL, synchronous NORMAL; decisions are"
        f" written in transactions of {BATCH:,}, one thread.",
        f"{_PLAYED} self-played hands of ten decisions are written again and again under other numbers (seed {seed});"
        " playing them is not in the time. An answer that is found is counted as a hit, which is a write.",
        "CPU seconds are of the bench alone; seconds also depend on what else runs on the machine.",
    ]
    columns = ("what", "count", "seconds", "a second", "CPU seconds")
    cells: list[tuple[object, ...]] = [
        (what, done, spent.seconds, done / spent.seconds, spent.cpu) for what, done, spent in rows
    ]
    return [Section("The store", columns, cells, notes)]


def _timed(work: Callable[[], object]) -> Spent:
    start, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - start, time.process_time() - cpu)


def _reviews(count: int) -> Iterator[Review]:
    better = {"top": ["As"], "middle": [], "back": ["Kd"], "discards": ["2c"]}
    return (Review(number, 1.0, 1.5, 0.5, 0.1, False, better, "mcts") for number in range(1, count + 1))


def _import(store: Store, directory: Path) -> Spent:
    """Import hands that another store exported; return what it took."""
    lines = [line for line, _ in zip(store.hands.export_lines(), range(_IMPORTED), strict=False)]
    with open_store(directory / "other.sqlite") as other:
        return _timed(lambda: list(other.hands.import_lines(enumerate(lines, start=1))))


# --- reports ----------------------------------------------------------------------------------------------------------


@bench("report", minutes=2.5, depends=("bromeliad.cli.report",))
def report_bench(quick: bool, seed: int) -> list[Section]:
    """Fill a store as ``bench storage`` does, and report on it in a process of its own."""
    with TemporaryDirectory(prefix="bromeliad-bench-") as folder:
        place = Path(folder) / "store.sqlite"
        with open_store(place) as store:
            fill_store(store, DECISIONS // (_QUICK if quick else 1), seed)
            _review_all(store)
            hands, count = store.hands.count(), store.decisions.count()
        rows = [_measured(place, "--json"), _measured(place, "--html", str(Path(folder) / "report.html"))]
    notes = [
        f"{hands:,} hands with {count:,} decisions, as bench storage writes them, all of them reviewed. Seed {seed}.",
        "Seconds and memory are those of a whole process, from its start to its end. Where others use the machine too,"
        " the seconds of the processor are what the report itself costs.",
    ]
    return [Section("Report on a store", ("command", "seconds", "processor seconds", "peak MB"), list(rows), notes)]


def _review_all(store: Store) -> None:
    """Say of every decision that it lost something, so that there are losses to add up."""
    said = {"ev": 0.7, "best_ev": 1.0, "ev_loss": 0.3, "stderr": 0.1, "exact": False, "method": "mcts"}
    with store.writing() as connection:
        connection.execute(update(decision_table).values(**said))


def _measured(store: Path, *options: str) -> tuple[object, ...]:
    """Run the report; return its options, its seconds, those of the processor, and its peak memory in megabytes."""
    start, peak = time.perf_counter(), math.nan
    command = [sys.executable, "-m", "bromeliad", "report", "--store", str(store), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        peak = _peak_mb(process.pid, peak)
        time.sleep(_LOOK)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"bromeliad report ended with code {process.returncode}")
    return f"report {options[0]}", seconds, used.ru_utime + used.ru_stime, peak


def _peak_mb(process: int, known: float) -> float:
    """Return the most memory that a process had resident (Linux); what ``wait4`` says of it counts this process too."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), known)
