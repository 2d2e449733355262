"""Levels of play against each other: who looks at its own cards only, settled by the rules."""

from bromeliad.evaluation.duel import Versus, measure_versus
from bromeliad.evaluation.report import Section
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot

__all__ = ["versus_bench", "versus_section"]

_MATCHES = (("evaluation", "guide"), ("greedy", "evaluation"), ("exact", "evaluation"), ("search", "evaluation"))
_HANDS = 40_000
_SEARCHED = 400
_QUICK = 50  # a quick run plays so many times fewer hands
_SECONDS = 0.1


def versus_bench(quick: bool, seed: int) -> list[Section]:
    """Play the matches; the whole takes some minutes, nearly all of it for the search."""
    spot = parse_spot(preset("pineapple"), objective="solo")
    results = []
    for level, other in _MATCHES:
        search = "search" in (level, other)
        hands = (_SEARCHED if search else _HANDS) // (_QUICK if quick else 1)
        results.append(measure_versus(spot, level, other, hands, seed=seed, seconds=_SECONDS if search else None))
    return [versus_section(results)]


def versus_section(results: list[Versus]) -> Section:
    """Return results as a table."""
    columns = (
        "level",
        "versus",
        "budget",
        "hands",
        "points a hand",
        "±",
        "rows",
        "scoop",
        "royalties",
        "fantasyland",
        "foul %",
        "other foul %",
        "fantasyland %",
        "other fantasyland %",
    )
    rows: list[tuple[object, ...]] = [
        (
            item.level,
            item.other,
            item.budget,
            item.hands,
            item.mean,
            item.stderr,
            item.rows,
            item.scoop,
            item.royalties,
            item.fantasyland,
            100.0 * item.p_foul,
            100.0 * item.p_foul_other,
            100.0 * item.p_fantasyland,
            100.0 * item.p_fantasyland_other,
        )
        for item in results
    ]
    first = results[0]
    notes = [
        f"{first.rules}, seed {first.seed}. Both are dealt from one deck, look at their own cards only and play for the"
        f" solo objective with foul cost {first.foul_cost:g} and worth of fantasyland {first.fantasyland_worth}.",
        "points a hand: what the first wins, rows + scoop + royalties + the difference in worth of fantasyland. Every"
        " deck is played twice with seats swapped; ± is one standard error over decks.",
    ]
    return Section("Levels against each other", columns, rows, notes)
