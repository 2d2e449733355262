"""A published exact position: how close the search comes to the value under optimal play."""

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.bench.strength import points_of
from bromeliad.evaluation.strength import Strength, measure_strength
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import Spot, parse_spot

_PUBLISHED: dict[str, object] = {
    "play": "published, optimal play", "budget": "-", "hands": "-", "mean": 15.14, "±": 0.0, "luck-adjusted mean": "-",
    "± ": "-", "royalties": 5.96, "fantasyland %": 36.7, "foul %": 25.3,
}  # fmt: skip
_SEARCHES = ((0.2, 400), (2.0, 150))  # seconds per decision, hands


def published_spot() -> Spot:
    """Return the position: 54 cards, after the first street."""
    return parse_spot(
        preset("ultimate"),
        board="- / Kd Kh / 6d 5h 3h",
        objective="solo",
        foul_cost=9.0,
        fantasyland_worth={14: 6.5, 15: 19.6, 16: 41.8, 17: 87.2},
    )


@bench("published", minutes=7, page="strength")
def published_bench(quick: bool, seed: int) -> list[Section]:
    """Play the position many times, with random draws."""
    spot = published_spot()
    greedy = measure_strength(spot, "exact", 200 if quick else 5000, seed=seed)
    rows = [_PUBLISHED, _row("greedy, exact last two streets", greedy)]
    for seconds, hands in ((0.05, 3),) if quick else _SEARCHES:
        search = measure_strength(spot, "search", hands, seed=seed, seconds=seconds)
        rows.append(_row("search, exact last two streets", search))
    notes = [
        'ultimate, solo, foul cost 9, worths 14: 6.5, 15: 19.6, 16: 41.8, 17: 87.2; board "- / Kd Kh / 6d 5h 3h" before'
        " the draw of street 2.",
        "Our figures are means of real results over random draws, so each is a lower bound of the optimum, up to its"
        " error. The gap is lost on streets 2 and 3: the last two streets are exact, street 3 too if time allows.",
    ]
    return [Section.of("A published exact position", rows, notes)]


def _row(name: str, result: Strength) -> dict[str, object]:
    return {
        "play": name,
        "budget": result.budget,
        "hands": result.hands,
        **points_of(result),
        "fantasyland %": 100.0 * result.p_fantasyland,
        "foul %": 100.0 * result.p_foul,
    }
