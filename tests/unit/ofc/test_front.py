"""The front of a fantasyland hand equals an enumeration of every board, and has the solver's best replies."""

import random

import numpy as np
import pytest

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import JIT, kernel
from bromeliad.games.ofc.fantasyland.front import front_boards, has_front
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.hands.placements import list_placements
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle
from bromeliad.games.ofc.spot import parse_spot
from oracles import fantasyland as oracle
from oracles.ofc_scorer import DECK
from support import changed

SEED = 5
BACK_TO_TOP = [Scored.STRENGTH + 2, Scored.STRENGTH + 1, Scored.STRENGTH]

RULES = {
    **{name: preset(name) for name in ("pineapple", "progressive", "ultimate", "regular", "deuce", "turbo")},
    "strict": changed("ultimate", order={"strict": True}),
    "strict deuce": changed("deuce", order={"strict": True}),
}


def deal(rng, rules, size, jokers=0):
    """Return a hand, often of few ranks or suits, which has many strong rows."""
    pack = rng.sample(DECK, len(DECK))
    if rng.random() < 0.5:
        part = rng.randrange(2)
        pack.sort(key=lambda card: (card[part] not in "AKQ98cd", rng.random()))
    return ["Jk"] * jokers + pack[: size - jokers], pack[size - jokers :]


def hand_of(rules, cards):
    return CardSet.from_cards(parse_spot(rules, cards=" ".join(cards), fantasyland=True).cards)


@kernel
def score_all(tables, cards, codes, out):
    """Score the boards of every placement."""
    for i in range(len(codes)):
        top, middle, back = np.int64(0), np.int64(0), np.int64(0)
        for j in range(len(cards)):
            digit, bit = codes[i] >> (2 * j) & 3, np.int64(1) << cards[j]
            top |= bit if digit == 1 else 0
            middle |= bit if digit == 2 else 0
            back |= bit if digit == 3 else 0
        score_board(tables, top, middle, back, len(cards), top | middle | back, out[i])


def enumerated_front(rules, hand):
    """Return (back, middle, top, stays) of the boards that no other dominates, in order, by enumerating all boards."""
    cards = np.array([card.value for card in hand], np.int64)
    codes = np.zeros(80_000 if len(cards) == 13 else 1_100_000, np.int64)
    codes = codes[: list_placements(len(cards), 3, 5, 5, 13, False, codes)]
    boards = np.zeros((len(codes), Scored.SIZE), np.int64)
    score_all(rule_tables(rules), cards, codes, boards)
    left = described(boards[boards[:, Scored.FOUL] == 0])
    left = left[np.lexsort(left.T[::-1])[::-1]]
    found = []
    while len(left):
        found.append(tuple(left[0].tolist()))  # nothing that comes later is as good in everything
        left = left[(left > left[0]).any(axis=1)]
    return sorted(found)


def described(boards):
    return np.column_stack([boards[:, BACK_TO_TOP], boards[:, Scored.NEXT_CARDS] > 0])


def found_front(rules, hand):
    return sorted(tuple(row) for row in described(front_boards(rules, hand)).tolist())


@pytest.mark.parametrize("name", RULES)
def test_the_front_is_what_enumeration_leaves(name):
    rules, rng = RULES[name], random.Random(SEED)
    for number in range(12 if JIT else 1):
        cards, _ = deal(rng, rules, 14 if JIT and number % 3 == 0 else 13, jokers=number % (rules.jokers.count + 1))
        hand = hand_of(rules, cards)
        expected = enumerated_front(rules, hand)
        if expected:
            assert found_front(rules, hand) == expected
        else:
            (board,) = front_boards(rules, hand)
            assert board[Scored.FOUL]


@pytest.mark.parametrize("name", ["pineapple", "ultimate"])
def test_the_front_in_plain_python(name):
    rules, rng = RULES[name], random.Random(SEED + 1)
    data = rules.to_data()
    cards, _ = deal(rng, rules, 13, jokers=min(rules.jokers.count, 1))
    left = {}
    for board in oracle.boards(cards):
        done = oracle.finish(board, data, 13)
        if not done.foul:
            left[*done.rows[::-1], done.fantasyland > 0] = None
    front = [one for one in left if not any(_covers(two, one) for two in left if two != one)]
    for row in front_boards(rules, hand_of(rules, cards)):
        masks = row[Scored.MASK : Scored.MASK + 3].tolist()
        board = [tuple(sorted(str(card) for card in CardSet(mask))) for mask in masks]
        done = oracle.finish(board, data, 13)
        front.remove((*done.rows[::-1], done.fantasyland > 0))
    assert front == []


def _covers(one, two):
    return all(a >= b for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("name", [name for name in RULES if name != "strict deuce"])
@pytest.mark.parametrize("opponents", [1, 2])
def test_the_best_reply_is_on_the_front(name, opponents):
    """The solver proves the best board by bounds that know nothing of the front."""
    rules, rng = RULES[name], random.Random(SEED + 2)
    tables, points = rule_tables(rules), np.zeros(4, np.int64)
    for _ in range(8 if JIT else 1):
        cards, rest = deal(rng, rules, 14, jokers=rng.randrange(rules.jokers.count + 1))
        boards = [rest[13 * i : 13 * i + 13] for i in range(opponents)]
        texts = [_settled(rules, board) for board in boards]
        spot = parse_spot(rules, cards=" ".join(cards), opponents=texts, fantasyland=True)
        assert has_front(spot)
        best = solve_fantasyland(spot, 1).value[0]
        worth = dict(spot.fantasyland_worth)
        values = []
        for mine in front_boards(rules, CardSet.from_cards(spot.cards)):
            value = opponents * worth.get(int(mine[Scored.NEXT_CARDS]), 0.0)
            for board in spot.opponents:
                theirs = board.scored(rules, 0, spot.opponents_open)
                value += settle(tables, mine, theirs, points) - worth.get(int(theirs[Scored.NEXT_CARDS]), 0.0)
            values.append(value)
        assert max(values) == pytest.approx(best, abs=1e-6)


def _settled(rules, cards):
    answer = solve_fantasyland(parse_spot(rules, cards=" ".join(cards), fantasyland=True), 1)
    return " / ".join(str(CardSet(int(mask[0]))) for mask in (answer.top, answer.middle, answer.back))


@pytest.mark.parametrize("cards", [16, 17])
def test_the_largest_hands_have_a_front(cards):
    rules, rng = preset("ultimate"), random.Random(SEED + 3)
    hand, _ = deal(rng, rules, cards, jokers=2)
    found = front_boards(rules, hand_of(rules, hand))
    described_rows = described(found)
    assert len({tuple(row) for row in described_rows.tolist()}) == len(found) > 1
    for row in described_rows:
        assert (described_rows >= row).all(axis=1).sum() == 1


@pytest.mark.parametrize(
    "rules",
    [
        changed("regular", order={"suits_break_ties": True}),
        changed("regular", scoring={"scoop": -3}),
        changed("regular", objective={"fantasyland_worth": {13: -7.5}}),
        changed("ultimate", jokers={"may_copy_seen": False}),
        changed("regular", royalties={"back": {"straight": 9, "flush": 4}}),
    ],
    ids=["suits", "scoop", "stay", "jokers", "royalties"],
)
def test_rules_under_which_a_stronger_row_may_be_worse_have_no_front(rules):
    assert not has_front(parse_spot(rules))
