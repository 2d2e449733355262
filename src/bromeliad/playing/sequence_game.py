"""A game of Sequence between a person and strategies that is played step by step.

As in open-face Chinese poker the game is an aggregate: what happens is an event, and :meth:`SequenceGame.restore` plays
the events again. Cards come from the seed of the game; whoever knows it knows them all, so it is never shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bromeliad.core.budget import Budget
from bromeliad.core.domain import AggregateRoot, DomainEvent, passes
from bromeliad.errors import PhaseError
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.notation import action_name
from bromeliad.games.sequence.player import strategy_named
from bromeliad.games.sequence.position import Position
from bromeliad.games.sequence.rules import rules_named
from bromeliad.games.sequence.table import SequenceTable

__all__ = ["Seating", "SequenceGame", "SequencePlayed", "SequenceStarted", "SequenceTakenBack"]


@dataclass(frozen=True, kw_only=True)
class Seating:
    """Who plays, and by which rules."""

    rules: str
    players: int
    seat: int  # the person's
    opponent: str  # the strategy of all others
    seconds: float  # that it may think about a turn


@dataclass(frozen=True, kw_only=True)
class SequenceStarted(DomainEvent):
    """A game began."""

    rules: str
    players: int
    seat: int
    opponent: str
    seconds: float
    seed: int


@dataclass(frozen=True, kw_only=True)
class SequencePlayed(DomainEvent):
    """A seat did something."""

    seat: int
    move: str


@dataclass(frozen=True, kw_only=True)
class SequenceTakenBack(DomainEvent):
    """The person took the last own move back, and all that came after."""

    moves: int  # that are left


class SequenceGame(AggregateRoot):
    """A person against strategies.

    Attributes
    ----------
    log
        Who did what: seats and moves.
    """

    def __init__(self, game_id: str, seating: Seating, seed: int) -> None:
        super().__init__(game_id)
        self.seating = seating
        self.table = SequenceTable(Sequence(rules_named(seating.rules, seating.players)), seed)
        self.log: list[tuple[int, str]] = []
        self.raise_domain_event(SequenceStarted(aggregate_id=game_id, seed=seed, **vars(seating)))

    @property
    def your_turn(self) -> bool:
        """Whether the person is to move."""
        return self.table.mover == self.seating.seat

    def view(self) -> dict[str, Any]:
        """Return what the person may know."""
        return self.table.view(self.seating.seat)

    def position(self) -> Position | None:
        """Return what the person knows as a position to analyse; None if somebody else is to move."""
        return Position.of(self.table.game.rules, self.table.state) if self.your_turn else None

    def verify_play(self) -> None:
        """Raise PhaseError if it is not the person's turn."""
        if self.table.over:
            raise PhaseError("the game is over")
        if not self.your_turn:
            raise PhaseError("it is not your turn")

    def play(self, move: str) -> None:
        """Play a move of the person, written as moves are."""
        self.verify_play()
        self._play(self.table.game.action_from_string(self.table.state, move))

    def let_others_play(self) -> None:
        """Let the opponents play until it is the person's turn, or the game is over."""
        seating = self.seating
        strategy = strategy_named(seating.opponent, self.table.game, Budget(seating.seconds))
        while not self.table.over and not self.your_turn:
            self._play(strategy.choose(self.table.state))

    def verify_undo(self) -> None:
        """Raise PhaseError if the person has nothing to take back."""
        if all(seat != self.seating.seat for seat, _ in self.log):
            raise PhaseError("there is nothing to take back")

    def can_undo(self) -> bool:
        """Say whether the person can take a move back."""
        return passes(self.verify_undo)

    def undo(self) -> None:
        """Take the person's last move back, and all moves after it; the cards stay the same."""
        self.verify_undo()
        self._rewind(max(i for i, (seat, _) in enumerate(self.log) if seat == self.seating.seat))
        self.raise_domain_event(SequenceTakenBack(aggregate_id=self.id, moves=len(self.log)))

    @classmethod
    def restore(cls, game_id: str, events: Iterable[tuple[str, dict[str, Any]]]) -> "SequenceGame":
        """Return the game that these events, by the names of their classes, have made."""
        stream = iter(events)
        _, start = next(stream)
        names = Seating.__dataclass_fields__
        game = cls(game_id, Seating(**{name: start[name] for name in names}), start["seed"])
        for kind, data in stream:
            if kind == SequencePlayed.__name__:
                game._play(game.table.game.action_from_string(game.table.state, data["move"]))
            elif kind == SequenceTakenBack.__name__:
                game._rewind(data["moves"])
        game.pull_domain_events()
        return game

    def _play(self, action: int) -> None:
        seat = self.table.mover
        assert seat is not None
        self.table.play(action)
        self.log.append((seat, action_name(action)))
        self.raise_domain_event(SequencePlayed(aggregate_id=self.id, seat=seat, move=self.log[-1][1]))

    def _rewind(self, count: int) -> None:
        while len(self.log) > count:
            self.table.undo()
            self.log.pop()
