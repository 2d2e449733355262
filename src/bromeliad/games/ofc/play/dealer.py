"""One hand at the table: the order of turns, each seat's view, and the showdown.

Seats are numbered from 1. Seat 1, left of the button, acts first on every street; the last seat has the button. A seat
is dealt its cards when it acts. A player in fantasyland sets all cards at once, face down: before the others, in turn
on the first street, or after them (``fantasyland.commit`` of the rule set).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bromeliad.core.cards import DECK_SIZE, Card, CardSet, format_cards
from bromeliad.errors import DealError, PhaseError, PositionError
from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.game_state import GameState
from bromeliad.games.ofc.play.seat import OpponentView, SeatView
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE, RuleSet
from bromeliad.games.ofc.rules.showdown import Showdown, show_down
from bromeliad.games.ofc.spot import parse_spot


@dataclass(frozen=True)
class Turn:
    """The cards and the action of one seat on one street."""

    seat: int  # from 1
    street: int  # from 1; 0 for a fantasyland hand
    cards: tuple[Card, ...]
    action: Action


@dataclass(frozen=True)
class PlayedHand:
    """A hand from the first deal to the score; fantasyland, points and boards are in the order of seats."""

    rules: RuleSet
    fantasyland: tuple[int, ...]  # number of fantasyland cards, 0 for a normal hand
    turns: tuple[Turn, ...]
    showdown: Showdown

    @property
    def points(self) -> tuple[int, ...]:
        """The points that each seat won or lost; they sum to zero."""
        return self.showdown.points

    @property
    def next_fantasyland(self) -> tuple[int, ...]:
        """The number of fantasyland cards that each seat gets in the next hand, 0 for a normal hand."""
        return tuple(player.fantasyland for player in self.showdown.players)

    @property
    def boards(self) -> tuple[PlayerArrangement, ...]:
        """The finished board of each seat."""
        return tuple(player.board for player in self.showdown.players)


OnTurn = Callable[[Turn, "Dealer"], None]
"""Called right after each turn."""


def shuffled_deck(rules: RuleSet, seed: Sequence[int]) -> tuple[Card, ...]:
    """Return a shuffled deck; jokers are numbered in the order in which they appear."""
    order = np.random.default_rng(list(seed)).permutation(rules.deck_size)
    jokers = iter(range(DECK_SIZE, rules.deck_size))
    return tuple(Card(int(card) if card < DECK_SIZE else next(jokers)) for card in order)


def verify_deck(rules: RuleSet, fantasyland: Sequence[int]) -> None:
    """Raise PositionError if the deck is too small for hands with these fantasyland cards (0 for a normal hand)."""
    needed = sum(cards or rules.cards_per_player for cards in fantasyland)
    if needed > rules.deck_size:
        raise PositionError(
            "{players} players need {needed} cards with these fantasylands ({fantasyland}); the deck has {size}",
            players=len(fantasyland),
            needed=needed,
            fantasyland=", ".join(map(str, fantasyland)),
            size=rules.deck_size,
        )


def schedule(rules: RuleSet, fantasyland: Sequence[int]) -> list[tuple[int, int]]:
    """Return the (seat, street) of every turn in order; the street is 0 for a fantasyland hand."""
    seats = range(1, len(fantasyland) + 1)
    at_once = [(seat, 0) for seat in seats if fantasyland[seat - 1]]
    streets = range(1, len(rules.streets) + 1)
    normal = [(seat, street) for street in streets for seat in seats if not fantasyland[seat - 1]]
    match rules.fantasyland.commit:
        case "first":
            return at_once + normal
        case "last":
            return normal + at_once
        case "turn":
            first = [(seat, 0 if fantasyland[seat - 1] else 1) for seat in seats]
            return first + [turn for turn in normal if turn[1] > 1]


class Dealer:
    """Runs one hand. Each seat has a :class:`GameState`, which checks every deal and placement."""

    def __init__(self, rules: RuleSet, fantasyland: Sequence[int]) -> None:
        self.rules = rules
        self.fantasyland = tuple(fantasyland)
        self.undealt = CardSet.deck(rules.jokers.count)
        players = len(self.fantasyland)
        self._states = [
            GameState(f"seat_{seat}", players, rules, fantasyland=cards)
            for seat, cards in enumerate(self.fantasyland, start=1)
        ]
        verify_deck(rules, self.fantasyland)
        self._due = schedule(rules, self.fantasyland)
        self._reached = [0] * players  # not 0 for seats whose first deal reached fantasyland
        self._turns: list[Turn] = []

    @property
    def due(self) -> tuple[int, int] | None:
        """The next turn as (seat, street), None at the end of the hand."""
        return self._due[len(self._turns)] if len(self._turns) < len(self._due) else None

    @property
    def deal_size(self) -> int:
        """The number of cards to deal to the next seat."""
        return self._states[self._whose() - 1].street.deal

    def deal(self, cards: Sequence[Card]) -> None:
        """Deal these cards to the next seat."""
        seat = self._whose()
        state = self._states[seat - 1]
        gone = CardSet.from_cards(cards) - self.undealt
        if gone:
            raise DealError("dealt before: {cards}", cards=format_cards(gone))
        if state.round_number == 0:
            state.deal_initial_cards(cards)
            if self.rules.fantasyland.first_street:
                spot = parse_spot(self.rules, cards=format_cards(cards), objective="solo")
                self._reached[seat - 1] = BOARD_SIZE if spot.fantasyland_cards else 0
        else:
            state.deal_round_cards(cards)
        self.undealt -= CardSet.from_cards(cards)

    def place(self, action: Action) -> Turn:
        """Place the next seat's cards and return the turn. Other seats never see discards or fantasyland hands."""
        seat = self._whose()
        state, cards = self._states[seat - 1], self._states[seat - 1].dealt_cards
        rows = dict(zip(Position, (action.top, action.middle, action.back), strict=True))
        state.place_cards(rows, action.discards)
        turn = Turn(seat, self._due[len(self._turns)][1], cards, action)
        self._turns.append(turn)
        if not self.fantasyland[seat - 1]:
            for other in range(1, len(self._states) + 1):
                if other != seat:
                    self._states[other - 1].update_opponent_arrangement(_name(other, seat), state.player_arrangement)
        return turn

    def view(self, seat: int) -> SeatView:
        """Return the view that a seat (from 1) has of the hand."""
        state = self._states[seat - 1]
        others = [other for other in range(1, len(self._states) + 1) if other != seat]
        return SeatView(
            rules=self.rules,
            seat=seat,
            players=len(self._states),
            street=state.round_number,
            cards=state.dealt_cards,
            board=state.player_arrangement,
            discards=state.discarded_cards,
            fantasyland=self.fantasyland[seat - 1] or self._reached[seat - 1],
            opponents=tuple(self._opponent(state, seat, other) for other in others),
        )

    def _opponent(self, state: GameState, seat: int, other: int) -> OpponentView:
        hidden = self.fantasyland[other - 1]
        shown = state.opponents[_name(seat, other)].arrangement or PlayerArrangement.empty()
        discards = 0 if hidden else self._states[other - 1].discarded_cards.size
        return OpponentView(shown, discards, hidden)

    def finish(self) -> PlayedHand:
        """Settle the finished boards and return the hand; raise PhaseError if it is not over."""
        if self.due is not None:
            raise PhaseError("the hand is not over: seat {seat} acts next", seat=self.due[0])
        boards = [state.player_arrangement for state in self._states]
        cards = {i: self.fantasyland[i] or self._reached[i] for i in range(len(boards))}
        showdown = show_down(self.rules, boards, {i: count for i, count in cards.items() if count})
        return PlayedHand(self.rules, self.fantasyland, tuple(self._turns), showdown)

    def _whose(self) -> int:
        if self.due is None:
            raise PhaseError("the hand is over; start a new game")
        return self.due[0]


def _name(seat: int, other: int) -> str:
    """Return the id of the opponent ``other`` in the game state of ``seat``."""
    return f"opponent_{other - 1 if other < seat else other - 2}"


def play_hand(
    rules: RuleSet,
    strategies: Sequence[AIStrategy],
    deck: Sequence[Card],
    fantasyland: Sequence[int] | None = None,
    on_turn: OnTurn = lambda turn, dealer: None,
) -> PlayedHand:
    """Play one hand and return it; the strategies are in the order of their seats."""
    dealer = Dealer(rules, fantasyland or [0] * len(strategies))
    dealt = 0
    while dealer.due is not None:
        seat, _ = dealer.due
        size = dealer.deal_size
        dealer.deal(deck[dealt : dealt + size])
        dealt += size
        turn = dealer.place(strategies[seat - 1].decide_placement(dealer.view(seat)))
        on_turn(turn, dealer)
    return dealer.finish()
