"""What happens in a hand, as domain events; all contents are tuples, so that an event can be hashed and kept."""

from dataclasses import dataclass

from bromeliad.core.cards import Card
from bromeliad.core.domain import DomainEvent
from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position

__all__ = ["CardsPlaced", "InitialCardsDealt", "RoundCardsDealt", "RoundCompleted"]


@dataclass(frozen=True, kw_only=True)
class InitialCardsDealt(DomainEvent):
    """The cards of the first street came."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class RoundCardsDealt(DomainEvent):
    """The cards of a later street came."""

    round_number: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class CardsPlaced(DomainEvent):
    """The cards of a street were placed and the rest discarded."""

    round_number: int
    placements: tuple[tuple[Position, tuple[Card, ...]], ...]  # by row, front first; rows that got cards only
    discarded_cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class RoundCompleted(DomainEvent):
    """A street is over."""

    round_number: int
    arrangement: PlayerArrangement
    is_last: bool
