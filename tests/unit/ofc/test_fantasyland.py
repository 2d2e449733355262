"""The fantasyland solver against two enumerations: a kernel over every placement, and plain Python."""

import random
from itertools import combinations

import numpy as np
import pytest

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import kernel
from bromeliad.errors import InputError
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.hands.automaton import row_of_mask
from bromeliad.games.ofc.hands.placements import list_placements
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.scoring import (
    Scored,
    board_royalties,
    next_fantasyland,
    resolve_rows,
    score_board,
    settle,
)
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST
from oracles import fantasyland as oracle
from oracles.ofc_scorer import DECK
from support import changed

SEED = 20

STAY_BY_TOP = {"first_street": None, "stay": preset("regular").fantasyland.model_dump()["stay"]}
RULES = {
    **{name: preset(name) for name in ("pineapple", "progressive", "progressive-keep", "ultimate", "regular", "deuce")},
    "turbo": preset("turbo"),
    "house rows": changed("house", fantasyland=STAY_BY_TOP, objective={"fantasyland_worth": {14: 3}}),
    "strict": changed("ultimate", order={"strict": True}),
    "strict deuce": changed("deuce", order={"strict": True}),
    "suits": changed("regular", order={"suits_break_ties": True}),
    "odd points": changed(
        "ultimate", scoring={"row_points": {"top": -1, "middle": 0, "back": 2}, "scoop": -4}, order={"strict": True}
    ),
    "costly stay": changed("regular", objective={"fantasyland_worth": {13: -7.5}}),
}
NO_COPIES = changed("ultimate", jokers={"may_copy_seen": False})


def deal(rng, rules, size, opponents=0, jokers=None):
    """Return a hand and full boards of opponents; the first of them has a joker if the hand leaves one."""
    pack = rng.sample(DECK, len(DECK))
    if rng.random() < 0.5:  # few ranks or few suits: many strong rows
        part = rng.randrange(2)
        pack.sort(key=lambda card: (card[part] not in "AKQ98cd", rng.random()))
    jokers = rng.randrange(rules.jokers.count + 1) if jokers is None else jokers
    cards = ["Jk"] * jokers + pack
    if opponents and rules.jokers.count > jokers:
        cards.insert(size + 1, "Jk")
    hand, rest = cards[:size], cards[size:]
    boards = []
    for _ in range(opponents):
        boards.append(settled(rest[:13], rules))
        rest = rest[13:]
    return hand, boards


def settled(cards, rules):
    """Return the best board of thirteen cards, which seldom fouls."""
    answer = solve_fantasyland(spot_of(rules, cards), 1)
    return [str(CardSet(int(mask))).split() for mask in (answer.top[0], answer.middle[0], answer.back[0])]


def spot_of(rules, cards, boards=(), **options):
    opponents = [" / ".join(" ".join(row) for row in board) for board in boards]
    text = cards if isinstance(cards, str) else " ".join(cards)
    return parse_spot(rules, cards=text, opponents=opponents, fantasyland=True, **options)


@kernel
def judge_all(tables, worth, cards, codes, opponents, open_cards, mine, points, values):
    """Write the value of every placement, straight from the scoring kernels."""
    for i in range(len(values)):
        top, middle, back = np.int64(0), np.int64(0), np.int64(0)
        for j in range(len(cards)):
            digit, bit = codes[i] >> (2 * j) & 3, np.int64(1) << cards[j]
            top |= bit if digit == 1 else 0
            middle |= bit if digit == 2 else 0
            back |= bit if digit == 3 else 0
        score_board(tables, top, middle, back, len(cards), open_cards | top | middle | back, mine)
        value = worth[mine[Scored.NEXT_CARDS]]
        if len(opponents) == 0:
            value = -worth[FOUL_COST] if mine[Scored.FOUL] else value + mine[Scored.ROYALTIES]
        else:
            value *= len(opponents)  # every opponent pays for it
        for j in range(len(opponents)):
            value += settle(tables, mine, opponents[j], points) - worth[opponents[j, Scored.NEXT_CARDS]]
        values[i] = value


def enumerate_values(spot):
    """Return the values of all boards of a hand, best first."""
    state = spot.to_state()
    cards = np.array(sorted(card.value for card in spot.cards), np.int64)
    twins = cards[-2] == 52
    codes = np.zeros(80_000 if len(cards) == 13 else 1_100_000, np.int64)
    count = list_placements(len(cards), 3, 5, 5, 13, twins, codes)
    boards = spot.opponents if spot.objective == "versus" else ()
    scored = np.zeros((len(boards), Scored.SIZE), np.int64)
    for board, out in zip(boards, scored, strict=True):
        out[:] = board.scored(spot.rules, 0, spot.opponents_open | CardSet.from_cards(spot.cards))
    values = np.zeros(count)
    mine, points = np.zeros(Scored.SIZE, np.int64), np.zeros(4, np.int64)
    judge_all(state.tables, state.worth, cards, codes, scored, spot.opponents_open.mask, mine, points, values)
    return np.sort(values)[::-1]


def check_answer(spot, answer, values):
    """Check that an answer has the best values, that its boards differ, and that they have these values."""
    np.testing.assert_allclose(answer.value, values[: len(answer.value)], rtol=0, atol=3e-5)
    hand = CardSet.from_cards(spot.cards).mask
    rows = list(zip(*(map(int, column) for column in answer[:4]), strict=True))
    for top, middle, back, discards in rows:
        assert [mask.bit_count() for mask in (top, middle, back)] == [3, 5, 5]
        assert top | middle | back | discards == hand
        assert top + middle + back + discards == hand
    assert len({tuple(blind(mask) for mask in row) for row in rows}) == len(rows)


def blind(mask):
    """Return a mask without jokers and their number, so that swapped jokers make no difference."""
    return mask & (1 << 52) - 1, (mask >> 52).bit_count()


# --- against enumeration -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("opponents", [0, 1, 2])
@pytest.mark.parametrize("name", RULES)
def test_every_rule_set_against_enumeration(name, opponents):
    rules = RULES[name]
    rng = random.Random(f"{SEED} {name} {opponents}")
    hand, boards = deal(rng, rules, 13, opponents)
    spot = spot_of(rules, hand, boards)
    values = enumerate_values(spot)
    check_answer(spot, solve_fantasyland(spot, 1), values)
    check_answer(spot, solve_fantasyland(spot, 50), values)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("name", "opponents"), [("pineapple", 0), ("pineapple", 2), ("ultimate", 0), ("ultimate", 1), ("deuce", 1)]
)
def test_against_plain_python(name, opponents):
    check_against_plain_python(RULES[name], random.Random(f"{SEED} plain {name} {opponents}"), 13, opponents)


def check_against_plain_python(rules, rng, size, opponents):
    hand, boards = deal(rng, rules, size, opponents)
    spot = spot_of(rules, hand, boards)
    worth = dict(spot.fantasyland_worth)
    values = oracle.best_values(hand, rules.model_dump(mode="json"), worth, spot.foul_cost, 10, boards)
    check_answer(spot, solve_fantasyland(spot, 10), np.array(values))


def test_all_boards_of_a_hand():
    spot = spot_of(preset("ultimate"), ["Jk", "Jk", *DECK[3:47:4]], foul_cost=2)
    values = enumerate_values(spot)
    answer = solve_fantasyland(spot, 100_000)
    assert len(answer.value) == len(values) < 72_072
    check_answer(spot, answer, values)


@pytest.mark.parametrize(("jokers", "opponents"), [(2, 0), (1, 1), (0, 1)])
def test_jokers_that_may_not_copy(jokers, opponents):
    """Many boards are not better than the best one; enumerating all would take minutes with jokers."""
    rng = random.Random(f"{SEED} {jokers} {opponents}")
    spot = spot_of(NO_COPIES, *deal(rng, NO_COPIES, 14, opponents, jokers))
    answer = solve_fantasyland(spot, 3)
    assert answer.value[0] == pytest.approx(board_value(spot, [int(mask[0]) for mask in answer[:3]]))
    for _ in range(500):
        cards = rng.sample([1 << card.value for card in spot.cards], 13)
        assert board_value(spot, [sum(cards[:3]), sum(cards[3:8]), sum(cards[8:])]) <= answer.value[0] + 3e-5


def board_value(spot, masks):
    """Return the value of one board, every board scored with all cards that lie open."""
    state = spot.to_state()
    scored = np.zeros((1 + len(spot.opponents), Scored.SIZE), np.int64)
    every = [masks, *(board.masks for board in spot.opponents)]
    seen = np.int64(sum(mask for board in every for mask in board))
    for board, out in zip(every, scored, strict=True):
        current = len(spot.cards) if board is masks else 0
        score_board(state.tables, *(np.int64(mask) for mask in board), current, seen, out)
    mine = scored[0]
    if spot.objective == "solo":
        return -spot.foul_cost if mine[Scored.FOUL] else mine[Scored.ROYALTIES] + state.worth[mine[Scored.NEXT_CARDS]]
    points = np.zeros(4, np.int64)
    total = state.worth[mine[Scored.NEXT_CARDS]] * len(spot.opponents)  # every opponent pays for it
    for theirs in scored[1:]:
        total += settle(state.tables, mine, theirs, points) - state.worth[theirs[Scored.NEXT_CARDS]]
    return total


@pytest.mark.accept
def test_200_hands_of_14_against_enumeration():
    rng = random.Random(SEED)
    for number in range(200):
        name = list(RULES)[number % len(RULES)] if number % 2 else "pineapple"
        spot = spot_of(RULES[name], *deal(rng, RULES[name], 14, number // 2 % 3))
        values = enumerate_values(spot)
        check_answer(spot, solve_fantasyland(spot, 1), values)
        check_answer(spot, solve_fantasyland(spot, 20), values)


@kernel
def best_of_all(tables, worth, cards, tops, fives):
    """Return the best solo value of all boards by enumeration; ``tops`` and ``fives`` are pairs of mask and row."""
    best = -worth[FOUL_COST]
    for middle in fives:
        for back in fives:
            if middle[0] & back[0]:
                continue
            for top in tops:
                if top[0] & (middle[0] | back[0]):
                    continue
                fouled, a, b, c = resolve_rows(tables, top[1], middle[1], back[1])
                if not fouled:
                    stay = worth[next_fantasyland(tables, a, b, c, cards)]
                    best = max(best, stay + board_royalties(tables, a, b, c))
    return best


def subsets(tables, spot, size):
    masks = [sum(1 << card.value for card in group) for group in combinations(spot.cards, size)]
    return np.array([(mask, row_of_mask(tables.hands, np.int64(mask))) for mask in masks], np.int64)


@pytest.mark.accept
@pytest.mark.parametrize("name", ["pineapple", "progressive-keep", "ultimate"])
@pytest.mark.parametrize("size", [15, 16, 17])
def test_large_hands_against_enumeration(name, size):
    rng = random.Random(f"{SEED} {name} {size}")
    for _ in range(3):
        spot = spot_of(RULES[name], deal(rng, RULES[name], size)[0])
        state = spot.to_state()
        best = best_of_all(
            state.tables, state.worth, size, subsets(state.tables, spot, 3), subsets(state.tables, spot, 5)
        )
        assert solve_fantasyland(spot, 1).value[0] == pytest.approx(best, abs=3e-5)


@pytest.mark.accept
@pytest.mark.parametrize(
    ("name", "opponents"), [("pineapple", 0), ("pineapple", 1), ("progressive-keep", 0), ("ultimate", 1), ("deuce", 0)]
)
def test_14_cards_against_plain_python(name, opponents):
    check_against_plain_python(RULES[name], random.Random(f"{SEED} 14 {name}"), 14, opponents)


@pytest.mark.accept
@pytest.mark.parametrize(("jokers", "opponents"), [(1, 0), (2, 0), (1, 1), (2, 2), (0, 1)])
def test_jokers_that_may_not_copy_against_enumeration(jokers, opponents):
    rng = random.Random(f"{SEED} {jokers} {opponents}")
    for _ in range(2):
        spot = spot_of(NO_COPIES, *deal(rng, NO_COPIES, 13, opponents, jokers))
        check_answer(spot, solve_fantasyland(spot, 10), enumerate_values(spot))


# --- what an answer says -----------------------------------------------------------------------------------------


def rows_of(answer, index):
    return " / ".join(" ".join(sorted(map(str, CardSet(int(mask[index]))))) for mask in answer[:3])


@pytest.mark.kernel
def test_a_hand_by_name():
    spot = spot_of(preset("pineapple"), "Qs Qh Qd 9c 9d 9h 9s 2c 7d 6d 5d 4d 3d 2h")
    answer = solve_fantasyland(spot, 2)
    assert rows_of(answer, 0) == "Qd Qh Qs / 2c 9c 9d 9h 9s / 3d 4d 5d 6d 7d"
    assert rows_of(answer, 1) == "Qd Qh Qs / 2h 9c 9d 9h 9s / 3d 4d 5d 6d 7d"
    assert list(answer.royalties) == [55, 55]
    assert list(answer.cards) == [14, 14]
    assert list(answer.value) == pytest.approx([55 + 9.9] * 2)


@pytest.mark.kernel
def test_a_hand_that_must_foul():
    spot = spot_of(preset("deuce"), "As Ah Ad Ac Ks Kh Kd Kc Qs Qh Qd Qc Js", foul_cost=4.5)
    answer = solve_fantasyland(spot, 2)
    assert list(answer.value) == [-4.5, -4.5]
    assert list(answer.foul) == [1, 1]
    assert not answer.royalties.any()
    assert not answer.cards.any()


@pytest.mark.kernel
def test_a_stay_keeps_the_count_where_the_rules_say_so():
    cards = "As Ah Ad Kc Kd 9s 9h 9d 9c 8s 8h 3d 3c 2h 2s"
    for name, cards_next in (("progressive", 14), ("progressive-keep", 15)):
        answer = solve_fantasyland(spot_of(preset(name), cards), 1)
        assert answer.cards[0] == cards_next


@pytest.mark.kernel
def test_of_equal_boards_the_strongest_comes_first():
    spot = spot_of(preset("pineapple"), "Kd Qh Js Tc 9c 8s 8c 7h 6c 6h 5d 4s 4h 2d")
    answer = solve_fantasyland(spot, 1)
    assert answer.value[0] == 6
    assert str(CardSet(int(answer.discards[0]))) == "2d"


@pytest.mark.kernel
def test_the_order_of_the_cards_does_not_matter():
    rng = random.Random(SEED)
    hand, boards = deal(rng, preset("ultimate"), 13, 1)
    answers = []
    for _ in range(2):
        rng.shuffle(hand)
        answers.append(solve_fantasyland(spot_of(preset("ultimate"), hand, boards), 5))
    for one, two in zip(*answers, strict=True):
        assert list(one) == list(two)


@pytest.mark.kernel
def test_points_against_known_boards():
    hand = "As Ah Kd Kh Ks 7c 7d 7h 2s 2d Tc 9c 8c"
    weak = [["2c", "3c", "4d"], ["5c", "5d", "6h", "8d", "Jd"], ["6c", "6d", "9d", "9h", "Qd"]]
    fouled = [["Ac", "Ad", "Qc"], ["3d", "3h", "4h", "5h", "8h"], ["4s", "5s", "6s", "8s", "Js"]]
    answer = solve_fantasyland(spot_of(preset("pineapple"), hand, [weak, fouled]), 1)
    assert answer.row_points[0] == 6
    assert answer.scoops[0] == 1
    assert answer.value[0] == 2 * (6 + answer.royalties[0])


@pytest.mark.parametrize("k", [0, 100_001])
def test_the_number_of_boards_is_checked(k):
    with pytest.raises(InputError, match="1 to 100000"):
        solve_fantasyland(spot_of(preset("regular"), DECK[:13]), k)
