"""Exact streets: every mean equals brute force that shares no code, and means are consistent with each other."""

import random
from itertools import combinations

import numpy as np
import pytest

from bromeliad.core.budget import Cancel
from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.core.jit import JIT
from bromeliad.errors import InputError
from bromeliad.games.ofc.exact.earlier_streets import solve_exact
from bromeliad.games.ofc.exact.expectation import (
    Expected,
    eleven_value,
    listed,
    mean_eleven_cards,
    mean_nine_cards,
    nine_scratch,
)
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.exact.pairs import (
    FANTASYLAND_UNIT,
    ROYALTY_UNIT,
    ExactContext,
    best_reply_counts,
    best_reply_sums,
    deck_cards,
    fill_pair_counts,
    fill_pairs,
)
from bromeliad.games.ofc.exact.scratch import COUNT_SUMS, SUMS, pair_scratch
from bromeliad.games.ofc.hands.placements import Action, count_placements
from bromeliad.games.ofc.rules.files import parse_rules, preset, preset_names
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST, Field
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve
from ofc_spots import FIRST, random_spot, shapes
from oracles.ofc_expectation import Brute
from oracles.ofc_scorer import DECK

kernel_test = pytest.mark.kernel
SAME = 1e-9

STRICT = parse_rules("base: pineapple\nname: strict\norder: {strict: true}\n")
NO_COPIES = parse_rules("base: ultimate\nname: no copies\njokers: {may_copy_seen: false}\n")
BONUS = parse_rules("base: progressive\nname: bonus\nfantasyland: {bonus: 3}\n")

# rules, street from 0, unseen cards, how to make the spot
SPOTS = [
    *((preset("pineapple"), 3, 9, {"shape": shape}) for shape in shapes(4)),
    *((preset("progressive"), 3, 10, {}) for _ in range(2)),
    (preset("progressive"), 3, 10, {"opponent": 4}),
    *((preset("progressive-keep"), 3, 9, {}) for _ in range(2)),
    *((preset("ultimate"), 3, 8, {"jokers": jokers}) for jokers in ("", "b", "h", "d", "bb", "bh", "bd", "hd", "dd")),
    *((preset("deuce"), 3, 10, {}) for _ in range(4)),
    *((preset("house"), 3, 9, {}) for _ in range(4)),
    *((preset("regular"), street, unseen, {}) for street, unseen in ((7, 12), (7, 12), (6, 10), (5, 8))),
    *((preset("turbo"), 1, 7, {"shape": shape}) for shape in ((0, 4, 4), (2, 3, 3), (3, 3, 2))),
    (STRICT, 3, 10, {}),
    (STRICT, 3, 10, {"shape": (1, 2, 1)}),
    (BONUS, 3, 9, {"shape": (2, 1, 1)}),
    (NO_COPIES, 3, 7, {"jokers": "b", "shape": (0, 2, 2), "opponent": 5}),
]
EARLY_SPOTS = [  # one street more
    (preset("pineapple"), 2, 8, {"shape": (2, 2, 2)}),
    (preset("ultimate"), 2, 7, {"jokers": "d", "shape": (1, 3, 2)}),
    (preset("deuce"), 2, 8, {"shape": (1, 2, 3)}),
]


def names_of(action):
    return tuple(tuple(sorted(map(str, group))) for group in (action.top, action.middle, action.back, action.discards))


def objective(rng):
    """Return a random objective: no two numbers are alike, so that a mix-up shows."""
    worth = {cards: round(rng.uniform(0, 30), 2) for cards in range(13, 18)}
    return {"foul_cost": round(rng.uniform(0, 9), 2), "fantasyland_worth": worth}


def is_house(rules):
    return rules.fantasyland.first_street is not None


def brute_for(rules, spot, wanted, reached):
    data = rules.model_dump(mode="json")
    first = FIRST if reached else ()
    return Brute(data, wanted["fantasyland_worth"], wanted["foul_cost"], first=first, seen=spot.opponent)


def check_parts(found, expected, rules):
    """Compare fouls, royalties and, except under the house rules, fantasyland."""
    assert expected.foul_least - SAME <= found[Expected.FOUL] <= expected.foul_most + SAME
    assert expected.royalties_least - SAME <= found[Expected.ROYALTIES] <= expected.royalties_most + SAME
    if not is_house(rules):
        assert expected.fantasyland_least - SAME <= found[Expected.FANTASYLAND] <= expected.fantasyland_most + SAME


def compare(rng, rules, street, unseen, how, *, sample=None):
    """Compare every placement of a random spot with the oracle, or a sample of them."""
    spot, wanted = random_spot(rng, rules, street, unseen, **how), objective(rng)
    reached = is_house(rules) and rng.random() < 0.5
    parsed = spot.parse(rules, **wanted, fantasyland=reached)
    values = solve_exact(parsed, threads=1)
    found = {names_of(Action.from_code(parsed.cards, int(code))): i for i, code in enumerate(values.codes)}
    assert len(found) == len(values.codes) == values.done
    only = None if sample is None else set(rng.sample(sorted(found), min(sample, len(found))))
    expected = brute_for(rules, spot, wanted, reached).actions(spot.board, spot.cards, spot.deck, only)
    assert expected.keys() == (found.keys() if only is None else only)
    for key, means in expected.items():
        mine = values.means[found[key]]
        assert mine[Expected.VALUE] == pytest.approx(means.value, abs=SAME), (spot, key)
        check_parts(mine, means, rules)
    return values


# --- against brute force ---------------------------------------------------------------------------------------------


@kernel_test
@pytest.mark.parametrize("number", range(0, len(SPOTS), 1 if JIT else 6))
def test_every_action_before_the_last_deal(number):
    compare(random.Random(number), *SPOTS[number], sample=None if JIT else 3)


@pytest.mark.parametrize("number", range(len(EARLY_SPOTS)))
def test_actions_with_two_streets_to_come(number):
    compare(random.Random(100 + number), *EARLY_SPOTS[number], sample=6)


@pytest.mark.accept
@pytest.mark.parametrize("number", range(200))
def test_200_spots_before_the_last_deal(number):
    rules, street, unseen, how = SPOTS[number % len(SPOTS)]
    compare(random.Random(1000 + number), rules, street, unseen + number % 3, how)


@pytest.mark.accept
@pytest.mark.parametrize("number", range(10))
def test_10_spots_with_two_streets_to_come(number):
    names = ("pineapple", "progressive", "progressive-keep", "ultimate", "deuce", "house")
    rng = random.Random(2000 + number)
    how = {"jokers": rng.choice(["b", "d", "h"])} if names[number % 6] == "ultimate" else {}
    compare(rng, preset(names[number % 6]), 2, 8, how)


@pytest.mark.accept
@pytest.mark.parametrize("name", preset_names())
def test_a_whole_deck_before_the_last_deal(name):
    """No card is dead, so the oracle is slow and checks only two placements."""
    rules = preset(name)
    street = {"regular": 7, "turbo": 1}.get(name, 3)
    unseen = 9 if name == "turbo" else rules.deck_size - 20
    compare(random.Random(name), rules, street, unseen, {"jokers": "d" * rules.jokers.count}, sample=2)


def check_answer(answer, expected):
    """Compare an answer with the oracle's values of every placement."""
    assert (answer.method, answer.stop_reason, answer.simulations) == ("exact", "exact", 0)
    assert answer.value == answer.best.ev == max(action.ev for action in answer.actions)
    assert [action.ev for action in answer.actions] == sorted((action.ev for action in answer.actions), reverse=True)
    assert len(answer.actions) == len(expected)
    for action in answer.actions:
        means = expected[names_of(action)]
        assert action.exact
        assert action.stderr == 0
        assert action.ev == pytest.approx(means.value, abs=SAME)
        assert action.ev_loss == pytest.approx(answer.value - means.value, abs=SAME)
        assert means.foul_least - SAME <= action.p_foul <= means.foul_most + SAME
        assert means.fantasyland_least - SAME <= action.p_fantasyland <= means.fantasyland_most + SAME
        assert means.royalties_least - SAME <= action.royalties <= means.royalties_most + SAME


@kernel_test
@pytest.mark.parametrize("name", preset_names())
def test_answers_of_the_last_street_and_the_one_before(name):
    rules, rng = preset(name), random.Random(f"{name} answers")
    last = len(rules.streets) - 1
    for street, unseen in ((last, 6), (last, 30), (last - 1, 7)):
        spot, wanted = random_spot(rng, rules, street, unseen, jokers="bh"[: rules.jokers.count]), objective(rng)
        reached = is_house(rules) and unseen != 30
        expected = brute_for(rules, spot, wanted, reached).actions(spot.board, spot.cards, spot.deck)
        answer = solve(SolveRequest(**spot.request(), **wanted, rules=name, fantasyland=reached, threads=1))
        check_answer(answer, expected)
        assert answer.street == street + 1
        assert not reached or answer.best.p_fantasyland == 1 - answer.best.p_foul


@kernel_test
def test_an_answer_by_hand():
    """Trip aces in the back and two free places: only a pair among the three cards pays, as a full house."""
    left = ["7h", "8c", "8d", "8h", "Th", "Qd", "Qh", "3s"]
    board = "Ah 9c 2s / 9d 9s 4d 5s 6s / As Ac Ad"
    dead = " ".join(card for card in DECK if card not in left and card not in board.split())
    answer = solve(SolveRequest(board=board, dead=dead, foul_cost=6, threads=1))
    draws = list(combinations(left, 3))
    paired = sum(len({card[0] for card in draw}) < 3 for draw in draws)
    assert 0 < paired < len(draws)
    assert answer.value == pytest.approx(6 * paired / len(draws))
    assert answer.best.royalties == pytest.approx(answer.value)
    assert answer.best.p_foul == answer.best.p_fantasyland == 0


# --- between means ---------------------------------------------------------------------------------------------------


def draws_of(rng, spot, deal, limit):
    draws = list(combinations(range(len(spot.deck)), deal))
    return [[spot.deck[i] for i in draw] for draw in (draws if len(draws) <= limit else rng.sample(draws, limit))]


@kernel_test
@pytest.mark.parametrize(
    ("name", "street", "unseen"),
    [("pineapple", 4, 8), ("ultimate", 4, 7), ("regular", 8, 9), ("deuce", 4, 8), ("turbo", 2, 6)],
)
def test_a_board_before_its_last_draw_is_the_mean_of_the_best_replies(name, street, unseen):
    rules, rng = preset(name), random.Random(f"{name} last")
    jokers = "d" * rules.jokers.count
    spot = random_spot(rng, rules, street, unseen, cards=False, jokers=jokers)
    wanted = objective(rng)
    before = solve_exact(spot.parse(rules, **wanted), threads=1)
    assert before.codes.tolist() == [0]
    after = [
        solve_last_street(spot.with_cards(draw).parse(rules, **wanted)).value[0]
        for draw in draws_of(rng, spot, rules.streets[street].deal, 100)
    ]
    assert before.means[0, Expected.VALUE] == pytest.approx(np.mean(after), abs=SAME)


@pytest.mark.parametrize(("name", "street", "unseen"), [("pineapple", 3, 8), ("regular", 7, 10), ("house", 3, 7)])
def test_a_board_before_a_draw_is_the_mean_of_the_best_actions(name, street, unseen):
    rules, rng = preset(name), random.Random(f"{name} before")
    spot, wanted = random_spot(rng, rules, street, unseen, cards=False), objective(rng)
    before = solve_exact(spot.parse(rules, **wanted), threads=1).means[0, Expected.VALUE]
    after = [
        solve_exact(spot.with_cards(draw).parse(rules, **wanted), threads=1).means[:, Expected.VALUE].max()
        for draw in draws_of(rng, spot, rules.streets[street].deal, 100)
    ]
    assert before == pytest.approx(np.mean(after), abs=SAME)
    answer = solve(SolveRequest(**spot.request(), **wanted, rules=name))
    assert answer.value == pytest.approx(before, abs=SAME)
    assert len(answer.actions) == 1
    assert answer.best.top == answer.best.middle == answer.best.back == answer.best.discards == ()


@pytest.mark.parametrize("name", ["pineapple", "ultimate", "deuce", "house"])
def test_the_suits_have_no_names(name):
    rules, rng = preset(name), random.Random(f"{name} suits")
    jokers = "bd"[: rules.jokers.count]
    for street, unseen in ((3, 20), (2, 9)):
        spot, wanted = random_spot(rng, rules, street, unseen, jokers=jokers), objective(rng)
        swapped = str.maketrans("cdhs", "".join(rng.sample("cdhs", 4)))
        other = {key: _renamed(text, swapped) for key, text in spot.request().items() if key != "objective"}
        mine = solve_exact(spot.parse(rules, **wanted), threads=1)
        request = SolveRequest(**other, objective="solo", **wanted, rules=name)
        theirs = solve_exact(request.to_spot(), threads=1)
        assert np.sort(mine.means[:, 0]) == pytest.approx(np.sort(theirs.means[:, 0]), abs=SAME)


def _renamed(text, swapped):
    return tuple(_renamed(part, swapped) for part in text) if isinstance(text, tuple) else text.translate(swapped)


@pytest.mark.parametrize(("name", "street", "unseen"), [("pineapple", 3, 30), ("pineapple", 2, 12), ("turbo", 1, 8)])
def test_the_parts_add_up_where_fantasyland_has_one_worth(name, street, unseen):
    rules, rng = preset(name), random.Random(f"{name} {street} parts")
    for _ in range(3):
        wanted = objective(rng)
        means = solve_exact(random_spot(rng, rules, street, unseen).parse(rules, **wanted), threads=1).means
        (cards,) = rules.fantasyland_cards()
        total = (
            means[:, Expected.ROYALTIES]
            + wanted["fantasyland_worth"][cards] * means[:, Expected.FANTASYLAND]
            - wanted["foul_cost"] * means[:, Expected.FOUL]
        )
        assert means[:, Expected.VALUE] == pytest.approx(total, abs=SAME)


def test_the_objective_moves_values_no_less_than_the_old_play_would():
    """With another foul cost or worth, the old replies earn the sum of their parts, and best play no less."""
    rules, rng = preset("pineapple"), random.Random("moved")
    for _ in range(5):
        spot = random_spot(rng, rules, 3, 25)
        old = solve_exact(spot.parse(rules, foul_cost=4.0, fantasyland_worth={14: 8.0}), threads=1).means
        for cost, worth in ((1.0, 8.0), (9.0, 8.0), (4.0, 0.0), (4.0, 20.0), (9.0, 3.0)):
            new = solve_exact(spot.parse(rules, foul_cost=cost, fantasyland_worth={14: worth}), threads=1).means
            kept = (
                old[:, Expected.VALUE]
                - (cost - 4.0) * old[:, Expected.FOUL]
                + (worth - 8.0) * old[:, Expected.FANTASYLAND]
            )
            assert (new[:, Expected.VALUE] >= kept - SAME).all()


@kernel_test
def test_the_objective_is_linear_where_nothing_can_be_chosen():
    """In regular open-face, the card of street 9 goes to the only free place."""
    rules, rng = preset("regular"), random.Random("linear")
    for _ in range(6):
        spot = random_spot(rng, rules, 7, 30 if JIT else 12)
        base = solve_exact(spot.parse(rules, foul_cost=0.0, fantasyland_worth={13: 0.0}), threads=1).means
        assert (base[:, Expected.VALUE] == base[:, Expected.ROYALTIES]).all()
        for cost, worth in ((5.5, 0.0), (0.0, 7.25), (-3.0, 11.5)):
            means = solve_exact(spot.parse(rules, foul_cost=cost, fantasyland_worth={13: worth}), threads=1).means
            assert (means[:, 1:] == base[:, 1:]).all()
            assert means[:, Expected.VALUE] == pytest.approx(
                base[:, Expected.VALUE] - cost * base[:, Expected.FOUL] + worth * base[:, Expected.FANTASYLAND]
            )


def test_threads_change_nothing():
    rng = random.Random("threads")
    for rules, street, unseen in ((preset("pineapple"), 3, 37), (preset("ultimate"), 2, 12), (preset("turbo"), 1, 8)):
        spot = random_spot(rng, rules, street, unseen).parse(rules)
        one, two = solve_exact(spot, threads=1), solve_exact(spot, threads=2)
        assert (one.codes == two.codes).all()
        assert one.means.tobytes() == two.means.tobytes()


# --- progress and cancel ---------------------------------------------------------------------------------------------


class After:
    """A cancel that takes effect after this number of calls."""

    def __init__(self, calls):
        self.left = calls

    def __call__(self):
        self.left -= 1
        return self.left < 0


@kernel_test
def test_a_cancelled_run_leaves_the_rest_unknown():
    rules = preset("pineapple")
    spot = random_spot(random.Random(3), rules, 3, 8, shape=(1, 1, 2)).parse(rules)
    whole, seen = solve_exact(spot, threads=1), []
    part = solve_exact(spot, threads=1, progress=lambda values: seen.append(values.done), cancel=Cancel(After(4)))
    assert part.done == 4
    assert np.isnan(part.means[4:]).all()
    assert (part.means[:4] == whole.means[:4]).all()
    assert seen == sorted(seen)
    assert len(seen) == len(part.codes)
    assert seen[-1] == 4
    assert solve_exact(spot, threads=1, cancel=Cancel(After(0))).done == 0


@kernel_test
def test_a_cancelled_answer_says_what_it_does_not_know():
    rules = preset("pineapple")
    spot = random_spot(random.Random(3), rules, 3, 8, shape=(1, 1, 2))
    snapshots = []
    answer = solve(SolveRequest(**spot.request(), threads=1), snapshots.append, Cancel(After(4)))
    whole = solve(SolveRequest(**spot.request(), threads=1))
    assert answer.stop_reason == "cancelled"
    assert [action.ev is None for action in answer.actions] == [False] * 4 + [True] * (len(whole.actions) - 4)
    assert all(not action.exact and action.stderr is None for action in answer.actions[4:])
    assert all(action.ev_loss is None and action.p_foul is None for action in answer.actions[4:])
    known = {names_of(action): action.ev for action in whole.actions}
    assert all(action.exact and action.ev == known[names_of(action)] for action in answer.actions[:4])
    assert answer.value == answer.best.ev == max(action.ev for action in answer.actions[:4])
    shares = [snapshot.fraction for snapshot in snapshots]
    assert shares == sorted(shares)
    assert shares[-1] == 4 / len(whole.actions)
    assert snapshots[-1].actions == answer.actions[:4]
    assert answer.confidence == 4 / len(whole.actions)
    with pytest.raises(InputError, match="no answer was found"):
        solve(SolveRequest(**spot.request(), threads=1), cancel=Cancel(After(0)))


# --- kernels ---------------------------------------------------------------------------------------------------------


def board_of(spot):
    """Return (context, rows, free places, board mask, deck mask) of a spot without cards, for the kernels."""
    state = spot.to_state()
    v = state.v
    context = ExactContext(
        state.tables, state.worth, state.pay, state.opponent_tables, v[Field.SEEN], v[Field.FANTASYLAND]
    )
    board = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2]
    return context, tuple(v[Field.ROW : Field.ROW + 3]), v[Field.FREE : Field.FREE + 3], board, v[Field.DECK]


PAIR_PRESETS = ("pineapple", "progressive", "progressive-keep", "ultimate", "deuce", "house")


@kernel_test
@pytest.mark.parametrize("rules", [*map(preset, PAIR_PRESETS), STRICT, BONUS], ids=lambda rules: rules.name)
def test_the_fast_matrix_is_the_slow_one(rules):
    """All six shapes of two free places, with one scratch for all, as in a search."""
    rng = random.Random(rules.name)
    fast, slow = pair_scratch(), pair_scratch()
    for first in range(3):
        for second in range(first, 3):
            shape = [0, 0, 0]
            shape[first] += 1
            shape[second] += 1
            for unseen in (41, 9) if JIT else (7,):
                for jokers in ("", "d", "b", "bd", "dd") if rules.jokers.count else ("",):
                    spot = random_spot(rng, rules, 4, unseen, shape=tuple(shape), jokers=jokers, cards=False)
                    context, rows, _, board, deck = board_of(spot.parse(rules, **objective(rng)))
                    for fill, scratch in ((fill_pairs, fast), (fill_pair_counts, slow)):
                        assert deck_cards(deck, scratch.whole) == unseen
                        fill(context, *rows, first, second, board, unseen, scratch)
                    assert (fast.real[:unseen, :unseen] == slow.real[:unseen, :unseen]).all()
                    check_packed(slow, unseen, context)


TWINS = {  # boards whose middle and back may end equal, by the rows of the two free places
    (0, 0): "2c / Ac Kd Qh 9s 7c / Ad Kc Qs 9h 7d",
    (0, 1): "2c 3d / Ac Kd Qh 9s / Ad Kc Qs 9h 7d",
    (0, 2): "2c 3d / Ac Kd Qh 9s 7c / Ad Kc Qs 9h",
    (1, 1): "2c 3d 4h / Ac Kd Qh / Ad Kc Qs 9h 7d",
    (1, 2): "2c 3d 4h / Ac Kd Qh 9s / Ad Kc Qs 9h",
    (2, 2): "2c 3d 4h / Ac Kd Qh 9s 7c / Ad Kc Qs",
}


@kernel_test
@pytest.mark.parametrize("rules", [preset("pineapple"), STRICT], ids=lambda rules: rules.name)
@pytest.mark.parametrize("free", TWINS)
def test_equal_rows_foul_where_the_rules_say_so(rules, free):
    left = ["7h", "7s", "8c", "8d", "9c", "6s"]
    rows = [row.split() for row in TWINS[free].split(" / ")]
    dead = [card for card in DECK if card not in left and card not in TWINS[free].split()]
    spot = parse_spot(rules, board=TWINS[free], dead=" ".join(dead), foul_cost=5.5)
    expected = Brute(rules.model_dump(mode="json"), {14: 8.0}, 5.5).mean(rows, left)
    assert solve_exact(spot, threads=1).means[0, Expected.VALUE] == pytest.approx(expected.value, abs=SAME)
    context, states, _, board, deck = board_of(spot)
    fast, slow = pair_scratch(), pair_scratch()
    for fill, scratch in ((fill_pairs, fast), (fill_pair_counts, slow)):
        assert deck_cards(deck, scratch.whole) == len(left)
        fill(context, *states, *free, board, len(left), scratch)
    assert (fast.real[: len(left), : len(left)] == slow.real[: len(left), : len(left)]).all()
    assert best_reply_sums(len(left), fast) / 20 == pytest.approx(expected.value, abs=SAME)


def check_packed(scratch, count, context):
    """A foul has its cost and no other part; the packed parts add up to the value."""
    packed, value = scratch.whole[:count, :count], scratch.real[:count, :count]
    off = ~np.eye(count, dtype=bool)
    foul = (packed & 0xFFFF) == 1
    assert (value[foul] == -context.worth[FOUL_COST]).all()
    assert (packed[foul] == 1).all()
    plain = off & (packed // FANTASYLAND_UNIT & 0xFFFF == 0) & ~foul
    assert (value[plain] == (packed // ROYALTY_UNIT)[plain]).all()


@kernel_test
@pytest.mark.parametrize("count", [3, 4, 7, 20] if JIT else [3, 7])
def test_sums_of_best_replies(count):
    rng = np.random.default_rng(count)
    scratch = pair_scratch()
    scratch.real[:] = rng.normal(size=scratch.real.shape)  # junk beyond the cards must not matter
    values = rng.normal(size=(count, count)).round(1)
    values = values + values.T
    np.fill_diagonal(values, -1e30)
    scratch.real[:count, :count] = values
    royalties = rng.integers(-3, 30, (count, count))
    fouls, lands = rng.integers(0, 2, (2, count, count))
    packed = fouls + lands * FANTASYLAND_UNIT + royalties * ROYALTY_UNIT
    scratch.whole[:count, :count] = np.triu(packed) + np.triu(packed, 1).T
    total, by_card, parts, parts_by_card = 0.0, np.zeros(count), np.zeros(3), np.zeros((count, 3))
    for draw in combinations(range(count), 3):
        i, j = max(combinations(draw, 2), key=lambda pair: values[pair])
        part = np.array([fouls[i, j], lands[i, j], royalties[i, j]])
        total += values[i, j]
        parts += part
        for card in draw:
            by_card[card] += values[i, j]
            parts_by_card[card] += part
    assert best_reply_sums(count, scratch) == pytest.approx(total)
    assert scratch.real[SUMS, :count] == pytest.approx(by_card)
    if len(np.unique(values)) == count * (count - 1) // 2 + 1:  # ties may go either way
        assert unpacked(best_reply_counts(count, scratch)) == parts.tolist()
        assert [unpacked(number) for number in scratch.whole[COUNT_SUMS, :count]] == parts_by_card.tolist()


def unpacked(number):
    return [number & 0xFFFF, number // FANTASYLAND_UNIT & 0xFFFF, number // ROYALTY_UNIT]


def listed_means(rules, spot):
    context, rows, free, board, deck = board_of(spot)
    state = spot.to_state()
    codes = np.zeros((len(rules.streets), count_placements(3, 3, 5, 5, 2)), np.int64)
    return listed(context, state.streets, state.v[Field.STREET], *rows, *free, board, deck, codes)


@kernel_test
@pytest.mark.parametrize("name", PAIR_PRESETS)
def test_listing_everything_is_the_pair_matrix(name):
    rules, rng = preset(name), random.Random(f"{name} listed")
    jokers = "bd"[: rules.jokers.count]
    scratch, out = nine_scratch(), np.zeros(Expected.SIZE)
    for street, unseen, kernel in (
        (4, 12, mean_eleven_cards),
        (4, 3, mean_eleven_cards),
        (3, 8, mean_nine_cards),
        (3, 6, mean_nine_cards),
    ):
        if not JIT and unseen > 6:
            unseen = 6
        spot = random_spot(rng, rules, street, unseen, cards=False, jokers=jokers).parse(rules, **objective(rng))
        context, rows, free, board, deck = board_of(spot)
        kernel(context, *rows, free, board, deck, scratch.pairs if kernel is mean_eleven_cards else scratch, out)
        assert out[Expected.VALUE] == pytest.approx(listed_means(rules, spot)[Expected.VALUE], abs=SAME)
        if len(rules.fantasyland_cards()) == 1:  # one worth: the parts must explain the value
            value, foul, fantasyland, royalties = out
            worth = context.worth[rules.fantasyland_cards()[0]]
            assert value == pytest.approx(royalties + worth * fantasyland - context.worth[FOUL_COST] * foul, abs=SAME)
        if kernel is mean_eleven_cards:
            assert eleven_value(context, *rows, free, board, deck, scratch.pairs) == pytest.approx(out[0], abs=SAME)


@kernel_test
def test_of_equal_values_that_which_does_not_foul_is_chosen():
    """Without a cost, a foul ties with a board that pays nothing; the answer prefers the board."""
    options = {"cards": "4d Kc Kd", "board": "9s Th Ks / 5s 8d 9h / 6d Qd Ac", "foul_cost": 0.0}
    rest = parse_spot(preset("pineapple"), **options).unseen - CardSet.from_cards(parse_cards("2c 3d 7h Js Qh 8s As"))
    values = solve_exact(parse_spot(preset("pineapple"), **options, dead=str(rest)), threads=1)
    costly = solve_exact(parse_spot(preset("pineapple"), **{**options, "foul_cost": 1e-6}, dead=str(rest)), threads=1)
    assert values.means[:, Expected.FOUL] == pytest.approx(costly.means[:, Expected.FOUL], abs=1e-9)
