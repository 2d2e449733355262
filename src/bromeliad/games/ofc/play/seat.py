"""What one seat knows of a hand: the value that strategies decide by.

Whatever a seat may not know is not in it: other hands, what others discarded, what lies in a fantasyland hand, and the
order of the deck. So a decision cannot depend on hidden cards.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, Card, CardSet, format_cards
from bromeliad.errors import PlacementError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action, count_placements, list_placements
from bromeliad.games.ofc.rules.rule_set import RuleSet, Street
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.games.ofc.spot import Spot, parse_spot

__all__ = ["OpponentView", "SeatView", "board_after", "own_action"]


@dataclass(frozen=True)
class OpponentView:
    """An opponent as others see one."""

    board: PlayerArrangement  # the open cards
    discards: int  # how many lie face down
    fantasyland: int  # cards of a hidden fantasyland hand, 0 for a hand that is played openly


@dataclass(frozen=True)
class SeatView:
    """A hand as one seat sees it when it has cards to place, or waits for them.

    Attributes
    ----------
    seat
        From 1, who acts first; the last seat has the button.
    street
        The street to be placed, from 0; always 0 in fantasyland.
    fantasyland
        Cards of this seat's fantasyland hand, 0 outside it; where the first street decides, > 0 if it did.
    opponents
        In the order of their seats.
    """

    rules: RuleSet
    seat: int
    players: int
    street: int
    cards: tuple[Card, ...]
    board: PlayerArrangement
    discards: CardSet
    fantasyland: int
    opponents: tuple[OpponentView, ...]

    @property
    def in_fantasyland(self) -> bool:
        """Whether all cards are set at once."""
        return self.fantasyland > 0 and self.rules.fantasyland.first_street is None

    @property
    def deal(self) -> Street:
        """What the present street deals and places."""
        return self.rules.streets[self.street]

    def legal_codes(self) -> NDArray[np.int64]:
        """Return the codes of every placement of the cards in hand; not for fantasyland, which has millions."""
        top, middle, back = (row.position.size - len(row.cards) for row in self.board.rows)
        count, place = len(self.cards), self.deal.place
        codes = np.zeros(count_placements(count, top, middle, back, place), np.int64)
        twins = CardSet.from_cards(self.cards).mask >> DECK_SIZE == 3
        found = list_placements(count, top, middle, back, place, twins, codes)
        return codes[:found]

    def legal_actions(self) -> list[Action]:
        """Return every placement of the cards in hand; not for fantasyland."""
        return [Action.from_code(self.cards, int(code)) for code in self.legal_codes()]

    def to_spot(self) -> Spot:
        """Return the solo decision, the opponents' open cards taken out of the deck.

        Jokers may have other numbers there; :func:`own_action` brings an action back to the cards in hand.
        """
        open_boards = [str(opponent.board) for opponent in self.opponents if not opponent.fantasyland]
        return parse_spot(
            self.rules,
            cards=format_cards(self.cards),
            board=str(self.board),
            dead=format_cards(self.discards),
            opponents=open_boards,
            objective="solo",
            fantasyland=self.fantasyland > 0,
        )

    def finished_value(self, board: PlayerArrangement | None = None) -> float:
        """Return the solo value of a full board: royalties and the worth of fantasyland, or the cost of a foul."""
        seen = CardSet.from_cards(card for opponent in self.opponents for card in opponent.board.cards)
        scored = (board or self.board).scored(self.rules, self.fantasyland, seen)
        if scored[Scored.FOUL]:
            return -self.rules.objective.foul_cost
        worth = self.rules.objective.fantasyland_worth.get(int(scored[Scored.NEXT_CARDS]), 0.0)
        return float(scored[Scored.ROYALTIES]) + worth


def own_action(hand: Iterable[Card], rows: Sequence[Iterable[object]]) -> Action:
    """Return the action that puts these cards into top, middle, back and discards, told by their names.

    Raises
    ------
    PlacementError
        If a card is not in hand.
    """
    left = sorted(hand)
    groups: list[tuple[Card, ...]] = []
    for row in rows:
        group = []
        for name in map(str, row):
            found = next((card for card in left if str(card) == name), None)
            if found is None:
                raise PlacementError("not in hand: {cards}. In hand: {hand}", cards=name, hand=format_cards(hand))
            left.remove(found)
            group.append(found)
        groups.append(tuple(group))
    return Action(*groups)


def board_after(board: PlayerArrangement, action: Action) -> PlayerArrangement:
    """Return the board with the cards of an action, or raise PlacementError."""
    return PlayerArrangement.of(
        (*board.front.cards, *action.top), (*board.middle.cards, *action.middle), (*board.back.cards, *action.back)
    )
