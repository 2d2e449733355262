"""Reading cards: what is written can be read again, and nothing raises anything but CardError."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bromeliad.core.cards import Card, CardSet, format_cards, parse_cards
from bromeliad.errors import CardError
from bromeliad.games.ofc.hands.boards import PlayerArrangement

quick = settings(max_examples=300, deadline=None, derandomize=True, database=None)
cards = st.lists(st.integers(0, 51).map(Card), unique=True, max_size=20)
separators = st.sampled_from(["", " ", ", ", ";", "  ", "\t", "，", "、"])


@quick
@given(cards)
def test_what_is_written_is_read(hand):
    assert parse_cards(format_cards(hand)) == tuple(hand)
    assert parse_cards("".join(card.to_symbol() for card in hand)) == tuple(hand)


@quick
@given(cards, st.data())
def test_every_way_to_write(hand, data):
    parts = []
    for card in hand:
        rank, suit = str(card)
        rank = data.draw(st.sampled_from([rank, rank.lower(), *(["10"] if rank == "T" else [])]))
        suit = data.draw(st.sampled_from([suit, suit.upper(), card.to_symbol()[1], card.to_symbol()[1] + "\ufe0f"]))
        parts.append(rank + suit + data.draw(separators))
    assert parse_cards("".join(parts)) == tuple(hand)


@quick
@given(st.integers(1, 2), cards)
def test_jokers_get_the_free_numbers(count, hand):
    found = parse_cards(" ".join(["Jk"] * count) + " " + format_cards(hand))
    assert [card.value for card in found[:count]] == [52, 53][:count]
    assert parse_cards("Jk", CardSet.from_cards([Card(52)])) == (Card(53),)


@quick
@given(cards.filter(bool), st.data())
def test_a_repeated_card_is_named(hand, data):
    again = data.draw(st.sampled_from(hand))
    with pytest.raises(CardError, match=str(again)):
        parse_cards(format_cards([*hand, again]))
    with pytest.raises(CardError, match=str(again)):
        parse_cards(str(again), CardSet.from_cards(hand))


def refusal(read, text):
    """Return what the reader has to say against a text, '' for nothing."""
    try:
        read(text)
    except CardError as error:
        return str(error)
    return ""


@quick
@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from([*"23AKTjk10csd♠/ -,*", "ſ", "K", "１"])).map("".join)))
def test_nothing_raises_anything_else(text):
    for read in (parse_cards, Card.from_string, PlayerArrangement.parse):
        assert len(refusal(read, text)) < 400  # it quotes a part of what was typed, never all of it


@quick
@given(
    st.lists(st.sampled_from([card for value in range(52) for card in [str(Card(value))]]), unique=True, max_size=13)
)
def test_boards_are_read_as_they_are_written(hand):
    board = PlayerArrangement.of(*(map(Card.from_string, row) for row in (hand[:3], hand[3:8], hand[8:13])))
    assert PlayerArrangement.parse(str(board)) == board
    assert PlayerArrangement.parse(board.to_board_string()) == board
