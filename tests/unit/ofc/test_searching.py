"""Searching a hand: it is reproducible, near the exact values, and states its errors."""

import random

import pytest

from bromeliad.core.jit import JIT
from bromeliad.errors import InputError
from bromeliad.evaluation.regret import make_cases
from bromeliad.games.ofc.exact.earlier_streets import placement_codes, solve_exact
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.search_spot import default_params, search_spot, split_actions
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.weights import ErrorModel
from bromeliad.search import Cancel
from bromeliad.solving import plan as planning
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve
from ofc_spots import random_spot

POLICIES = {
    "halving": {"root_policy": "halving"},
    "uct": {"root_policy": "tree", "policy": "uct"},
    "puct": {"root_policy": "tree", "policy": "puct"},
}
EASY = {"board": "- / 9c 9s / As Ac Ad", "cards": "Ah 9d 2c"}  # quads at the back, trips in the middle
OPENING = {"cards": "As Ah Kd 7c 2s"}
GONE = "2c 2d 3c 3d 4c 4d 5c 5d 6c 6d 7c 7d 8c 8d 9c 9d Tc Td"
ERRORS = ErrorModel(0.15, 30.0)  # what a mean of street 3 is off beside its sampling error, about
SECOND = {"board": "Qd / 9c 9s / As Ac", "cards": "Qh 8d 3s"}


class After:
    """A cancel that takes effect after this number of calls."""

    def __init__(self, calls):
        self.left = calls

    def __call__(self):
        self.left -= 1
        return self.left < 0


@pytest.fixture
def searched(monkeypatch):
    """Let small spots be searched, which would otherwise be answered exactly."""
    monkeypatch.setattr(planning, "REPRODUCIBLE_COST", 0.0)


def answered(request, **changes):
    return solve(SolveRequest(**(request | changes)))


def same_but_for_time(answer):
    return answer.model_dump_json(exclude={"elapsed_s"})


def test_the_same_seed_gives_the_same_answer():
    for question in (SECOND, OPENING):
        first, again, other = (answered(question, simulations=300, threads=1, seed=seed) for seed in (5, 5, 6))
        assert first.method == "halving"
        assert same_but_for_time(first) == same_but_for_time(again)
        assert [action.ev for action in first.actions] != [action.ev for action in other.actions]


@pytest.mark.kernel
@pytest.mark.parametrize("policy", POLICIES)
def test_a_small_search_is_reproducible(policy):
    rules = preset("pineapple")
    spot = random_spot(random.Random(4), rules, 2, 8, shape=(2, 2, 2)).parse(rules)
    params = default_params(simulations=400 if JIT else 30, seed=9, memory_mb=8, early_stop="never", **POLICIES[policy])
    first, again = search_spot(spot, params), search_spot(spot, params)
    assert first.actions == again.actions
    assert sum(action.visits for action in first.actions) <= params.simulations
    assert {action.action for action in first.actions} <= set(placement_codes(spot, spot.to_state()).tolist())
    low, high = -spot.foul_cost, 100
    assert all(low <= action.mean <= high for action in first.actions if action.visits)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_finds_the_clearly_best_placement(policy):
    spot = parse_spot(preset("pineapple"), **EASY)
    result = search_spot(spot, default_params(simulations=1500, **POLICIES[policy]))
    assert str(Action.from_code(spot.cards, result.best)) == "- / 9d / Ah (2c)"
    best = next(action for action in result.actions if action.action == result.best)
    assert result.value > 20 - 3.5 * ERRORS.stated(best.error, best.visits)
    assert result.actions[0].visits == max(action.visits for action in result.actions)


def played_spot(number):
    """Return a spot of street 3 that occurs in play, with so few cards left that exact values are quick.

    Random boards are unsuitable: the learned evaluation was not trained on them, and playouts from them lose a point
    or more to exact play.
    """
    start = parse_spot(preset("pineapple"), objective="solo", dead=GONE)
    return make_cases(3, number + 1, 1, start=start)[number].spot


@pytest.mark.parametrize("number", [0, 1, 2])
def test_street_three_comes_near_the_exact_values(number):
    """The choice loses almost nothing, and the means are within the stated errors."""
    spot = played_spot(number)
    values = solve_exact(spot, threads=1)
    exact = dict(zip(values.codes.tolist(), values.means[:, Expected.VALUE].tolist(), strict=True))
    result = search_spot(spot, default_params(simulations=4000, early_stop="never"))
    assert max(exact.values()) - exact[result.best] < 0.1
    for action in result.actions:
        if action.visits >= 100:
            stated = ERRORS.stated(action.error, action.visits)
            assert action.mean == pytest.approx(exact[action.action], abs=3.5 * stated)


def test_threads_search_too():
    spot = parse_spot(preset("pineapple"), **EASY)
    result = search_spot(spot, default_params(simulations=2000, threads=2))
    assert str(Action.from_code(spot.cards, result.best)) == "- / 9d / Ah (2c)"


def test_a_search_that_is_cancelled_at_once_says_so():
    with pytest.raises(InputError, match="no answer was found"):
        solve(SolveRequest(**SECOND, time=60, threads=1), lambda _: None, Cancel(After(0)))


def test_a_cancelled_search_answers():
    answer = solve(SolveRequest(**SECOND, time=900, threads=1), lambda _: None, Cancel(After(3)))
    assert answer.elapsed_s < 300
    assert answer.stop_reason == "cancelled"
    assert answer.method == "halving"
    assert len(answer.actions) == 27
    assert all((action.ev is None) == (action.visits == 0) for action in answer.actions)
    assert answer.value == answer.best.ev


def test_a_search_is_cancelled_by_its_handle():
    spot, cancel = parse_spot(preset("pineapple"), **SECOND), Cancel()
    result = search_spot(spot, default_params(seconds=900.0), on_progress=lambda _: cancel.cancel(), cancel=cancel)
    assert result.stop_reason == "cancelled"
    assert result.seconds < 300


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["pineapple", "regular"])
def test_the_parts_of_a_sampled_value_add_up(name, monkeypatch):
    if not JIT:
        monkeypatch.setattr("bromeliad.games.ofc.search_spot.SPLIT_PLAYOUTS", 5)
        monkeypatch.setattr("bromeliad.games.ofc.search_spot.SPLIT_CHUNK", 5)
    rules = preset(name)
    street = 2 if name == "pineapple" else 6
    spot = random_spot(random.Random(name), rules, street, 8).parse(rules, foul_cost=3.5)
    state, codes = spot.to_search_state(), placement_codes(spot, spot.to_state())
    (cards,) = rules.fantasyland_cards()
    for code in codes[:3]:
        parts = split_actions(spot, state, [int(code)], 1)[0]
        total = (
            parts[Expected.ROYALTIES] + state.worth[cards] * parts[Expected.FANTASYLAND] - 3.5 * parts[Expected.FOUL]
        )
        assert parts[Expected.VALUE] == pytest.approx(total)
        assert 0 <= parts[Expected.FOUL] <= 1
        assert (parts == split_actions(spot, state, [int(code)], 1)[0]).all()


def test_every_ranked_placement_has_its_chances_however_short_the_search():
    answer = answered({"cards": "As Ah Kd 7c 2s", "dead": "3h"}, time=0.01, threads=1)
    ranked = [action for action in answer.actions if action.ev is not None]
    assert len(ranked) > 1
    assert all(None not in (action.p_foul, action.p_fantasyland, action.royalties) for action in ranked)


def test_sampled_parts_are_near_the_exact_ones():
    spot = played_spot(0)
    values, state = solve_exact(spot, threads=1), spot.to_search_state()
    best = int(values.means[:, Expected.VALUE].argmax())
    parts = split_actions(spot, state, [int(values.codes[best])], 3)[0]
    assert parts[Expected.FOUL] == pytest.approx(values.means[best, Expected.FOUL], abs=0.12)
    assert parts[Expected.ROYALTIES] == pytest.approx(values.means[best, Expected.ROYALTIES], abs=1.2)


@pytest.mark.parametrize("cards", ["9c 8d 7h 6s 5c", "9c 8d 7h 6s 4c"])
def test_the_first_deal_of_the_house_decides_fantasyland(cards):
    answer = answered({"cards": cards, "rules": "house"}, simulations=40, threads=1)
    reached = cards.endswith("5c")
    tried = [action for action in answer.actions if action.ev is not None]
    assert tried
    assert all(action.p_fantasyland == (1 - action.p_foul if reached else 0) for action in tried)


@pytest.mark.usefixtures("searched")
def test_what_must_foul_is_listed_with_what_it_costs():
    """The middle has one free place and cannot beat two kings on top: placements that foul so get no simulations."""
    question = {"board": "Kc 5d / 2c 7d 9h 3s / 4s", "cards": "Kh Qc 2d", "simulations": 600, "threads": 1}
    answer = answered(question)
    assert answer.method == "halving"
    spot = SolveRequest(**question).to_spot()
    assert (
        len(answer.actions)
        == len(placement_codes(spot, spot.to_state()))
        == len({str(action) for action in answer.actions})
    )
    trips = [action for action in answer.actions if "Kh" in action.top]
    assert trips
    for action in trips:
        assert (action.ev, action.exact, action.p_foul) == (-answer.foul_cost, True, 1.0)
        assert action.visits == 0
    assert answer.best.ev is not None


@pytest.mark.kernel
def test_no_digit_depends_on_how_the_time_is_sliced():
    spot = parse_spot(preset("pineapple"), **SECOND)
    count = 3000 if JIT else 60
    params = default_params(simulations=count, early_stop="never")
    answers = [search_spot(spot, params.but(slice_seconds=seconds)) for seconds in (0.001, 0.003, 0.5)]
    assert answers[0].actions == answers[1].actions == answers[2].actions
