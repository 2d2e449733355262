"""Levels of play: each alone on the same deals, and against each other, seeing only their own cards."""

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.evaluation import LEVELS
from bromeliad.evaluation.duel import Versus, measure_versus
from bromeliad.evaluation.strength import Strength, measure_strength
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot

_MATCHES = (("evaluation", "guide"), ("greedy", "evaluation"), ("exact", "evaluation"), ("search", "evaluation"))
_SECONDS = 0.1


@bench("strength", minutes=30, page="strength")
def strength_bench(quick: bool, seed: int) -> list[Section]:
    """Play every level, with and without a foul cost; the search takes nearly all of the time."""
    results = []
    for cost in (0.0, 6.0):
        spot = parse_spot(preset("pineapple"), objective="solo", foul_cost=cost, fantasyland_worth={14: 8.0})
        results += [measure_strength(spot, level, 100 if quick else 5000, seed=seed) for level in LEVELS]
        results.append(measure_strength(spot, "search", 4 if quick else 2000, seed=seed, seconds=_SECONDS))
    return [strength_section(results)]


def points_of(result: Strength) -> dict[str, object]:
    """Return the columns about points."""
    return {
        "mean": result.mean,
        "±": result.stderr,
        "luck-adjusted mean": result.luck_adjusted_mean,
        "± ": result.luck_adjusted_stderr,
        "royalties": result.royalties,
    }


def strength_section(results: list[Strength]) -> Section:
    """Return the strength of levels as a table."""
    rows: list[dict[str, object]] = [
        {
            "level": item.level,
            "budget": item.budget,
            "foul cost": item.foul_cost,
            "hands": item.hands,
            **points_of(item),
            "foul %": 100.0 * item.p_foul,
            "fantasyland %": 100.0 * item.p_fantasyland,
            "ms per decision": item.ms_per_decision,
        }
        for item in results
    ]
    first = results[0]
    notes = [
        f"{first.rules}, solo, worth of fantasyland {first.fantasyland_worth}, seed {first.seed}; every level gets the"
        " same deals. mean: points of the finished boards; ± is one standard error.",
        "luck-adjusted mean: without the luck of each deal, which is the value of its best placement minus the mean"
        " over all deals; the same expectation, less noise.",
        "search: what `bromeliad solve` plays with this time per decision on one thread, exact where affordable.",
    ]
    return Section.of("Strength alone against the deck", rows, notes)


@bench("versus", minutes=6, page="strength")
def versus_bench(quick: bool, seed: int) -> list[Section]:
    """Play the matches between levels."""
    spot = parse_spot(preset("pineapple"), objective="solo")
    results = []
    for level, other in _MATCHES:
        search = "search" in (level, other)
        hands = (8 if quick else 400) if search else (800 if quick else 40_000)
        results.append(measure_versus(spot, level, other, hands, seed=seed, seconds=_SECONDS if search else None))
    return [versus_section(results)]


def versus_section(results: list[Versus]) -> Section:
    """Return matches between levels as a table."""
    rows: list[dict[str, object]] = [
        {
            "level": item.level,
            "versus": item.other,
            "budget": item.budget,
            "hands": item.hands,
            "points per hand": item.mean,
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
        f"{first.rules}, seed {first.seed}. Both are dealt from one deck, see only their own cards and play for solo"
        f" with foul cost {first.foul_cost:g} and worth of fantasyland {first.fantasyland_worth}.",
        "points per hand: what the first level wins: rows + scoop + royalties + difference in worth of"
        " fantasyland. Every deck is played twice with seats swapped; ± is one standard error over decks.",
    ]
    return Section.of("Levels against each other", rows, notes)
