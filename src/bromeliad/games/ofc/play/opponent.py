"""What one player knows of another, as a value."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from bromeliad.core.cards import Card, CardSet
from bromeliad.games.ofc.hands.boards import PlayerArrangement

__all__ = ["OpponentInfo"]


@dataclass(frozen=True)
class OpponentInfo:
    """What is known of an opponent: an immutable record, which only the game state replaces."""

    id: str
    shown_cards: CardSet = field(default_factory=CardSet)
    arrangement: PlayerArrangement | None = None
    last_update_round: int = -1

    def update_shown_cards(self, cards: Iterable[Card], round_number: int) -> "OpponentInfo":
        """Return the record with more cards shown."""
        shown = self.shown_cards | CardSet.from_cards(cards)
        return replace(self, shown_cards=shown, last_update_round=round_number)

    def set_arrangement(self, arrangement: PlayerArrangement, round_number: int) -> "OpponentInfo":
        """Return the record with the rows in which the cards lie."""
        return replace(self, shown_cards=arrangement.cards, arrangement=arrangement, last_update_round=round_number)
