"""The worth of fantasyland and the cost of a foul for every preset, beside published values."""

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch
from bromeliad.evaluation.worth import LEAST_HANDS, RulesWorth, solve_worth
from bromeliad.games.ofc.rules.files import preset, preset_names

PUBLISHED = {
    "progressive": {14: 11.1, 15: 17.2, 16: 23.4, 17: 30.5},
    "progressive-keep": {14: 10.8, 15: 18.2, 16: 29.3, 17: 53.4},
}
"""Published estimates for 52 cards."""

_HANDS = 10_000


@bench("worth", minutes=11, batches=True, page="strength")
def worth_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Solve every preset; the jokers of ultimate take half of the time."""
    hands = LEAST_HANDS if quick else _HANDS
    answers = [solve_worth(preset(name), hands, seed=seed, batch=batch.part(name)) for name in preset_names()]
    return [_worths(answers), _fouls(answers)]


def _worths(answers: list[RulesWorth]) -> Section:
    rows: list[dict[str, object]] = [
        {
            "rules": answer.rules,
            "cards": item.cards,
            "worth": item.worth.value,
            "±": item.worth.stderr,
            "published": PUBLISHED.get(answer.rules, {}).get(item.cards, "-"),
            "points": item.points.value,
            "± ": item.points.stderr,
            "royalties": item.royalties.value,
            " ±": item.royalties.stderr,
            "stay %": 100.0 * item.p_stay.value,
            "± %": 100.0 * item.p_stay.stderr,
            "entry %": 100.0 * item.p_entry.value,
        }
        for answer in answers
        for item in answer.fantasyland
    ]
    first = answers[0]
    notes = [
        f"{first.hands:,} fantasyland hands of each size in the final run, each settled with two normal hands from the"
        f" same deck; seed {first.seed}. ± is one standard error, without the error of normal play not being optimal.",
        "points: what the hand wins from a normal one (rows, scoop, royalties of both); royalties: its own; entry: how"
        " often a normal hand earns it.",
    ]
    return Section.of("Worth of fantasyland", rows, notes)


def _fouls(answers: list[RulesWorth]) -> Section:
    columns = ("rules", "foul cost", "±", "foul %", "± %", "royalties", "± ", "early streets by", "rounds before")
    rows = []
    for answer in answers:
        fouls = 100.0 * answer.p_foul.value, 100.0 * answer.p_foul.stderr
        rows.append((answer.rules, *answer.foul_cost, *fouls, *answer.royalties, answer.evaluation, answer.rounds))
    notes = [
        "foul cost: mean points of rows and scoop against another normal player, without a foul minus with one.",
        "Normal play is exact on the last two streets if they deal three cards each. Before that it uses the learned"
        " evaluation, or the heuristic one if no weights fit. A weaker opponent makes fantasyland worth more.",
    ]
    return Section("Cost of a foul, and the normal play behind the figures", columns, rows, notes)
