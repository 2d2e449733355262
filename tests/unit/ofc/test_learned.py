"""The learned evaluation: the indices of its weights against a plain-Python oracle, and its classes of rows."""

import random

import numpy as np
import pytest

from bromeliad.core.cards import CardSet, format_cards, parse_cards
from bromeliad.core.jit import JIT
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, STATES, row_of_mask
from bromeliad.games.ofc.hands.row_classes import COARSE, FRONT, MULTIPLE, NEEDED, OUTLINE, SINGLE, row_classes
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.values.learned import (
    TERMS,
    Learned,
    empty_learned,
    learned_layout,
    learned_scale,
    learned_terms,
    learned_value,
    stage_size,
)
from oracles import ofc_features as oracle

pytestmark = pytest.mark.kernel
STREETS = (5, 7, 9, 11)
MANY = 60 if JIT else 6


def deck_of(rules):
    return [*format_cards(CardSet.deck()).split(), *["Jk"] * rules.jokers.count]


def random_board(rng, rules, stage, gone=0):
    """Return (rows, deck): a board after a street and the cards still to come, ``gone`` others missing too."""
    deck = deck_of(rules)
    rng.shuffle(deck)
    cards, deck = deck[: STREETS[stage]], deck[STREETS[stage] + stage + gone :]
    rows = [[], [], []]
    for card in cards:
        rows[rng.choice([i for i, size in enumerate((3, 5, 5)) if len(rows[i]) < size])].append(card)
    return rows, deck


def mask_of(cards):
    return np.int64(CardSet.from_cards(parse_cards(" ".join(cards))).mask)


def row_of(rules, cards):
    return np.int64(row_of_mask(rule_tables(rules).hands, mask_of(cards)) if cards else EMPTY_ROW)


def terms_of(learned, rules, stage, rows, deck):
    mask = mask_of(deck)
    scale = learned_scale(learned, stage, mask)
    return scale, [int(i) for i in learned_terms(learned, stage, scale, *(row_of(rules, r) for r in rows), mask)]


def oracle_terms(rules, stage, scale, rows, deck):
    """Return the places within the tables, from lists of cards and the classes of the rows."""
    classes = row_classes(rules.jokers.count > 0)
    entries = [2 * (int(row_of(rules, row)) & 0xFFFF) + bool(oracle.one_suit(row)) for row in rows]
    words = [int(classes.words[entry, 0]) for entry in entries]
    fine, coarse = [w & 0xFFFF for w in words], [w >> COARSE & 0xFFFF for w in words]
    front, outline = words[0] >> FRONT & 0xFFFF, words[0] >> OUTLINE & 0xFFFF
    improve = [
        10 * oracle.live(deck, oracle.repeated_ranks(row), scale, 5)
        + oracle.live(deck, oracle.single_ranks(row), scale, 9)
        for row in rows
    ]
    straight = [oracle.live(deck, oracle.straight_ranks(row), scale, 15) for row in rows]
    high = [oracle.live(deck, {rank}, scale, 4) for rank in (10, 11, 12)]
    pairing = oracle.live(deck, set(oracle.ranks_of(rows[0])), scale, 9)
    return [
        entries[2],
        entries[1],
        (entries[0] // 2) * classes.coarse + coarse[1],
        front * classes.fine + fine[1],
        fine[1] * classes.fine + fine[2],
        (outline * classes.coarse + coarse[1]) * classes.coarse + coarse[2],
        fine[2] * 16 + oracle.live_in_suit(deck, rows[2], scale),
        fine[1] * 16 + oracle.live_in_suit(deck, rows[1], scale),
        fine[2] * 60 + improve[2],
        fine[1] * 60 + improve[1],
        (front * 10 + pairing) * classes.coarse + coarse[1],
        fine[2] * 16 + straight[2],
        fine[1] * 16 + straight[1],
        (front * 125 + high[0] * 25 + high[1] * 5 + high[2]) * 3 + deck.count("Jk"),
    ]


@pytest.mark.parametrize("name", ["pineapple", "ultimate"])
def test_terms_are_those_of_the_oracle(name):
    rules, rng = preset(name), random.Random(1)
    learned = Learned(learned_layout(rules), np.zeros(0, np.float32))
    for i in range(MANY):
        stage = i % 4
        rows, deck = random_board(rng, rules, stage, gone=rng.choice([0, 0, 5, 12]))
        scale, terms = terms_of(learned, rules, stage, rows, deck)
        starts = [int(start) + stage * stage_size(learned.map) for start in learned.map[:TERMS]]
        expected = [
            start + place for start, place in zip(starts, oracle_terms(rules, stage, scale, rows, deck), strict=True)
        ]
        assert terms == expected, (rows, deck)
        ends = [*starts[1:], (stage + 1) * stage_size(learned.map)]
        assert all(start <= place < end for start, place, end in zip(starts, terms, ends, strict=True))


def test_alone_against_the_deck_counts_are_not_scaled():
    rules = preset("pineapple")
    layout = learned_layout(rules)
    learned = Learned(layout, np.zeros(0, np.float32))
    for stage, seen in enumerate((5, 8, 11, 14)):
        assert learned_scale(learned, stage, mask_of(deck_of(rules)[seen:])) == 1.0
    assert learned_scale(learned, 0, mask_of(deck_of(rules)[5 + 23 :])) == pytest.approx(47 / 24)


def test_the_value_is_the_sum_of_its_weights_whatever_the_suits():
    rules, rng = preset("ultimate"), random.Random(2)
    layout = learned_layout(rules)
    weights = np.random.default_rng(3).random(4 * stage_size(layout)).astype(np.float32)
    learned = Learned(layout, weights)
    for i in range(MANY // 3):
        rows, deck = random_board(rng, rules, i % 4)
        values = []
        for suits in ("cdhs", "shdc"):
            swap = str.maketrans("cdhs", suits)
            named = [
                [card if card == "Jk" else card[0] + card[1].translate(swap) for card in row] for row in (*rows, deck)
            ]
            scale, terms = terms_of(learned, rules, i % 4, named[:3], named[3])
            rows_now = [row_of(rules, row) for row in named[:3]]
            value = learned_value(learned, i % 4, scale, *rows_now, mask_of(named[3]))
            assert value == pytest.approx(sum(float(weights[term]) for term in terms))
            values.append(value)
        empty = any(not row for row in rows)  # an empty row may take any suit; the first is looked at
        assert empty or values[0] == pytest.approx(values[1])


def test_nothing_learned_is_empty_and_read_only():
    learned = empty_learned()
    assert learned.weights.size == 0
    assert not learned.weights.flags.writeable


@pytest.mark.parametrize("jokers", [False, True])
def test_classes_tell_rows_of_other_sizes_apart(jokers):
    classes = row_classes(jokers)
    step = rule_tables(preset("ultimate")).hands.step.reshape(-1, 14)
    size = np.full(STATES + 1, -1)
    size[0] = 0
    for state in range(STATES):
        for following in step[state][: 14 if jokers else 13]:
            if following < STATES and size[state] >= 0:
                size[following] = size[state] + 1
    known = np.repeat(size, 2) >= 0
    for shift, count in ((0, classes.fine), (COARSE, classes.coarse)):
        numbers = classes.words[:, 0] >> shift & 0xFFFF
        assert set(numbers[known]) == set(range(count))
        made = np.repeat(size, 2) == 5  # finished rows never share a class with unfinished ones
        assert not set(numbers[known & made]) & set(numbers[known & ~made])
    assert classes.top_states == (size[: classes.top_states] <= 3).sum()


def test_ranks_that_a_row_holds_and_waits_for():
    rules, classes = preset("pineapple"), row_classes(False)
    for text in (
        "",
        "As",
        "As 2c",
        "Ts 9s 8s",
        "Ts 9s 8s 7s",
        "As Ks 2d",
        "7c 7d 3s 3h",
        "5c 5d 5h 5s",
        "Kc Qd Jh Ts 9c",
    ):
        cards = text.split()
        word = int(classes.words[2 * (int(row_of(rules, cards)) & 0xFFFF), 1])
        sets = [{rank for rank in range(13) if word >> shift >> rank & 1} for shift in (SINGLE, MULTIPLE, NEEDED)]
        assert sets[:2] == [oracle.single_ranks(cards), oracle.repeated_ranks(cards)]
        assert sets[2] == oracle.straight_ranks(cards)
