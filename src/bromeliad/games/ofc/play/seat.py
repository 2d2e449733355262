"""One seat's view of a hand, from which strategies decide.

A view does not contain hidden cards (other hands, others' discards, fantasyland hands, the deck), so no decision can
depend on them.
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


@dataclass(frozen=True)
class OpponentView:
    """An opponent as the other seats see it."""

    board: PlayerArrangement  # the open cards
    discards: int  # number of discarded cards
    fantasyland: int  # cards of a hidden fantasyland hand, 0 for an open hand


@dataclass(frozen=True)
class SeatView:
    """A hand as one seat sees it, while it has cards to place or waits for them."""

    rules: RuleSet
    seat: int  # from 1, which acts first; the last seat has the button
    players: int
    street: int  # current street, from 0; always 0 in fantasyland
    cards: tuple[Card, ...]
    board: PlayerArrangement
    discards: CardSet
    fantasyland: int  # number of fantasyland cards, 0 for a normal hand; if the first deal decides, > 0 once reached
    opponents: tuple[OpponentView, ...]  # in the order of their seats

    @property
    def button(self) -> int:
        """The seat that acts last."""
        return self.players

    @property
    def in_fantasyland(self) -> bool:
        """Whether all cards are set at once."""
        return self.fantasyland > 0 and self.rules.fantasyland.first_street is None

    @property
    def deal(self) -> Street:
        """The numbers of cards that the current street deals and places."""
        return self.rules.streets[self.street]

    def legal_codes(self) -> NDArray[np.int64]:
        """Return the codes of all placements of the cards in hand; not for fantasyland hands, which have millions."""
        top, middle, back = (row.position.size - len(row.cards) for row in self.board.rows)
        count, place = len(self.cards), self.deal.place
        codes = np.zeros(count_placements(count, top, middle, back, place), np.int64)
        twins = CardSet.from_cards(self.cards).mask >> DECK_SIZE == 3
        found = list_placements(count, top, middle, back, place, twins, codes)
        return codes[:found]

    def legal_actions(self) -> list[Action]:
        """Return all placements of the cards in hand; not for fantasyland hands."""
        return [Action.from_code(self.cards, int(code)) for code in self.legal_codes()]

    def to_spot(self) -> Spot:
        """Return the seat's decision as a solo spot; the opponents' open cards are not in the deck.

        The spot may number jokers differently; :func:`own_action` translates an action back to the cards in hand.
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
        """Return the solo value of a full board: royalties and worth of fantasyland, or minus the cost of a foul."""
        seen = CardSet.from_cards(card for opponent in self.opponents for card in opponent.board.cards)
        scored = (board or self.board).scored(self.rules, self.fantasyland, seen)
        if scored[Scored.FOUL]:
            return -self.rules.objective.foul_cost
        worth = self.rules.objective.fantasyland_worth.get(int(scored[Scored.NEXT_CARDS]), 0.0)
        return float(scored[Scored.ROYALTIES]) + worth


def own_action(hand: Iterable[Card], rows: Sequence[Iterable[object]]) -> Action:
    """Return the action that puts the cards with these names into top, middle, back and discards.

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
