"""Levels of play: each alone against the same deals, and against each other, looking at their own cards only."""

from collections.abc import Mapping

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.evaluation import LEVELS
from bromeliad.evaluation.duel import Versus, measure_versus
from bromeliad.evaluation.strength import Strength, measure_strength
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot

__all__ = ["strength_bench", "strength_section", "versus_bench", "versus_section"]

WORTH: Mapping[int, float] = {14: 8.0}
FOUL_COSTS = (0.0, 6.0)
HANDS = {**dict.fromkeys(LEVELS, 5000), "search": 2000}
_MATCHES = (("evaluation", "guide"), ("greedy", "evaluation"), ("exact", "evaluation"), ("search", "evaluation"))
_MATCH_HANDS, _SEARCHED_MATCH_HANDS = 40_000, 400
_QUICK = 50  # a quick run plays so many times fewer hands
_SECONDS = 0.1


@bench("strength", minutes=30, page="strength")
def strength_bench(quick: bool, seed: int) -> list[Section]:
    """Play every level, with and without a cost of fouls; nearly all of the time is the search's."""
    results = []
    for cost in FOUL_COSTS:
        spot = parse_spot(preset("pineapple"), objective="solo", foul_cost=cost, fantasyland_worth=WORTH)
        for level, hands in HANDS.items():
            count = max(2, hands // _QUICK // (10 if level == "search" else 1)) if quick else hands
            results.append(
                measure_strength(spot, level, count, seed=seed, seconds=_SECONDS if level == "search" else None)
            )
    return [strength_section(results)]


def strength_section(results: list[Strength]) -> Section:
    """Return results as a table."""
    rows: list[dict[str, object]] = [
        {
            "level": item.level,
            "budget": item.budget,
            "foul cost": item.foul_cost,
            "hands": item.hands,
            "mean": item.mean,
            "±": item.stderr,
            "luck-adjusted mean": item.luck_adjusted_mean,
            "± ": item.luck_adjusted_stderr,
            "royalties": item.royalties,
            "foul %": 100.0 * item.p_foul,
            "fantasyland %": 100.0 * item.p_fantasyland,
            "ms a decision": item.ms_per_decision,
        }
        for item in results
    ]
    first = results[0]
    notes = [
        f"{first.rules}, solo, worth of fantasyland {first.fantasyland_worth}, seed {first.seed}: every level meets the"
        " same deals. mean is of the finished boards; ± is one standard error.",
        "luck-adjusted mean: the luck of every deal taken off, by the value of the best placement against its mean over"
        " all deals; the same expectation, less noise.",
        "search is what `bromeliad solve` plays with this time for a decision, one thread: exact where affordable.",
    ]
    return Section.of("Strength alone against the deck", rows, notes)


@bench("versus", minutes=6, page="strength")
def versus_bench(quick: bool, seed: int) -> list[Section]:
    """Play the matches between levels."""
    spot = parse_spot(preset("pineapple"), objective="solo")
    results = []
    for level, other in _MATCHES:
        search = "search" in (level, other)
        hands = (_SEARCHED_MATCH_HANDS if search else _MATCH_HANDS) // (_QUICK if quick else 1)
        results.append(measure_versus(spot, level, other, hands, seed=seed, seconds=_SECONDS if search else None))
    return [versus_section(results)]


def versus_section(results: list[Versus]) -> Section:
    """Return results as a table."""
    rows: list[dict[str, object]] = [
        {
            "level": item.level,
            "versus": item.other,
            "budget": item.budget,
            "hands": item.hands,
            "points a hand": item.mean,
            "±": item.stderr,
            "rows": item.rows,
            "scoop": item.scoop,
            "royalties": item.royalties,
            "fantasyland": item.fantasyland,
            "foul %": 100.0 * item.p_foul,
            "other foul %": 100.0 * item.p_foul_other,
            "fantasyland %": 100.0 * item.p_fantasyland,
            "other fantasyland %": 100.0 * item.p_fantasyland_other,
        }
        for item in results
    ]
    first = results[0]
    notes = [
        f"{first.rules}, seed {first.seed}. Both are dealt from one deck, look at their own cards only and play for the"
        f" solo objective with foul cost {first.foul_cost:g} and worth of fantasyland {first.fantasyland_worth}.",
        "points a hand: what the first wins, rows + scoop + royalties + the difference in worth of fantasyland. Every"
        " deck is played twice with seats swapped; ± is one standard error over decks.",
    ]
    return Section.of("Levels against each other", rows, notes)
