"""A game between a person and strategies that is played step by step: on a page, or over days.

The game is an aggregate: what happens is an event, and :meth:`TableGame.restore` plays the events again. Cards come
from the seed of the game, so they are not part of them.
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
from bromeliad.playing.strategies import find_strategy

__all__ = ["YOU", "GameStarted", "HandBegun", "TableGame", "TurnPlayed", "TurnTakenBack"]

YOU = "you"
"""What the person is called in records."""

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
    """A seat placed its cards: those of top, middle, back, and the discards."""

    seat: int
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class TurnTakenBack(DomainEvent):
    """The person took the last own turn back, and all that came after."""

    turns: int  # that are left


class _Person(AIStrategy):
    """Keeps the person's chair: whoever plays the game asks the person."""

    def decide_placement(self, view: SeatView) -> Action:
        raise PhaseError("it is your turn")

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        raise PhaseError("it is your turn")

    def evaluate_state(self, view: SeatView) -> float:
        return 0.0


class TableGame(AggregateRoot):
    """A person, who is player 0, against strategies.

    Parameters
    ----------
    opponents
        Strategies by name, clockwise from the person.
    hands
        How many hands are played; None for no end.

    Attributes
    ----------
    played
        The hands that are over.
    dealer
        The hand that is being played, or was played last.
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
        """The players, the person first."""
        return (YOU, *self.opponents)

    @property
    def hand_over(self) -> bool:
        """Whether the hand is settled."""
        return len(self.played) >= self.number

    @property
    def is_over(self) -> bool:
        """Whether no more hands are played."""
        return self.hand_over and self.hands is not None and self.number >= self.hands

    @property
    def your_turn(self) -> bool:
        """Whether the person is to place cards."""
        return self.to_act == 0

    @property
    def to_act(self) -> int | None:
        """The player (the person is 0) who is to place cards; None once the hand is over."""
        return None if self.dealer.due is None else self.seating[self.dealer.due[0] - 1]

    @property
    def seat(self) -> int:
        """The person's seat in this hand, from 1."""
        return self.seating.index(0) + 1

    def view(self) -> SeatView:
        """Return what the person sees."""
        return self.dealer.view(self.seat)

    # --- turns ------------------------------------------------------------------------------------------------------

    def verify_place(self) -> None:
        """Raise PhaseError if it is not the person's turn."""
        if not self.your_turn:
            raise PhaseError("it is not your turn")

    def place(self, rows: Rows) -> Turn:
        """Place the person's cards: those of top, middle, back, and the discards, by name."""
        self.verify_place()
        return self._place(own_action(self.view().cards, rows))

    def verify_opponent_turn(self) -> None:
        """Raise PhaseError if no opponent is to act."""
        if self.your_turn or self.dealer.due is None:
            raise PhaseError("no opponent is to act")

    def opponent_turn(self) -> Turn:
        """Let the opponent whose turn it is play."""
        self.verify_opponent_turn()
        assert self.dealer.due is not None
        seat = self.dealer.due[0]
        strategy = self.table.strategies[self.seating[seat - 1]]
        return self._place(strategy.decide_placement(self.dealer.view(seat)))

    def verify_undo(self) -> None:
        """Raise PhaseError if there is nothing of this hand to take back."""
        if self.dealer.due is None or not any(turn.seat == self.seat for turn in self._turns):
            raise PhaseError("there is nothing to take back in this hand")

    def can_undo(self) -> bool:
        """Say whether the person can take a turn back."""
        return passes(self.verify_undo)

    def undo(self) -> None:
        """Take the person's last turn back, and all turns after it; the cards stay the same."""
        self.verify_undo()
        last = max(i for i, turn in enumerate(self._turns) if turn.seat == self.seat)
        self._rewind(last)
        self.raise_domain_event(TurnTakenBack(aggregate_id=self.id, turns=last))

    def verify_next_hand(self) -> None:
        """Raise PhaseError if the hand is not over, or the game is."""
        if not self.hand_over:
            raise PhaseError("the hand is not over yet")
        if self.is_over:
            raise PhaseError("the game is over")

    def next_hand(self) -> None:
        """Deal the next hand."""
        self.verify_next_hand()
        self._begin()
        self.raise_domain_event(HandBegun(aggregate_id=self.id, number=self.number))

    # --- from events ------------------------------------------------------------------------------------------------

    @classmethod
    def restore(cls, game_id: str, events: Iterable[tuple[str, dict[str, Any]]]) -> "TableGame":
        """Return the game that these events, by the names of their classes, have made."""
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
        """Play the first turns of this hand again, and deal the next."""
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
        rows = (action.top, action.middle, action.back, action.discards)
        names = tuple(tuple(map(str, row)) for row in rows)
        self.raise_domain_event(TurnPlayed(aggregate_id=self.id, seat=turn.seat, rows=names))
        self._deal()
        if self.dealer.due is None:
            self.played.append(self.table.book(self.dealer.finish(), self.seating))
        return turn
