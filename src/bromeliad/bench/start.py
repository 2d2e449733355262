"""The first minute: processor time of short commands, first answers with an empty cache, kernels built ahead."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bromeliad.bench.measuring import Spent, wait_for
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.kernel_cache import AHEAD_CPU, ahead_directory

_NUMBA = "python -c 'import numba'"
_DEAL, _BOARD = "Jc Ac 7d Jd 2s", "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"
_LAST = ("solve", "--no-store", "--cards", "Kc 9d 3s", "--board", _BOARD)
_BOOK = ("solve", "--no-store", "--cards", _DEAL)
_SEARCH = (*_BOOK, "--no-book", "--simulations", "3000", "--threads", "1")
_VERSUS = (*_BOOK, "--players", "2", "--simulations", "3000", "--threads", "1")
_SHORT: dict[str, tuple[tuple[str, ...], float]] = {
    "--help": (("--help",), 0.3),
    "score": (("score", "Qs Qh 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s", "Jh4s3h-Ah5c4c3c2h-KdTd9d8d3d"), 1.0),
    "solve, first deal from the book": (_BOOK, 1.0),
    "solve, last street": (_LAST, 2.0),
}
"""Commands, and the time in which they should end, as a multiple of importing Numba."""
_FIRST: dict[str, tuple[tuple[str, ...], float]] = {
    "last street": (_LAST, 6.0),
    "street 1 from the book": (_BOOK, 2.0),
    "street 1 searched": (_SEARCH, 20.0),
    "street 1 against an opponent": (_VERSUS, 25.0),
}
"""Questions, and the seconds in which a machine that has never run Bromeliad should answer them."""
_FROM_WHEEL = 3.0  # seconds for each of them with kernels built ahead
_FEW, _MANY = 2_000, 100_000  # simulations of the searches that are compared
_COMMAND = (sys.executable, "-m", "bromeliad")


@bench("start", minutes=6, depends=("bromeliad.cli.solve", "bromeliad.cli.score"))
def start_bench(quick: bool, seed: int) -> list[Section]:
    """Measure short commands, first answers, and the speed of kernels built ahead."""
    sections = [_short_commands(3 if quick else 15)]
    with TemporaryDirectory(prefix="bromeliad-bench-") as folder:
        if not quick:
            sections.append(_first_answers(Path(folder)))
        if ahead_directory() is not None:
            sections.append(_fixed_target(Path(folder) / "ahead", 2 if quick else 5, seed))
    return sections


def _run(command: Sequence[str], **environ: str) -> Spent:
    """Run a command, with compiled bytecode as users have it; return the time that it took."""
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(command, env=usual | environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return wait_for(process, start)


def _short_commands(runs: int) -> Section:
    commands: dict[str, Sequence[str]] = {_NUMBA: (sys.executable, "-c", "import numba")}
    commands |= {name: (*_COMMAND, *arguments) for name, (arguments, _) in _SHORT.items()}
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, command in commands.items():  # in turn, so that other load affects all alike
            used = _run(command)
            if number:  # the first round fills the caches
                spent[name].append(used.cpu)
    base = statistics.median(spent[_NUMBA])
    rows = []
    for name, found in spent.items():
        middle = statistics.median(found)
        rows.append((name, middle, min(found), middle / base, _SHORT[name][1] if name in _SHORT else 1.0))
    notes = [
        f"Processor time, user and system, of whole processes in turn: {runs} runs each, after one for the caches."
    ]
    columns = ("command", "median CPU s", "least CPU s", "× import numba", "to reach")
    return Section("Start-up of short commands", columns, rows, notes)


def _first_answers(folder: Path) -> Section:
    ahead = ahead_directory() is not None
    rows = []
    for number, (name, (question, limit)) in enumerate(_FIRST.items()):
        command, cache = (*_COMMAND, *question), folder / str(number)
        cold, warm = (_run(command, BROMELIAD_CACHE_DIR=str(cache), BROMELIAD_AHEAD="0") for _ in range(2))
        wheel = _run(command, BROMELIAD_CACHE_DIR=f"{cache}-ahead").seconds if ahead else "-"
        rows.append((name, cold.seconds, cold.cpu, limit, wheel, _FROM_WHEEL, warm.seconds))
    notes = [
        "Seconds of the whole command, searches of 3,000 simulations on one thread. Cold: an empty cache directory,"
        " so kernels are compiled. Ahead: an empty one too, with the kernels of a platform wheel"
        " (`bromeliad warmup --ahead`). Warm: the second run.",
    ]
    columns = ("first answer", "cold s", "cold CPU s", "to reach", "ahead s", "to reach ahead", "warm s")
    return Section("First answers", columns, rows, notes)


def _fixed_target(cache: Path, runs: int, seed: int) -> Section:
    """Compare a search by kernels for this processor with one by kernels built ahead."""
    environments: dict[str, dict[str, str]] = {
        "this processor": {"BROMELIAD_AHEAD": "0"},
        AHEAD_CPU: {"BROMELIAD_CACHE_DIR": str(cache)},
    }
    speeds: dict[str, list[float]] = {name: [] for name in environments}
    for number in range(runs + 1):
        for name, environ in environments.items():
            few, many = (_run(_search(count, seed), **environ).cpu for count in (_FEW, _MANY))
            if number:  # the first round fills the caches
                speeds[name].append((_MANY - _FEW) / (many - few))
    base = statistics.median(speeds["this processor"])
    rows = [(name, statistics.median(found), statistics.median(found) / base) for name, found in speeds.items()]
    notes = [
        f"Searches of street 1 with {_MANY:,} and {_FEW:,} simulations, one thread, {runs} of each, seed {seed}."
        " Their difference in processor time leaves out the start.",
    ]
    columns = ("kernels for", "simulations per CPU second", "share")
    return Section("Kernels for a fixed processor", columns, rows, notes)


def _search(simulations: int, seed: int) -> tuple[str, ...]:
    count = ("--simulations", str(simulations), "--no-early-stop", "--threads", "1", "--seed", str(seed))
    return (*_COMMAND, *_BOOK, "--no-book", *count)
