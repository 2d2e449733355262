"""A game of Sequence between a person and strategies, played step by step.

The game is an aggregate: :meth:`SequenceGame.restore` replays its events. The seed determines all cards, so it is never
shown.
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


@dataclass(frozen=True, kw_only=True)
class Seating:
    """Who plays, and under which rules."""

    rules: str
    players: int
    seat: int  # the person's
    opponent: str  # strategy of all others
    seconds: float  # per turn of the opponent


@dataclass(frozen=True, kw_only=True)
class SequenceStarted(Seating, DomainEvent):
    """A game began."""

    seed: int


@dataclass(frozen=True, kw_only=True)
class SequencePlayed(DomainEvent):
    """A seat made a move."""

    seat: int
    move: str


@dataclass(frozen=True, kw_only=True)
class SequenceTakenBack(DomainEvent):
    """The person undid their last move, and with it all later ones."""

    moves: int  # left in the game


class SequenceGame(AggregateRoot):
    """A person against strategies; ``log`` has all moves with their seats."""

    def __init__(self, game_id: str, seating: Seating, seed: int) -> None:
        super().__init__(game_id)
        self.seating = seating
        self.table = SequenceTable(Sequence(rules_named(seating.rules, seating.players)), seed)
        self.log: list[tuple[int, str]] = []
        self.raise_domain_event(SequenceStarted(aggregate_id=game_id, seed=seed, **vars(seating)))

    @property
    def your_turn(self) -> bool:
        """Whether it is the person's turn."""
        return self.table.mover == self.seating.seat

    def view(self) -> dict[str, Any]:
        """Return the game as the person sees it."""
        return self.table.view(self.seating.seat)

    def position(self) -> Position | None:
        """Return the position that the person sees, for analysis; None if it is not the person's turn."""
        return Position.of(self.table.game.rules, self.table.state) if self.your_turn else None

    def verify_play(self) -> None:
        """Raise PhaseError if it is not the person's turn."""
        if self.table.over:
            raise PhaseError("the game is over")
        if not self.your_turn:
            raise PhaseError("it is not your turn")

    def play(self, move: str) -> None:
        """Play a move of the person."""
        self.verify_play()
        self._play(self.table.game.action_from_string(self.table.state, move))

    def let_others_play(self) -> None:
        """Play the opponents' moves until it is the person's turn or the game is over."""
        seating = self.seating
        strategy = strategy_named(seating.opponent, self.table.game, Budget(seating.seconds))
        while not self.table.over and not self.your_turn:
            self._play(strategy.choose(self.table.state))

    def verify_undo(self) -> None:
        """Raise PhaseError if the person has nothing to undo."""
        if all(seat != self.seating.seat for seat, _ in self.log):
            raise PhaseError("there is nothing to take back")

    def can_undo(self) -> bool:
        """Return whether the person can undo a move."""
        return passes(self.verify_undo)

    def undo(self) -> None:
        """Undo the person's last move and all later ones; the cards stay the same."""
        self.verify_undo()
        self._rewind(max(i for i, (seat, _) in enumerate(self.log) if seat == self.seating.seat))
        self.raise_domain_event(SequenceTakenBack(aggregate_id=self.id, moves=len(self.log)))

    @classmethod
    def restore(cls, game_id: str, events: Iterable[tuple[str, dict[str, Any]]]) -> "SequenceGame":
        """Return the game with these events; each is the name of its class and its data."""
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
