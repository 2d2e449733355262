"""The search's view of a hand: bounds hold, pruning loses nothing, and leaves are exact."""

import random

import numpy as np
import pytest

from bromeliad.core.game import (
    TERMINAL,
    apply,
    clone,
    estimate,
    is_hopeless,
    leaf_value,
    legal_actions,
    phase,
    play_randomly,
    playout_action,
    score_actions,
    to_play,
    upper_bound,
    value_scale,
)
from bromeliad.core.jit import JIT
from bromeliad.core.rng import new_rng
from bromeliad.games.ofc.exact.earlier_streets import solve_exact
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.exact.scratch import KNOWN
from bromeliad.games.ofc.rules.files import parse_rules, preset, preset_names
from bromeliad.games.ofc.values.hand_state import FOUL_COST, Field, board_value
from bromeliad.games.ofc.values.heuristics import (
    board_promise,
    choose_by_look,
    exact_after,
    exact_leaf,
    foul_risk,
    rows_after,
)
from bromeliad.games.ofc.values.learned import (
    Learned,
    empty_learned,
    learned_layout,
    learned_scale,
    learned_value,
    stage_size,
)
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve
from ofc_spots import random_spot

pytestmark = pytest.mark.kernel
SAME = 1e-9
RUIN = 1000.0  # a foul cost that nothing makes up for: a board is worth minus that if, and only if, it must foul
PAIR_PRESETS = ("pineapple", "progressive", "progressive-keep", "ultimate", "deuce", "house")
STRICT = parse_rules("base: pineapple\nname: strict\norder: {strict: true}\n")
ALL_RULES = [*map(preset, preset_names()), STRICT]


def by_name(rules):
    return rules.name


def next_to_last(rules):
    return len(rules.streets) - 2


def some_jokers(rng, rules):
    return rng.choice(["", "b", "d", "bd", "h"]) if rules.jokers.count else ""


def spot_before_last_deal(rng, rules, unseen, **objective):
    """Return a spot on the street before the last: one deal is still to come after its placements."""
    spot = random_spot(rng, rules, next_to_last(rules), unseen, jokers=some_jokers(rng, rules))
    house = rules.fantasyland.first_street is not None
    return spot.parse(rules, **objective, fantasyland=house and rng.random() < 0.5)


def scores_of(state):
    """Return the look of each placement."""
    actions, scores = actions_of(state), np.zeros(300)
    score_actions(state, actions, len(actions), scores)
    return dict(zip(actions.tolist(), scores.tolist(), strict=False))


def actions_of(state):
    actions = np.zeros(300, np.int64)
    return actions[: legal_actions(state, actions)]


def after(state, action):
    copy = clone(state)
    apply(copy, action)
    return copy


def random_worth(rng):
    return {
        "foul_cost": round(rng.uniform(0, 9), 2),
        "fantasyland_worth": {n: round(rng.uniform(0, 40), 2) for n in range(13, 18)},
    }


# --- hopeless --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES, ids=by_name)
def test_hopeless_before_the_last_deal_means_that_everything_fouls(rules):
    rng, found = random.Random(f"{rules.name} hopeless"), 0
    for _ in range(20 if JIT else 8):
        spot = spot_before_last_deal(rng, rules, 7, foul_cost=RUIN)
        state, values = spot.to_search_state(), solve_exact(spot, threads=1)
        for code, means in zip(values.codes, values.means, strict=True):
            if is_hopeless(state, code):
                assert means[Expected.VALUE] == pytest.approx(-RUIN)
                found += 1
    assert found > 0


@pytest.mark.parametrize("rules", ALL_RULES, ids=by_name)
def test_hopeless_early_means_that_random_hands_foul(rules):
    """Boards in a bad order are played on at random to the end."""
    rng, found = random.Random(f"{rules.name} early"), 0
    kernel_rng, buffer = new_rng(5), np.zeros(300, np.int64)
    for _ in range(60 if JIT else 25):
        street = rng.randrange(1, len(rules.streets) - 1)
        state = random_spot(rng, rules, street, 24, jokers=some_jokers(rng, rules)).parse(rules).to_search_state()
        hopeless = [action for action in actions_of(state) if is_hopeless(state, action)]
        for action in rng.sample(hopeless, min(3, len(hopeless))):
            for _ in range(10 if JIT else 3):
                end = after(state, action)
                play_randomly(end, buffer, kernel_rng, 100)
                assert to_play(end) == TERMINAL
                assert board_value(end)[1]
                found += 1
    assert found > 0


@pytest.mark.parametrize("rules", ALL_RULES, ids=by_name)
def test_on_the_last_street_hopeless_is_a_foul(rules):
    rng = random.Random(f"{rules.name} last")
    for _ in range(30 if JIT else 4):
        spot = random_spot(rng, rules, len(rules.streets) - 1, 6, jokers=some_jokers(rng, rules)).parse(rules)
        state, answer = spot.to_search_state(), solve_last_street(spot)
        for code, fouled in zip(answer.codes, answer.foul, strict=True):
            if rules.jokers.count or rules.order.strict:
                assert fouled or not is_hopeless(state, code)
            else:
                assert is_hopeless(state, code) == fouled


def test_where_a_foul_pays_nothing_is_hopeless():
    spot = random_spot(random.Random(1), preset("pineapple"), 3, 8)
    state = spot.parse(preset("pineapple"), foul_cost=-20.0).to_search_state()
    assert not any(is_hopeless(state, action) for action in actions_of(state))


# --- bounds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES, ids=by_name)
def test_no_exact_value_is_above_its_bound(rules):
    rng = random.Random(f"{rules.name} bound")
    worths = [random_worth(rng) for _ in range(2)]  # building promise tables for each takes a while
    for number in range(12 if JIT else 2):
        spot = spot_before_last_deal(rng, rules, 7, **worths[number % 2])
        state, values = spot.to_search_state(), solve_exact(spot, threads=1)
        for code, means in zip(values.codes, values.means, strict=True):
            assert upper_bound(after(state, code), 0) >= means[Expected.VALUE] - SAME
        assert upper_bound(state, 0) >= values.means[:, Expected.VALUE].max() - SAME


@pytest.mark.parametrize("rules", ALL_RULES, ids=by_name)
def test_no_hand_ends_above_its_bounds(rules):
    """The bound holds for placements on the last street, and for every state of hands that are played at random."""
    rng, kernel_rng, buffer = random.Random(f"{rules.name} ends"), new_rng(8), np.zeros(300, np.int64)
    worths = [random_worth(rng) for _ in range(2)]
    for number in range(30 if JIT else 4):
        last, worth = len(rules.streets) - 1, worths[number % 2]
        spot = random_spot(rng, rules, last, 6, jokers=some_jokers(rng, rules)).parse(rules, **worth)
        state = spot.to_search_state()
        for action in actions_of(state):
            end = after(state, action)
            assert upper_bound(state, 0) + SAME >= upper_bound(end, 0) >= board_value(end)[0] - SAME
        early = random_spot(rng, rules, 1, 25, jokers=some_jokers(rng, rules)).parse(rules, **worth)
        state = early.to_search_state()
        bounds = [upper_bound(state, 0)]
        while to_play(state) != TERMINAL:
            play_randomly(state, buffer, kernel_rng, 1)
            bounds.append(upper_bound(state, 0))
        assert min(bounds) >= board_value(state)[0] - SAME


def test_the_bound_of_the_house_has_the_bonus_of_the_first_deal():
    rules = preset("house")
    board, cards = "2c 2d 4h / 5c 5d 6h 6s / Kc Kd Qh Qs", "5h Kh 9c"
    for reached in (False, True):
        spot = SolveRequest(board=board, cards=cards, rules="house", fantasyland=reached).to_spot()
        state, answer = spot.to_search_state(), solve_last_street(spot)
        assert answer.value[0] == 1 + 25 + 25 + 10 * reached
        assert upper_bound(state, 0) >= answer.value[0]
    assert upper_bound(random_spot(random.Random(1), rules, 0, 40, cards=False).parse(rules).to_search_state(), 0) > 10


def test_the_bound_of_deuce_allows_for_both_rows():
    worth = {14: 1.0, 15: 100.0}
    board, cards = "Kc Kd / 7c 5d 4h 3s / Ac Ad As Qh Qs", "2c 9d 8h"
    spot = SolveRequest(board=board, cards=cards, rules="deuce", fantasyland_worth=worth).to_spot()
    answer = solve_last_street(spot)
    assert answer.value[0] == 8 + 8 + 6 + 100
    assert upper_bound(spot.to_search_state(), 0) >= answer.value[0]


# --- leaves and playouts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIR_PRESETS)
def test_leaves_are_exact_means(name):
    rules, rng, out = preset(name), random.Random(f"{name} leaf"), np.zeros(1)
    worth = random_worth(rng)
    for unseen in (37, 9, 9) if JIT else (7,):
        spot = spot_before_last_deal(rng, rules, unseen, **worth)
        state, values = spot.to_search_state(), solve_exact(spot, threads=1)
        assert not leaf_value(state, out)  # cards are to be placed
        for code, means in zip(values.codes, values.means, strict=True):
            leaf = after(state, code)
            assert leaf_value(leaf, out)
            assert out[0] == pytest.approx(means[Expected.VALUE], abs=SAME)
            assert exact_after(state, code) == pytest.approx(means[Expected.VALUE], abs=SAME)


def test_a_leaf_that_is_remembered_is_no_other():
    """The scratch remembers the value of the last board; it is not used for another board or deck."""
    rules, rng = preset("pineapple"), random.Random("remembered")
    spot = spot_before_last_deal(rng, rules, 12 if JIT else 7)
    state, values = spot.to_search_state(), solve_exact(spot, threads=1)
    worth = dict(zip(values.codes.tolist(), values.means[:, Expected.VALUE].tolist(), strict=True))
    first, *others = rng.sample(sorted(worth), 4)
    leaf = after(state, first)
    other = leaf._replace(v=after(state, others[0]).v)  # shares the scratch
    for board, code in ((leaf, first), (leaf, first), (other, others[0]), (leaf, first), (other, others[0])):
        assert exact_leaf(board) == pytest.approx(worth[code], abs=SAME)
    for code in (*others, first, first, others[0]):
        assert exact_after(state, code) == pytest.approx(worth[code], abs=SAME)
    same_scratch = leaf._replace(scratch=state.scratch)
    choose_by_look(state, np.zeros(300, np.int64), 4)
    assert exact_leaf(same_scratch) == pytest.approx(worth[first], abs=SAME)
    shorter = same_scratch._replace(v=leaf.v.copy())
    shorter.v[Field.DECK] &= shorter.v[Field.DECK] - 1  # one card fewer to come
    fresh = exact_leaf(clone(after(state, first))._replace(v=shorter.v))
    assert exact_leaf(shorter) == fresh
    assert exact_leaf(same_scratch) == pytest.approx(worth[first], abs=SAME)


def test_what_a_search_chose_is_remembered_for_its_leaf():
    """Comparing placements keeps the value of the chosen one, so the following leaf is not computed again."""
    rules, buffer = preset("pineapple"), np.zeros(300, np.int64)
    spot = spot_before_last_deal(random.Random("kept"), rules, 12 if JIT else 7)
    state, values = spot.to_search_state(), solve_exact(spot, threads=1)
    chosen = choose_by_look(state, buffer, 5)
    place = values.codes.tolist().index(chosen)
    assert state.scratch.real[KNOWN, 0] == pytest.approx(values.means[place, Expected.VALUE], abs=SAME)
    assert exact_leaf(after(state, chosen)._replace(scratch=state.scratch)) == state.scratch.real[KNOWN, 0]


@pytest.mark.parametrize(("name", "street"), [("pineapple", 3), ("regular", 8), ("turbo", 2)])
def test_other_states_are_no_leaves(name, street):
    rules, out = preset(name), np.full(1, 7.5)
    state = random_spot(random.Random(name), rules, street, 20, cards=False).parse(rules).to_search_state()
    assert not leaf_value(state, out)
    assert out[0] == 7.5


@pytest.mark.parametrize("rules", ALL_RULES, ids=by_name)
def test_playouts_are_legal_and_leave_no_trace(rules):
    rng, buffer = random.Random(f"{rules.name} playout"), np.zeros(300, np.int64)
    for street in range(1, len(rules.streets)):
        unseen = 24 if JIT else 12 if rules.name == "regular" else 9
        spot = random_spot(rng, rules, street, max(unseen, 3 * (len(rules.streets) - street)))
        state = spot.parse(rules).to_search_state()
        before = state.v.copy()
        chosen = playout_action(state, buffer, new_rng(1))
        assert chosen in actions_of(state)
        buffer[:] = -1
        assert playout_action(state, buffer, new_rng(2)) == chosen
        assert (state.v == before).all()


@pytest.mark.parametrize("rules", ALL_RULES, ids=by_name)
def test_playouts_end_with_the_best_placement(rules):
    rng, buffer = random.Random(f"{rules.name} end"), np.zeros(300, np.int64)
    worth = random_worth(rng)
    for _ in range(10 if JIT else 2):
        last = len(rules.streets) - 1
        spot = random_spot(rng, rules, last, 6, jokers=some_jokers(rng, rules)).parse(rules, **worth)
        state, answer = spot.to_search_state(), solve_last_street(spot)
        end = after(state, playout_action(state, buffer, new_rng(1)))
        assert board_value(end)[0] == answer.value[0]


@pytest.mark.parametrize("name", PAIR_PRESETS)
def test_the_street_before_the_last_is_chosen_by_look_or_by_exact_values(name):
    """Playouts take the best-looking placement; comparing more by exact values is never worse, and mostly best."""
    rules, rng, buffer, best = preset(name), random.Random(f"{name} refined"), np.zeros(300, np.int64), 0
    spots = 20 if JIT else 2
    for _ in range(spots):
        spot = spot_before_last_deal(rng, rules, 20 if JIT else 7)
        state, values = spot.to_search_state(), solve_exact(spot, threads=1)
        worth = dict(zip(values.codes.tolist(), values.means[:, Expected.VALUE], strict=True))
        looks = scores_of(state)
        assert looks[int(playout_action(state, buffer, new_rng(1)))] == max(looks.values())
        first, few, every = (worth[int(choose_by_look(state, buffer, refined))] for refined in (1, 5, 300))
        assert first - SAME <= few <= every + SAME
        assert every == pytest.approx(max(worth.values()), abs=SAME)
        best += few >= every - SAME
    assert best > spots / 2 or not JIT


# --- the heuristic ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES, ids=by_name)
def test_risks_are_probabilities_and_scores_are_promises(rules):
    """Without learned values, that is."""
    rng = random.Random(f"{rules.name} risk")
    for street in range(1, len(rules.streets)):
        spot = random_spot(rng, rules, street, 26, jokers=some_jokers(rng, rules))
        state = spot.parse(rules).to_search_state()._replace(learned=empty_learned())
        for action, score in list(scores_of(state).items())[: None if JIT else 10]:
            rows = rows_after(state, action)
            assert 0 <= foul_risk(state.tables, state.promise, *rows) <= 1
            assert score == board_promise(state, *rows) == estimate(after(state, action), 0)
            assert score >= -state.worth[FOUL_COST] - SAME
            assert tuple(after(state, action).v[Field.ROW : Field.ROW + 3]) == rows


@pytest.mark.parametrize("name", ["pineapple", "ultimate", "regular"])
def test_scores_are_learned_values_where_something_was_learned(name):
    """Full boards always have the value of their promise: only boards with cards to come have learned values."""
    rules, rng = preset(name), random.Random(f"{name} learned")
    layout, last = learned_layout(rules), len(rules.streets) - 1
    learned = Learned(layout, np.random.default_rng(1).random(last * stage_size(layout)).astype(np.float32))
    learned.weights.setflags(write=False)
    for street in range(len(rules.streets)):
        spot = random_spot(rng, rules, street, 26, jokers=some_jokers(rng, rules) if street else "")
        state = spot.parse(rules).to_search_state()._replace(learned=learned)
        deck = state.v[Field.DECK]
        for action, score in rng.sample(list(scores_of(state).items()), min(5, len(actions_of(state)))):
            rows = rows_after(state, np.int64(action))
            if street == last:
                expected = board_promise(state, *rows)
            else:
                expected = learned_value(learned, street, learned_scale(learned, street, deck), *rows, deck)
            assert score == pytest.approx(expected, rel=1e-12)
            assert estimate(after(state, action), 0) == score


def test_weights_that_ship_are_looked_at():
    state = random_spot(random.Random(2), preset("pineapple"), 2, 26).parse(preset("pineapple")).to_search_state()
    assert state.learned.weights.size
    by_promise = scores_of(state._replace(learned=empty_learned()))
    assert all(score != by_promise[action] for action, score in scores_of(state).items())


@pytest.mark.parametrize("name", ["pineapple", "deuce"])
def test_a_finished_board_has_no_risk_or_fouls(name):
    rules, rng, seen = preset(name), random.Random(f"{name} finished"), set()
    while seen != {False, True}:
        spot = random_spot(rng, rules, 4, 6).parse(rules)
        state = spot.to_search_state()
        for action in actions_of(state):
            fouled = board_value(after(state, action))[1]
            assert foul_risk(state.tables, state.promise, *rows_after(state, action)) == fouled
            seen.add(bool(fouled))


def test_scale_and_phase():
    rules = preset("pineapple")
    phases = []
    for street in range(5):
        state = random_spot(random.Random(street), rules, street, 20).parse(rules).to_search_state()
        assert value_scale(state) == 10
        phases.append(phase(state))
    assert phases == [0, 0, 1, 1, 2]


def test_a_promise_is_never_shown_as_an_ev():
    """Fifty simulations cannot cover 232 openings: placements without any have no EV."""
    if not JIT:  # the parts of the EVs are sampled by ten thousand playouts
        return
    answer = solve(SolveRequest(cards="As Ah Kd 7c 2s", simulations=50, threads=1))
    assert answer.method == "halving"
    assert len(answer.actions) == 232
    untried = [action for action in answer.actions if action.visits == 0]
    tried = [action for action in answer.actions if action.visits > 0]
    assert len(untried) >= 182
    assert tried
    for action in untried:
        assert action.ev is action.ev_loss is action.stderr is None
        assert action.p_foul is action.p_fantasyland is action.royalties is None
        assert not action.exact
    for action in tried:  # few simulations rank nothing: then there is a guess, under its own name
        assert (action.ev is None) == (action.guess is not None)
        assert not action.exact
    assert answer.value == answer.best.ev
    assert answer.best.visits > 0
