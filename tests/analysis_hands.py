"""Recorded hands for the tests of analyses."""

from functools import cache

from bromeliad.analysis.scan import Scan
from bromeliad.analysis.sources import Sourced
from bromeliad.games.ofc.play.history import record_of
from bromeliad.games.ofc.play.strategies import HeuristicStrategy, RandomStrategy
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset

NAMES = ("ann", "bob", "eve", "dan")


@cache
def played(rules="pineapple", players=2, hands=30, seed=1, stacks=None):
    """Return hands of heuristic players and one who knows nothing."""
    strategies = [HeuristicStrategy() for _ in range(players - 1)] + [RandomStrategy()]
    table = Table(preset(rules), strategies, seed=seed, stacks=[stacks] * players if stacks else None)
    return [table.play_hand() for _ in range(hands) if not table.is_over]


def lines(*args, **options):
    return [record_of(hand, NAMES[: len(hand.seating)]).to_line() for hand in played(*args, **options)]


def sourced(texts, source="file"):
    return [Sourced(source, number, text) for number, text in enumerate(texts, start=1)]


def scanned(texts, **options):
    """Return the scan and its batches."""
    scan = Scan(**options)
    return scan, list(scan.run(sourced(texts)))
