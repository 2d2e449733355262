"""The decisions of a recorded hand, each with what its seat knew."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bromeliad.games.ofc.dealer import Dealer, PlayedHand
from bromeliad.games.ofc.moves import Action
from bromeliad.games.ofc.seat import SeatView

__all__ = ["Decision", "decisions_of"]


@dataclass(frozen=True)
class Decision:
    """One decision: what the seat knew, and what it did.

    Attributes
    ----------
    number
        In its hand, from 0, in the order in which decisions were made.
    street
        From 1; None in fantasyland.
    """

    hand: int
    number: int
    player: str
    street: int | None
    view: SeatView
    action: Action


def decisions_of(hand: int, played: PlayedHand, names: Sequence[str]) -> Iterator[Decision]:
    """Yield the decisions of a hand in their order.

    Parameters
    ----------
    hand
        The number of the hand.
    names
        Who sat in each seat.
    """
    dealer = Dealer(played.rules, played.fantasyland)
    for number, turn in enumerate(played.turns):
        dealer.deal(turn.cards)
        view = dealer.view(turn.seat)
        yield Decision(hand, number, names[turn.seat - 1], turn.street or None, view, turn.action)
        dealer.place(turn.action)
