"""A hand of open-face Chinese poker as one player sees it: the aggregate root of the data model.

Every operation has three methods: ``verify_x`` raises if it is not allowed, ``can_x`` returns whether it is, and ``x``
verifies and performs it. A refused operation changes nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType

from bromeliad.core.cards import Card, CardSet
from bromeliad.core.domain import AggregateRoot, DomainEvent, passes
from bromeliad.errors import DealError, PhaseError
from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position
from bromeliad.games.ofc.rules import legality
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE, RuleSet, Street


class GamePhase(Enum):
    """The next operation of a hand."""

    INITIAL_DEAL = "initial_deal"
    PLACEMENT = "placement"
    DRAW = "draw"
    COMPLETED = "completed"


_TODO = {
    GamePhase.INITIAL_DEAL: "deal the {deal} cards of street {street} first",
    GamePhase.PLACEMENT: "place the {count} cards in hand first",
    GamePhase.DRAW: "deal the {deal} cards of street {street} next",
    GamePhase.COMPLETED: "the hand is over; start a new game",
}


# Events. Their contents are tuples, so that events can be hashed and stored.


@dataclass(frozen=True, kw_only=True)
class InitialCardsDealt(DomainEvent):
    """The cards of the first street were dealt."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class RoundCardsDealt(DomainEvent):
    """The cards of a later street were dealt."""

    round_number: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class CardsPlaced(DomainEvent):
    """The cards of a street were placed and the rest discarded."""

    round_number: int
    placements: tuple[tuple[Position, tuple[Card, ...]], ...]  # by row, top first; rows that got no card are left out
    discarded_cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class RoundCompleted(DomainEvent):
    """A street has ended."""

    round_number: int
    arrangement: PlayerArrangement
    is_last: bool


@dataclass(frozen=True)
class OpponentInfo:
    """The known cards of an opponent, as an immutable record; the game state replaces it when more are shown."""

    id: str
    shown_cards: CardSet = field(default_factory=CardSet)
    arrangement: PlayerArrangement | None = None
    last_update_round: int = -1

    def update_shown_cards(self, cards: Iterable[Card], round_number: int) -> "OpponentInfo":
        """Return the record with these cards shown too."""
        shown = self.shown_cards | CardSet.from_cards(cards)
        return replace(self, shown_cards=shown, last_update_round=round_number)

    def set_arrangement(self, arrangement: PlayerArrangement, round_number: int) -> "OpponentInfo":
        """Return the record with the opponent's board."""
        return replace(self, shown_cards=arrangement.cards, arrangement=arrangement, last_update_round=round_number)


class GameState(AggregateRoot):
    """One hand from its first deal to the full board.

    Parameters
    ----------
    game_id
        The unique id of the game.
    player_count
        The number of players, this one included.
    rules
        The rule set; pineapple by default.
    fantasyland
        The number of this player's fantasyland cards, 0 for a normal hand.
    """

    def __init__(
        self, game_id: str, player_count: int = 2, rules: RuleSet | None = None, *, fantasyland: int = 0
    ) -> None:
        super().__init__(game_id)
        self._rules = rules = rules or preset("pineapple")
        legality.verify_hand(rules, player_count, fantasyland)
        self._streets = (Street(deal=fantasyland, place=BOARD_SIZE),) if fantasyland else rules.streets
        self._fantasyland = fantasyland
        self._round_number = 0
        self._phase = GamePhase.INITIAL_DEAL
        self._dealt_cards: tuple[Card, ...] = ()
        self._arrangement = PlayerArrangement.empty()
        self._discarded = CardSet()
        names = [f"opponent_{i}" for i in range(player_count - 1)]
        self._opponents = {name: OpponentInfo(name) for name in names}

    @property
    def rules(self) -> RuleSet:
        """The rule set of the hand."""
        return self._rules

    @property
    def player_count(self) -> int:
        """The number of players, this one included."""
        return len(self._opponents) + 1

    @property
    def fantasyland(self) -> int:
        """The number of this player's fantasyland cards, 0 for a normal hand."""
        return self._fantasyland

    @property
    def streets(self) -> tuple[Street, ...]:
        """The numbers of cards that each street deals and places."""
        return self._streets

    @property
    def street(self) -> Street:
        """The current street."""
        return self._streets[self._round_number]

    @property
    def round_number(self) -> int:
        """The number of the current street, from 0."""
        return self._round_number

    @property
    def phase(self) -> GamePhase:
        """The next operation of the hand."""
        return self._phase

    @property
    def deck(self) -> CardSet:
        """The full deck, jokers included."""
        return CardSet.deck(self._rules.jokers.count)

    @property
    def dealt_cards(self) -> tuple[Card, ...]:
        """The cards in hand: dealt, but not yet placed or discarded."""
        return self._dealt_cards

    @property
    def player_arrangement(self) -> PlayerArrangement:
        """The board of this player."""
        return self._arrangement

    @property
    def placed_cards(self) -> CardSet:
        """The cards on this player's board."""
        return self._arrangement.cards

    @property
    def discarded_cards(self) -> CardSet:
        """The cards that this player discarded."""
        return self._discarded

    @property
    def opponents(self) -> Mapping[str, OpponentInfo]:
        """A read-only view of the opponents by id."""
        return MappingProxyType(self._opponents)

    @property
    def available_cards(self) -> CardSet:
        """The cards that may still be dealt: those whose place is unknown."""
        return self.get_unknown_cards()

    def get_unknown_cards(self) -> CardSet:
        """Return the cards whose place is unknown: those not placed, discarded, in hand or shown by an opponent."""
        known = self.placed_cards | self._discarded | CardSet.from_cards(self._dealt_cards)
        for opponent in self._opponents.values():
            known |= opponent.shown_cards
        return self.deck - known

    # The first street

    def verify_deal_initial_cards(self, cards: Iterable[Card]) -> None:
        """Raise PhaseError or DealError if these cannot be the first cards."""
        self._verify_phase(GamePhase.INITIAL_DEAL, "the first cards have already been dealt: {todo}")
        self._verify_deal(tuple(cards))

    def can_deal_initial_cards(self, cards: Iterable[Card]) -> bool:
        """Return whether these can be the first cards."""
        return passes(self.verify_deal_initial_cards, cards)

    def deal_initial_cards(self, cards: Iterable[Card]) -> None:
        """Deal the cards of the first street to this player."""
        cards = tuple(cards)
        self.verify_deal_initial_cards(cards)
        self._dealt_cards = cards
        self._phase = GamePhase.PLACEMENT
        self.raise_domain_event(InitialCardsDealt(aggregate_id=self.id, cards=cards))

    # Later streets

    def verify_deal_round_cards(self, cards: Iterable[Card]) -> None:
        """Raise PhaseError or DealError if these cannot be the next cards."""
        self._verify_phase(GamePhase.DRAW, "the next street cannot be dealt yet: {todo}")
        self._verify_deal(tuple(cards))

    def can_deal_round_cards(self, cards: Iterable[Card]) -> bool:
        """Return whether these can be the next cards."""
        return passes(self.verify_deal_round_cards, cards)

    def deal_round_cards(self, cards: Iterable[Card]) -> None:
        """Deal the cards of a later street to this player."""
        cards = tuple(cards)
        self.verify_deal_round_cards(cards)
        self._dealt_cards = cards
        self._phase = GamePhase.PLACEMENT
        self.raise_domain_event(RoundCardsDealt(aggregate_id=self.id, round_number=self._round_number, cards=cards))

    # Placing

    def verify_place_cards(
        self, placements: Mapping[Position, Iterable[Card]], discard: Card | Iterable[Card] | None = None
    ) -> None:
        """Raise PhaseError or PlacementError if the cards in hand cannot be placed and discarded like this."""
        self._placed(_by_row(placements), _as_cards(discard))

    def can_place_cards(
        self, placements: Mapping[Position, Iterable[Card]], discard: Card | Iterable[Card] | None = None
    ) -> bool:
        """Return whether the cards in hand can be placed and discarded like this."""
        return passes(self.verify_place_cards, placements, discard)

    def place_cards(
        self, placements: Mapping[Position, Iterable[Card]], discard: Card | Iterable[Card] | None = None
    ) -> None:
        """Place and discard the cards in hand, which ends the street. Rows that get no card may be left out."""
        rows, discards = _by_row(placements), _as_cards(discard)
        self._arrangement = self._placed(rows, discards)
        self._discarded |= CardSet.from_cards(discards)
        self._dealt_cards = ()
        played = self._round_number
        is_last = played == len(self._streets) - 1
        if not is_last:
            self._round_number += 1
        self._phase = GamePhase.COMPLETED if is_last else GamePhase.DRAW
        self.raise_domain_event(
            CardsPlaced(
                aggregate_id=self.id,
                round_number=played,
                placements=tuple((position, cards) for position, cards in rows.items() if cards),
                discarded_cards=discards,
            )
        )
        self.raise_domain_event(
            RoundCompleted(aggregate_id=self.id, round_number=played, arrangement=self._arrangement, is_last=is_last)
        )

    def _placed(self, rows: Mapping[Position, tuple[Card, ...]], discards: tuple[Card, ...]) -> PlayerArrangement:
        """Return the board after a placement; raise if it is not allowed."""
        self._verify_phase(GamePhase.PLACEMENT, "there are no cards in hand to place: {todo}")
        placed = [card for cards in rows.values() for card in cards]
        legality.verify_placement(self.street, self._round_number + 1, self._dealt_cards, placed, discards)
        return self._arrangement.with_cards(rows)

    # Opponents

    def verify_update_opponent_cards(self, opponent_id: str, cards: Iterable[Card]) -> None:
        """Raise DealError if the opponent cannot have shown these cards."""
        shown = self._opponent(opponent_id).shown_cards
        legality.verify_shown(tuple(cards), shown, self.get_unknown_cards())

    def can_update_opponent_cards(self, opponent_id: str, cards: Iterable[Card]) -> bool:
        """Return whether the opponent can have shown these cards."""
        return passes(self.verify_update_opponent_cards, opponent_id, cards)

    def update_opponent_cards(self, opponent_id: str, cards: Iterable[Card]) -> None:
        """Record cards that an opponent showed; cards shown earlier may be repeated."""
        cards = tuple(cards)
        self.verify_update_opponent_cards(opponent_id, cards)
        self._opponents[opponent_id] = self._opponent(opponent_id).update_shown_cards(cards, self._round_number)

    def verify_update_opponent_arrangement(self, opponent_id: str, arrangement: PlayerArrangement) -> None:
        """Raise DealError if this cannot be the opponent's board: cards once shown must stay in their rows."""
        opponent = self._opponent(opponent_id)
        legality.verify_shown(arrangement.get_all_cards(), opponent.shown_cards, self.get_unknown_cards())
        legality.verify_board_grew(opponent.shown_cards, opponent.arrangement, arrangement)

    def can_update_opponent_arrangement(self, opponent_id: str, arrangement: PlayerArrangement) -> bool:
        """Return whether this can be the opponent's board."""
        return passes(self.verify_update_opponent_arrangement, opponent_id, arrangement)

    def update_opponent_arrangement(self, opponent_id: str, arrangement: PlayerArrangement) -> None:
        """Record an opponent's board, finished or not."""
        self.verify_update_opponent_arrangement(opponent_id, arrangement)
        self._opponents[opponent_id] = self._opponent(opponent_id).set_arrangement(arrangement, self._round_number)

    def _opponent(self, opponent_id: str) -> OpponentInfo:
        if opponent_id not in self._opponents:
            raise DealError(
                "there is no opponent {opponent!r}; opponents: {opponents}",
                opponent=opponent_id,
                opponents=", ".join(self._opponents),
            )
        return self._opponents[opponent_id]

    def _verify_deal(self, cards: tuple[Card, ...]) -> None:
        legality.verify_deal(self.street, self._round_number + 1, cards, self.get_unknown_cards())

    def _verify_phase(self, phase: GamePhase, template: str) -> None:
        if self._phase is not phase:
            todo = PhaseError(
                _TODO[self._phase], street=self._round_number + 1, deal=self.street.deal, count=len(self._dealt_cards)
            )
            raise PhaseError(template, todo=todo)


def _by_row(placements: Mapping[Position, Iterable[Card]]) -> dict[Position, tuple[Card, ...]]:
    return {position: tuple(placements.get(position, ())) for position in Position}


def _as_cards(discard: Card | Iterable[Card] | None) -> tuple[Card, ...]:
    if discard is None:
        return ()
    return (discard,) if isinstance(discard, Card) else tuple(discard)
