"""How long a report on many stored decisions takes, and how much memory."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import cycle, permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bromeliad.core.cards import SUITS
from bromeliad.evaluation.report import Section
from bromeliad.games.ofc.history import record_of
from bromeliad.games.ofc.rulefiles import preset
from bromeliad.games.ofc.strategy import HeuristicStrategy, RandomStrategy
from bromeliad.games.ofc.table import Table
from bromeliad.storage.decisions import batches
from bromeliad.storage.rows import HandRows, rows_of
from bromeliad.storage.store import Store, open_store

__all__ = ["report_bench", "stored_hands"]

_DECISIONS = 1_000_000
_QUICK = 50  # a quick run has so many times fewer
_PLAYED = 400  # hands that are really played; the others differ from them in suits and numbers
_NAMES = ("heuristic", "random")
_CARD = re.compile(r"(?<![A-Za-z])((?:[2-9TJQKA][cdhs])+)(?![A-Za-z])")
_AT_ONCE = 1000


def report_bench(quick: bool, seed: int) -> list[Section]:
    """Fill a store, and report on it in a process of its own."""
    wanted = _DECISIONS // (_QUICK if quick else 1)
    with TemporaryDirectory(prefix="bromeliad-bench-") as folder:
        place = Path(folder) / "store.sqlite"
        with open_store(place) as store:
            start = time.perf_counter()
            hands, decisions = _fill(store, wanted, seed)
            written = time.perf_counter() - start
        rows = [_measured(place, "--json"), _measured(place, "--html", str(Path(folder) / "report.html"))]
    notes = [
        f"{hands:,} hands of {_PLAYED} that were played, in other suits, with {decisions:,} decisions, all of them"
        f" reviewed by random numbers; they were written in {written:.0f} s. Seed {seed}.",
        "Seconds and memory are those of a whole process, from its start to its end. Where others use the machine too,"
        " the seconds of the processor are what the report itself costs.",
    ]
    columns = ("command", "seconds", "processor seconds", "peak MB")
    return [Section("Report on a store", columns, [tuple(row) for row in rows], notes)]


def _fill(store: Store, wanted: int, seed: int) -> tuple[int, int]:
    """Add hands until there are so many decisions; return how many of both there are."""
    game = store.games.add("pineapple", "bench")
    hands = decisions = 0
    for batch in batches(stored_hands(wanted, seed), _AT_ONCE):
        store.hands.add(game, batch)
        hands += len(batch)
        decisions += sum(len(hand.decisions) for hand in batch)
    return hands, decisions


def stored_hands(wanted: int, seed: int) -> Iterator[HandRows]:
    """Yield hands with so many decisions in all, or a few more."""
    real = _play(seed)
    played = [(hand, suits) for suits in permutations(SUITS) for hand in real]
    rng = np.random.default_rng(seed)
    count = 0
    for number, (hand, suits) in enumerate(cycle(played), start=1):
        if count >= wanted:
            return
        count += len(hand.decisions)
        yield _varied(hand, suits, number, rng)


def _play(seed: int) -> list[HandRows]:
    table = Table(preset("pineapple"), [HeuristicStrategy(), RandomStrategy()], seed=seed)
    hands = (table.play_hand() for _ in range(_PLAYED))
    return [rows_of(record_of(hand, _NAMES), hand.hand) for hand in hands]


def _varied(hand: HandRows, suits: tuple[str, ...], number: int, rng: np.random.Generator) -> HandRows:
    """Return a hand in other suits, with another number and reviewed decisions."""
    letters = str.maketrans(SUITS, "".join(suits))

    def moved(text: str) -> str:
        return _CARD.sub(lambda found: found[0].translate(letters), text)

    texts = ("cards", "board", "placed", "discards")
    losses = rng.exponential(0.3, len(hand.decisions))
    decisions = [
        row
        | {name: moved(row[name]) for name in texts}
        | {"ev": 1.0 - loss, "best_ev": 1.0, "ev_loss": loss, "stderr": 0.1, "exact": False, "method": "mcts"}
        for row, loss in zip(hand.decisions, losses.tolist(), strict=True)
    ]
    line = moved(hand.line).replace(f'"hand": {hand.number},', f'"hand": {number},', 1)
    return hand._replace(number=number, line=line, decisions=decisions)


def _measured(place: Path, *options: str) -> tuple[str, float, float, float]:
    """Run the report; return what was run, its seconds, those of the processor, and its peak memory in megabytes."""
    script = (
        "import resource, sys\n"
        "from bromeliad.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    call = [sys.executable, "-c", script, "report", "--store", str(place), *options]
    start = time.perf_counter()
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    *_, peak, processor = done.stderr.split()
    return f"report {options[0]}", seconds, float(processor), int(peak) / 1024
