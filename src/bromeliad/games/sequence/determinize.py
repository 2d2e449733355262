"""Hidden cards: what a seat cannot see is drawn anew among the cards that it has not seen.

A seat sees its own hand, the face-up cards, the discards and every card that somebody took from the face-up ones and
still holds. The order of the deck is hidden by not existing: a card is drawn when it is turned up.
"""

from bromeliad.core.jit import kernel
from bromeliad.games.sequence.state import (
    DECK,
    PLAYERS,
    add_card,
    count_cards,
    draw_card,
    hand_at,
    lowest,
    remove_card,
)

__all__ = ["redraw"]


@kernel(inline=True)
def _hide(data, at):
    """Put the cards of a hand that nobody else has seen into the deck."""
    for copies in range(2):
        hidden = data[at + 1 - copies] & ~data[at + 3 - copies]
        while hidden:
            add_card(data, DECK, lowest(hidden))
            hidden &= hidden - 1
        data[at + 1 - copies] = data[at + 3 - copies]


@kernel
def redraw(data, rng, observer):
    """Deal the hidden cards of all other hands anew."""
    counts = 0
    for player in range(data[PLAYERS]):
        if player != observer:
            at = hand_at(player)
            counts |= (count_cards(data, at) - count_cards(data, at + 2)) << 4 * player
            _hide(data, at)
    for player in range(data[PLAYERS]):
        at = hand_at(player)
        for _ in range(counts >> 4 * player & 15):
            card = draw_card(data, DECK, rng)
            remove_card(data, DECK, card)
            add_card(data, at, card)
