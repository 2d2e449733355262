"""Cards and card sets: every spelling, every error, and the set operations against Python's own sets."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bromeliad.core.cards import DECK_SIZE, JOKERS, RANKS, SUITS, Card, CardSet, format_cards, parse_cards
from bromeliad.errors import CardError

NUMBERS = range(DECK_SIZE + JOKERS)
MASKS = st.integers(0, (1 << (DECK_SIZE + JOKERS)) - 1)


def test_the_deck_in_order():
    names = [rank + suit for suit in SUITS for rank in RANKS]
    cards = [Card(number) for number in range(DECK_SIZE)]
    assert [str(card) for card in cards] == names
    assert [Card.from_string(name) for name in names] == cards
    assert [card.rank for card in cards] == list(range(2, 15)) * 4
    assert [card.suit for card in cards] == [suit for suit in range(4) for _ in range(13)]
    assert not any(card.is_joker for card in cards)


def test_jokers():
    one, two = Card(52), Card(53)
    assert one.is_joker
    assert two.is_joker
    assert (str(one), str(two), one.rank, one.suit) == ("Jk", "Jk", 0, 4)
    assert one != two
    assert parse_cards("Jk Jk") == (one, two)
    assert parse_cards("joker *") == (one, two)
    assert parse_cards("Jk2 Jk") == (two, one)
    assert parse_cards("Jk2s") == (one, Card(39))
    assert parse_cards("Jk10s") == (one, Card(47))
    assert parse_cards("Jk2Jk1") == (two, one)
    assert parse_cards("🃏", taken=CardSet.from_cards([one])) == (two,)


@pytest.mark.parametrize(
    "text",
    ["As", "as", "AS", "aS", "A♠", "A♤", "A♠\ufe0f", " As ", "As,", "，As、"],
)
def test_spellings_of_one_card(text):
    assert parse_cards(text) == (Card(51),)


@pytest.mark.parametrize("text", ["Ts", "ts", "10s", "10♠", "T♠"])
def test_spellings_of_a_ten(text):
    assert str(Card.from_string(text)) == "Ts"


@pytest.mark.parametrize("text", ["As Kd 10h", "AsKd10h", "as,kd;th", "A♠K♦T♥", "As，Kd、Th；", "As\nKd\tTh"])
def test_spellings_of_a_list(text):
    assert format_cards(parse_cards(text)) == "As Kd Th"


def test_symbols():
    assert [Card.from_string(text).to_symbol() for text in ("As", "Tc", "2d", "9h", "Jk")] == [
        "A♠",
        "T♣",
        "2♦",
        "9♥",
        "🃏",
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Ax", "Ax"),
        ("As 1s Zd Kd", "1s, Zd"),
        ("AsK", "K"),
        ("11s", "11s"),
        ("sA", "sA"),
        ("\u212as", "\u212as"),  # the Kelvin sign, which lower-cases to k
        ("A\u017f", "A\u017f"),  # the long s, which upper-cases to S
        ("A\u0660s", "A\u0660s"),
        ("x" * 100, "xxxxxxxxxxxxxxxxx..."),
    ],
)
def test_every_bad_card_is_named(text, named):
    with pytest.raises(CardError) as caught:
        parse_cards(text)
    assert str(caught.value).startswith(f"not a card: {named}. Write")


@pytest.mark.parametrize(
    ("text", "named"), [("As Kd As", "As"), ("As A♠ Kd kd", "A♠, kd"), ("Jk Jk Jk", "Jk"), ("Jk1 Jk1", "Jk1")]
)
def test_every_repeated_card_is_named(text, named):
    with pytest.raises(CardError) as caught:
        parse_cards(text)
    assert str(caught.value) == f"the same card appears twice: {named}"


def test_taken_cards_may_not_come_again():
    with pytest.raises(CardError, match="twice: Kd"):
        parse_cards("As Kd", taken=CardSet.from_cards(parse_cards("Kd")))


@pytest.mark.parametrize("text", ["", "As Kd", "AsKd"])
def test_one_card_is_one_card(text):
    with pytest.raises(CardError, match="is not one card"):
        Card.from_string(text)


@pytest.mark.parametrize("number", [-1, 54, 1000])
def test_no_such_number(number):
    with pytest.raises(CardError, match=str(number)):
        Card(number)


@pytest.mark.parametrize("mask", [-1, 1 << 54])
def test_no_such_mask(mask):
    with pytest.raises(CardError, match="54 bits"):
        CardSet(mask)


def test_cards_are_values():
    assert len({Card(3), Card(3), Card(4)}) == 2
    assert sorted([Card(4), Card(3)]) == [Card(3), Card(4)]
    with pytest.raises(AttributeError):
        Card(3).value = 4


def test_decks():
    assert CardSet.deck().size == 52
    assert CardSet.deck(2).size == 54
    assert Card(52) not in CardSet.deck()


@settings(deadline=None, derandomize=True)
@given(MASKS, MASKS, st.sampled_from(NUMBERS))
def test_sets_are_sets(one, two, number):
    a, b, card = CardSet(one), CardSet(two), Card(number)
    x, y = set(a), set(b)
    assert len(a) == a.size == len(x)
    assert a.to_list() == sorted(x)
    assert CardSet.from_cards(x) == a
    assert set(a | b) == set(a.union(b)) == x | y
    assert set(a & b) == set(a.intersection(b)) == x & y
    assert set(a - b) == set(a.difference(b)) == x - y
    assert set(a.add(card)) == x | {card}
    assert set(a.remove(card)) == x - {card}
    assert (card in a) is a.contains(card) is (card in x)
    assert "As" not in a


@settings(deadline=None, derandomize=True)
@given(MASKS)
def test_what_is_written_reads_back(mask):
    cards = CardSet(mask)
    read = CardSet.from_cards(parse_cards(str(cards)))
    assert (read - cards).size == (cards - read).size <= 1  # a lone joker is read as the first
    assert str(read) == str(cards)


@settings(deadline=None, derandomize=True, max_examples=500)
@given(st.text(max_size=30) | st.text(alphabet="AKQJT98765432cdhs10♠♥jk* ,", max_size=30))
def test_any_text_is_cards_or_a_card_error(text):
    try:
        cards = parse_cards(text)
    except CardError:
        return
    assert len(set(cards)) == len(cards)
    assert len(parse_cards(format_cards(cards))) == len(cards)


def test_shuffled_decks_read_back():
    rng = random.Random(1)
    for _ in range(20):
        cards = [Card(number) for number in NUMBERS]
        rng.shuffle(cards)
        read = parse_cards("".join(str(card) for card in cards))
        assert [card for card in read if not card.is_joker] == [card for card in cards if not card.is_joker]
