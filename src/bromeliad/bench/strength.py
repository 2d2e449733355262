"""The ladder: every level of play on the same deals, with and without a cost of fouls."""

from collections.abc import Mapping

from bromeliad.evaluation.levels import LEVELS
from bromeliad.evaluation.report import Section
from bromeliad.evaluation.strength import Strength, measure_strength
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot

__all__ = ["strength_bench", "strength_section"]

WORTH: Mapping[int, float] = {14: 8.0}
FOUL_COSTS = (0.0, 6.0)
HANDS = {**dict.fromkeys(LEVELS, 5000), "search": 2000}
_QUICK = 50  # a quick run plays so many times fewer hands
_SECONDS = 0.1


def strength_bench(quick: bool, seed: int) -> list[Section]:
    """Play the ladder; the whole takes about half an hour, nearly all of it for the search."""
    results = []
    for cost in FOUL_COSTS:
        spot = parse_spot(preset("pineapple"), objective="solo", foul_cost=cost, fantasyland_worth=WORTH)
        for level, hands in HANDS.items():
            count = max(2, hands // _QUICK // (10 if level == "search" else 1)) if quick else hands
            results.append(
                measure_strength(spot, level, count, seed=seed, seconds=_SECONDS if level == "search" else None)
            )
    return [strength_section("Strength alone against the deck", results)]


def strength_section(title: str, results: list[Strength]) -> Section:
    """Return results as a table."""
    columns = (
        "level",
        "budget",
        "foul cost",
        "hands",
        "mean",
        "±",
        "luck-adjusted mean",
        "± ",
        "royalties",
        "foul %",
        "fantasyland %",
        "ms a decision",
    )
    rows: list[tuple[object, ...]] = [
        (
            item.level,
            item.budget,
            item.foul_cost,
            item.hands,
            item.mean,
            item.stderr,
            item.luck_adjusted_mean,
            item.luck_adjusted_stderr,
            item.royalties,
            100.0 * item.p_foul,
            100.0 * item.p_fantasyland,
            item.ms_per_decision,
        )
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
    return Section(title, columns, rows, notes)
