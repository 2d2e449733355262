"""A game of open-face Chinese poker between a person and strategies, played step by step.

The game is an aggregate: :meth:`TableGame.restore` replays its events. The events do not contain the dealt cards, which
follow from the seed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bromeliad.core.domain import AggregateRoot, DomainEvent, passes
from bromeliad.errors import PhaseError
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import Dealer, Turn
from bromeliad.games.ofc.play.seat import SeatView, own_action
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.games.ofc.play.table import Table, TableHand
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.playing.quiz import rows_of
from bromeliad.playing.strategies import find_strategy

YOU = "you"
"""The person's name in records."""

Rows = Sequence[Iterable[object]]


@dataclass(frozen=True, kw_only=True)
class GameStarted(DomainEvent):
    """A game began."""

    rules: str
    opponents: tuple[str, ...]
    seed: int
    hands: int | None


@dataclass(frozen=True, kw_only=True)
class HandBegun(DomainEvent):
    """The next hand was dealt."""

    number: int


@dataclass(frozen=True, kw_only=True)
class TurnPlayed(DomainEvent):
    """A seat placed its cards: top, middle, back, and discards."""

    seat: int
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class TurnTakenBack(DomainEvent):
    """The person undid their last turn, and with it all later ones."""

    turns: int  # left in the hand


class _Person(AIStrategy):
    """A stand-in for the person, whose turns come through :meth:`TableGame.place`."""

    def decide_placement(self, view: SeatView) -> Action:
        raise PhaseError("it is your turn")

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        raise PhaseError("it is your turn")

    def evaluate_state(self, view: SeatView) -> float:
        return 0.0


class TableGame(AggregateRoot):
    """A person (player 0) against strategies.

    Parameters
    ----------
    opponents
        Strategies by name, clockwise from the person.
    hands
        Number of hands; None for no limit.

    Attributes
    ----------
    played
        The finished hands.
    dealer
        The current or last hand.
    """

    def __init__(
        self, game_id: str, rules: str, opponents: Sequence[str], *, seed: int, hands: int | None = None
    ) -> None:
        super().__init__(game_id)
        self.rules_name, self.opponents, self.hands = rules, tuple(opponents), hands
        strategies = [find_strategy(name, rules) for name in opponents]
        self.table = Table(load_rules(rules), [_Person(), *strategies], seed=seed)
        self.played: list[TableHand] = []
        self.raise_domain_event(
            GameStarted(aggregate_id=game_id, rules=rules, opponents=self.opponents, seed=seed, hands=hands)
        )
        self._begin()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players, the person first."""
        return (YOU, *self.opponents)

    @property
    def hand_over(self) -> bool:
        """Whether the current hand is settled."""
        return len(self.played) >= self.number

    @property
    def is_over(self) -> bool:
        """Whether the last hand is settled."""
        return self.hand_over and self.hands is not None and self.number >= self.hands

    @property
    def your_turn(self) -> bool:
        """Whether it is the person's turn."""
        return self.to_act == 0

    @property
    def to_act(self) -> int | None:
        """The player whose turn it is (0 is the person); None once the hand is over."""
        return None if self.dealer.due is None else self.seating[self.dealer.due[0] - 1]

    @property
    def seat(self) -> int:
        """The person's seat in this hand, from 1."""
        return self.seating.index(0) + 1

    def view(self) -> SeatView:
        """Return the person's view of the hand."""
        return self.dealer.view(self.seat)

    def verify_place(self) -> None:
        """Raise PhaseError if it is not the person's turn."""
        if not self.your_turn:
            raise PhaseError("it is not your turn")

    def place(self, rows: Rows) -> Turn:
        """Place the person's cards, given by name: top, middle, back and discards."""
        self.verify_place()
        return self._place(own_action(self.view().cards, rows))

    def opponent_turn(self) -> Turn:
        """Play the turn of the opponent to act; raise PhaseError if there is none."""
        if self.your_turn or self.dealer.due is None:
            raise PhaseError("it is not an opponent's turn")
        seat = self.dealer.due[0]
        strategy = self.table.strategies[self.seating[seat - 1]]
        return self._place(strategy.decide_placement(self.dealer.view(seat)))

    def verify_undo(self) -> None:
        """Raise PhaseError if this hand has nothing to undo."""
        if self.dealer.due is None or not any(turn.seat == self.seat for turn in self._turns):
            raise PhaseError("there is nothing to undo in this hand")

    def can_undo(self) -> bool:
        """Return whether the person can undo a turn."""
        return passes(self.verify_undo)

    def undo(self) -> None:
        """Undo the person's last turn and all later ones; the cards stay the same."""
        self.verify_undo()
        last = max(i for i, turn in enumerate(self._turns) if turn.seat == self.seat)
        self._rewind(last)
        self.raise_domain_event(TurnTakenBack(aggregate_id=self.id, turns=last))

    def verify_next_hand(self) -> None:
        """Raise PhaseError unless the hand is over and the game is not."""
        if not self.hand_over:
            raise PhaseError("the hand is not over yet")
        if self.is_over:
            raise PhaseError("the game is over")

    def next_hand(self) -> None:
        """Deal the next hand."""
        self.verify_next_hand()
        self._begin()
        self.raise_domain_event(HandBegun(aggregate_id=self.id, number=self.number))

    @classmethod
    def restore(cls, game_id: str, events: Iterable[tuple[str, dict[str, Any]]]) -> "TableGame":
        """Return the game with these events; each is the name of its class and its data."""
        stream = iter(events)
        _, start = next(stream)
        game = cls(game_id, start["rules"], start["opponents"], seed=start["seed"], hands=start["hands"])
        for kind, data in stream:
            if kind == TurnPlayed.__name__:
                assert game.dealer.due is not None
                game._place(own_action(game.dealer.view(game.dealer.due[0]).cards, data["rows"]))
            elif kind == TurnTakenBack.__name__:
                game._rewind(data["turns"])
            elif kind == HandBegun.__name__:
                game._begin()
        game.pull_domain_events()
        return game

    def _begin(self) -> None:
        self.seating = self.table.begin_hand()
        self.number = self.table.hands + 1
        self._deck = self.table.next_deck()
        self._rewind(0)

    def _rewind(self, count: int) -> None:
        """Replay the first ``count`` turns of this hand, and deal the next."""
        turns = self._turns[:count] if count else []
        self.dealer = Dealer(self.table.rules, [self.table.fantasyland[player] for player in self.seating])
        self._turns: list[Turn] = []
        self._deal()
        for turn in turns:
            self._turns.append(self.dealer.place(turn.action))
            self._deal()

    def _deal(self) -> None:
        if self.dealer.due is not None:
            dealt = sum(len(turn.cards) for turn in self._turns)
            self.dealer.deal(self._deck[dealt : dealt + self.dealer.deal_size])

    def _place(self, action: Action) -> Turn:
        turn = self.dealer.place(action)
        self._turns.append(turn)
        self.raise_domain_event(TurnPlayed(aggregate_id=self.id, seat=turn.seat, rows=rows_of(action)))
        self._deal()
        if self.dealer.due is None:
            self.played.append(self.table.book(self.dealer.finish(), self.seating))
        return turn
