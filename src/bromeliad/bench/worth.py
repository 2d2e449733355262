"""The worth of fantasyland and the cost of a foul for every preset, compared with published values."""

import numpy as np

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch
from bromeliad.evaluation.results import mean_and_error
from bromeliad.evaluation.worth import LEAST_HANDS, RulesWorth, solve_worth, with_commit
from bromeliad.evaluation.worth_hands import deal_rounds
from bromeliad.games.ofc.opponents.seat_values import choose_by_value
from bromeliad.games.ofc.opponents.seats import new_seats
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.weights import versus_for

PUBLISHED = {
    "progressive": {14: 11.1, 15: 17.2, 16: 23.4, 17: 30.5},
    "progressive-keep": {14: 10.8, 15: 18.2, 16: 29.3, 17: 53.4},
}
"""Published estimates for 52 cards: worth by preset and number of cards."""

_HANDS = 10_000
_DEALS, _OTHER_WORTHS = 1000, (9.25, 11.2)  # first deals under pineapple, placed under two worths of 14 cards
_ORDERS = ("first", "last")  # before or after the other boards are open


@bench("worth", minutes=25, batches=True, page="strength")
def worth_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Measure every preset; ultimate takes half of the time because of its jokers."""
    hands = LEAST_HANDS if quick else _HANDS
    answers = [_solve(name, commit, hands, seed, batch) for name in preset_names() for commit in _ORDERS]
    fouls = _fouls([answer for answer in answers if answer.commit == _ORDERS[0]])
    return [_worths(answers), fouls, _placements(20 if quick else _DEALS, seed)]


def _solve(name: str, commit: str, hands: int, seed: int, batch: Batch) -> RulesWorth:
    rules = with_commit(preset(name), commit)
    return solve_worth(rules, hands, seed=seed, batch=batch.part(f"{name}, {commit}"))


def _worths(answers: list[RulesWorth]) -> Section:
    rows: list[dict[str, object]] = [
        {
            "rules": answer.rules,
            "commit": answer.commit,
            "cards": item.cards,
            "worth": item.worth.value,
            "±": item.worth.stderr,
            "in seat 1": item.by_seat[0].value,
            " ± ": item.by_seat[0].stderr,
            "in seat 2": item.by_seat[1].value,
            "  ±": item.by_seat[1].stderr,
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
        f" same deck; seed {first.seed}. ± is one standard error, without the error of play not being optimal.",
        "worth: the mean over the seats in which the fantasyland hand may be played. commit: whether it is set before"
        " the other boards are open, or last. points: what the hand wins from a normal one (rows, scoop, royalties of"
        " both); royalties: its own; entry: how often a normal hand against a normal one earns it.",
    ]
    return Section.of("Worth of fantasyland", rows, notes)


def _fouls(answers: list[RulesWorth]) -> Section:
    shares = ("foul cost", "±", "foul %", "± %", "royalties", "± ", "worth of seat 2", "±  ")
    rows = []
    for answer in answers:
        fouls = 100.0 * answer.p_foul.value, 100.0 * answer.p_foul.stderr
        figures = *answer.foul_cost, *fouls, *answer.royalties, *answer.seat_worth
        rows.append((answer.rules, *figures, answer.evaluation, answer.rounds))
    notes = [
        "foul cost: mean points of rows and scoop against another normal player, without a foul minus with one.",
        "normal play by: versus plays by the value of both boards, and the last street against the boards that it"
        " meets. guide plays for its own board, exactly on the last two streets if they deal three cards each, before"
        " that by rules of thumb. A weaker opponent makes fantasyland worth more.",
        "worth of seat 2: what a normal player there wins in the long run, if the other one is normal too and seats"
        " change after every hand.",
    ]
    columns = ("rules", *shares, "normal play by", "rounds before")
    return Section("Cost of a foul, and the normal play behind the figures", columns, rows, notes)


def _placements(deals: int, seed: int) -> Section:
    """Return how many first placements change with the worth of fantasyland."""
    rules, found = preset("pineapple"), []
    for worth in _OTHER_WORTHS:
        spot = parse_spot(rules, objective="solo", fantasyland_worth={14: worth})
        seats = new_seats(spot.to_search_state(), 2, versus_for(rules, spot.fantasyland_worth))
        hands = deal_rounds(rules, 0, deals, seed).normal[0, :, 0].tolist()
        found.append(np.array([choose_by_value(seats, 0, hand, np.inf, True) for hand in hands]))
    changed = found[0] != found[1]
    row = (rules.name, *_OTHER_WORTHS, deals, *(100.0 * figure for figure in mean_and_error(changed)))
    notes = ["Random first deals in the first of two seats, placed by the value of both boards, without a search."]
    columns = ("rules", "worth", "other worth", "deals", "other placement %", "±")
    return Section("First placements that change with the worth of fantasyland", columns, [row], notes)
