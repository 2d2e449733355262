"""Hands as people write them have the same contents as their records."""

import pytest

from bromeliad.errors import InputError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.play.history import DealEvent, DiscardEvent, PlaceEvent
from bromeliad.games.ofc.play.plain_text import read_plain_text
from bromeliad.games.ofc.play.replay import verify
from played_hands import plain_text, played_hands

HAND = """
players: Ann, Bob
deal: 3h 8c 7h 4d Jh        # Ann acts first
place: - / 8c 4d / Jh 7h 3h
deal: 5d Qd Jd 6h 2s
place: Jd 5d 2s / Qd / 6h
"""


def told(record):
    """Return a record with the cards of each row in a fixed order."""
    boards = [
        event.model_copy(update={"board": PlayerArrangement.parse(event.board).to_board_string()})
        if isinstance(event, PlaceEvent)
        else event
        for event in record.events
    ]
    return record.model_copy(update={"events": tuple(boards)})


@pytest.mark.parametrize("rules", ["pineapple", "regular", "ultimate"])
def test_a_written_hand_is_the_hand_that_was_played(rules):
    records = [
        record for record, _ in played_hands(6, seed=3, rules=rules, fantasyland=14 if rules == "pineapple" else 0)
    ]
    text = "\n".join(map(plain_text, records))
    assert [told(record) for record in read_plain_text(text)] == [told(record) for record in records]


def seen(record):
    """Return the events without the cards that only the second seat sees."""
    return [event for event in record.events if not isinstance(event, DealEvent | DiscardEvent) or event.seat == 1]


def test_a_card_that_nobody_saw_is_some_other_card():
    ((record, _),) = played_hands(1, seed=3)
    hidden = [event.cards for event in record.events if isinstance(event, DiscardEvent) and event.seat == 2]
    text = plain_text(record)
    for card in hidden:
        text = text.replace(card, "?")
    (read,) = read_plain_text(text)
    verify(read)
    assert seen(read) == seen(record)
    assert sum(isinstance(event, PlaceEvent) for event in read.events) == 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HAND + "dael: As Kd 2c", "line 7: write deal: As Kd … or place: top / middle / back, not dael: As Kd 2c"),
        (HAND + "place: - / - / As", "line 7: seat 1 has no cards yet: deal them first"),
        (HAND + "deal: 3h As Kd", "line 7: the same card appears twice: 3h"),
        (HAND + "deal: As Kd Xx", "line 7: not a card: Xx"),
        (HAND + "deal: As Kd 2c\nplace: Qc / Kd / -", "line 8: not in hand: Qc. In hand: As Kd 2c"),
        (HAND + "rules: turbo", "line 7: rules: comes before the first deal"),
        (HAND, "line 6: the hand is not over: seat 1 acts next"),
        ("rules: poker\ndeal: As", "line 2: there is no preset poker"),
        ("players: Ann,, Bob", "line 1: write players: one, two in the order of their seats, not Ann,, Bob"),
        ("fantasyland: 14", "line 1: write fantasyland: 14, 0 with a number of cards for each of the players, not 14"),
        ("players: a, b, c, d, e, f\ndeal: As", "line 2: 6 players need 102 cards"),
    ],
)
def test_a_wrong_line_is_named_in_one_line(text, said):
    with pytest.raises(InputError) as error:
        list(read_plain_text(text))
    message = str(error.value)
    assert "\n" not in message
    assert message.startswith(said), message
