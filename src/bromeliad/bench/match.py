"""Matches between strategies on paired decks, with and without the luck of the deal."""

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch
from bromeliad.matches.ofc import OfcMatch, OfcResult
from bromeliad.matches.runner import play_match

_MATCHES = (
    ("heuristic", "random"),
    ("solver:0.1", "heuristic"),
    ("solver:0.1", "solver:0.1:solo"),
    ("solver:0.1", "solver:0.1:uniform"),
    ("solver:0.1", "mcts:0.2"),
)
_THREE = ("solver:0.1", "solver:0.1:solo", "solver:0.1:solo")


@bench("match", minutes=90, batches=True, page="strength")
def match_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Play every pair of strategies."""
    hands = 20 if quick else 1000
    results = [play_match(OfcMatch(names, hands, seed=seed), batch=batch.part(" ".join(names))) for names in _MATCHES]
    three = [
        play_match(OfcMatch(_THREE, hands, seed=number), batch=batch.part(f"three players, {number}"))
        for number in (seed, seed + 1)
    ]
    return [match_section(results), three_section(three)]


def match_section(results: list[OfcResult]) -> Section:
    """Return matches between two strategies as a table."""
    points = ("points per hand", "±", "without luck", "± without luck")
    shares = ("foul %", "other foul %", "fantasyland %", "other fantasyland %")
    rest = ("royalties", "other royalties", "scoop %", "other scoop %")
    rows: list[tuple[object, ...]] = []
    for result in results:
        one, two = result.players
        means = one.mean, one.stderr, one.luck_adjusted_mean, one.luck_adjusted_stderr
        percent = [100.0 * p for p in (one.p_foul, two.p_foul, one.p_fantasyland, two.p_fantasyland)]
        scoops = 100.0 * one.p_scoop, 100.0 * two.p_scoop
        rows.append((one.name, two.name, result.hands, *means, *percent, one.royalties, two.royalties, *scoops))
    first = results[0]
    notes = [
        f"{first.rules}, seed {first.seed}; reaching fantasyland counts as its worth {first.fantasyland_worth}. One"
        " thread per decision.",
        "points per hand: what the first strategy wins. Every deck is played twice with seats swapped; ± is one"
        " standard error over decks. Without luck: the same expectation without the luck of the deals.",
    ]
    columns = ("strategy", "versus", "hands", *points, *shares, *rest)
    return Section("Strategies against each other", columns, rows, notes)


def three_section(results: list[OfcResult]) -> Section:
    """Return matches of three players as a table: the first against two equal ones."""
    rows: list[tuple[object, ...]] = []
    for result in results:
        one, *others = result.players
        points = one.mean, one.stderr, one.luck_adjusted_mean, one.luck_adjusted_stderr
        shares = 100.0 * one.p_foul, 100.0 * one.p_fantasyland
        rows.append((one.name, " ".join(other.name for other in others), result.seed, result.hands, *points, *shares))
    first = results[0]
    notes = [
        f"{first.rules}; points per hand, from both opponents together. Every deck is played in three seatings; ± is"
        " one standard error over decks. solver thinks about both opponents: its values are sums over opponents."
        " solver:…:solo thinks of its own board.",
    ]
    columns = ("strategy", "versus", "seed", "hands", "points", "±", "without luck", "± ", "foul %", "fantasyland %")
    return Section("Three players", columns, rows, notes)
