"""How long a report on many stored decisions takes, and how much memory."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import update

from bromeliad.bench.storage import DECISIONS, fill_store
from bromeliad.evaluation.report import Section
from bromeliad.storage.schema import decisions
from bromeliad.storage.store import Store, open_store

__all__ = ["report_bench"]

_QUICK = 50  # a quick run has so many times fewer

_SCRIPT = """
import resource, sys
from bromeliad.cli.main import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(code)
"""


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
        connection.execute(update(decisions).values(**said))


def _measured(place: Path, *options: str) -> tuple[object, ...]:
    """Run the report; return what was run, its seconds, those of the processor, and its peak memory in megabytes."""
    call = [sys.executable, "-c", _SCRIPT, "report", "--store", str(place), *options]
    start = time.perf_counter()
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    *_, peak, processor = done.stderr.split()
    return f"report {options[0]}", seconds, float(processor), int(peak) / 1024
