"""Rows and boards as immutable values: adding cards returns a new row or a new board."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import Card, CardSet, format_cards, parse_cards
from bromeliad.errors import BromeliadError, CardError, PlacementError
from bromeliad.games.ofc.hands.automaton import HandType, evaluate_cards
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, Row, RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board

_SLASH = re.compile(r"[/／]")
_EMPTY_ROW = re.compile(r"\s*[-–—]?\s*")
_DEFAULT_RULES = "pineapple"


class Position(Enum):
    """The three rows of a board."""

    FRONT = "front"
    MIDDLE = "middle"
    BACK = "back"

    @property
    def index(self) -> int:
        """The row's number: 0 front, 1 middle, 2 back."""
        return _POSITIONS.index(self)

    @property
    def size(self) -> int:
        """The number of cards in the full row."""
        return ROW_SIZES[self.index]

    @property
    def message(self) -> BromeliadError:
        """The row's name in messages ("top" for the front); itself a message, so that it is translated."""
        return BromeliadError(tuple(Row)[self.index].value)


_POSITIONS = tuple(Position)


class RowBonuses(NamedTuple):
    """Royalties by row."""

    front: int = 0
    middle: int = 0
    back: int = 0


def _repeated(cards: Iterable[Card]) -> list[Card]:
    """Return the cards that repeat an earlier card."""
    seen = CardSet()
    repeated = []
    for card in cards:
        if card in seen:
            repeated.append(card)
        seen = seen.add(card)
    return repeated


@dataclass(frozen=True)
class Hand:
    """The cards of one row, highest rank first, spades first within a rank, jokers last."""

    position: Position
    cards: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        cards = tuple(sorted(self.cards, key=lambda card: (-card.rank, -card.suit, card.value)))
        object.__setattr__(self, "cards", cards)
        repeated = _repeated(cards)
        if repeated:
            raise PlacementError("the same card appears twice: {cards}", cards=format_cards(repeated))
        if len(cards) > self.position.size:
            raise PlacementError(
                "the {row} row holds {size} cards, not {count}",
                row=self.position.message,
                size=self.position.size,
                count=len(cards),
            )

    @cached_property
    def mask(self) -> int:
        """The cards as a 54-bit mask."""
        return CardSet.from_cards(self.cards).mask

    @cached_property
    def hand_type(self) -> HandType:
        """The hand type of the full row, its jokers at their best."""
        if not self.is_valid_size():
            raise PlacementError(
                "the {row} row has {count} of {size} cards: only a full row has a hand type",
                row=self.position.message,
                count=len(self.cards),
                size=self.position.size,
            )
        return evaluate_cards(self.cards)

    def is_valid_size(self) -> bool:
        """Return whether the row is full."""
        return len(self.cards) == self.position.size

    def verify_add_card(self, card: Card) -> None:
        """Raise PlacementError if the card cannot be added."""
        if card in self.cards:
            raise PlacementError("{card} is already in the {row} row", card=card, row=self.position.message)
        if self.is_valid_size():
            raise PlacementError("the {row} row is full: place {card} elsewhere", row=self.position.message, card=card)

    def can_add_card(self, card: Card) -> bool:
        """Return whether the card can be added."""
        return card not in self.cards and not self.is_valid_size()

    def with_card(self, card: Card) -> "Hand":
        """Return the row with one more card, or raise PlacementError."""
        self.verify_add_card(card)
        return Hand(self.position, (*self.cards, card))

    def __str__(self) -> str:
        return format_cards(self.cards) or "-"


@dataclass(frozen=True)
class PlayerArrangement:
    """A player's board: three rows, each empty, partly filled or full."""

    front: Hand = Hand(Position.FRONT)
    middle: Hand = Hand(Position.MIDDLE)
    back: Hand = Hand(Position.BACK)

    def __post_init__(self) -> None:
        for position, hand in zip(Position, self.rows, strict=True):
            if hand.position is not position:
                raise PlacementError(
                    "a hand of the {other} row cannot be used as the {row} row",
                    other=hand.position.message,
                    row=position.message,
                )
        repeated = _repeated(self.get_all_cards())
        if repeated:
            raise PlacementError("the same card appears twice: {cards}", cards=format_cards(repeated))

    @classmethod
    def empty(cls) -> "PlayerArrangement":
        """Return the empty board."""
        return cls()

    @classmethod
    def of(
        cls, front: Iterable[Card] = (), middle: Iterable[Card] = (), back: Iterable[Card] = ()
    ) -> "PlayerArrangement":
        """Return the board with these cards."""
        return cls(
            Hand(Position.FRONT, tuple(front)), Hand(Position.MIDDLE, tuple(middle)), Hand(Position.BACK, tuple(back))
        )

    @classmethod
    def parse(cls, text: str, taken: CardSet = CardSet()) -> "PlayerArrangement":  # noqa: B008 -- immutable
        """Read a board: ``Kd / 7c 2s / As Ah``, or the board string ``Jh4s3h-As5c4c3c2h-KdJd9d7d3d``.

        With slashes, ``-`` or nothing is an empty row. Without a slash, dashes separate the rows.

        Parameters
        ----------
        taken
            Cards that are elsewhere. Naming one of them is an error; a joker becomes one that is not taken.

        Raises
        ------
        CardError
            If the text is not three rows, contains something other than cards, repeats a card or overfills a row.
        """
        slashed = _SLASH.search(text) is not None
        parts = _SLASH.split(text) if slashed else text.split("-")
        if len(parts) != len(Position):
            raise CardError(
                "a board has three rows, not {count}: write top / middle / back like Kd / 7c 2s / As Ah,"
                " with - for an empty row",
                count=len(parts) if text.strip() else 0,
            )
        parts = ["" if slashed and _EMPTY_ROW.fullmatch(part) else part for part in parts]
        parse_cards(" ".join(parts), taken)  # reports the mistakes of all rows in one message
        rows: list[tuple[Card, ...]] = []
        for position, part in zip(Position, parts, strict=True):
            cards = parse_cards(part, taken)
            if len(cards) > position.size:
                raise CardError(
                    "the {row} row holds {size} cards, not {count}: {cards}",
                    row=position.message,
                    size=position.size,
                    count=len(cards),
                    cards=format_cards(cards[:8]),
                )
            taken |= CardSet.from_cards(cards)
            rows.append(cards)
        return cls.of(*rows)

    @property
    def rows(self) -> tuple[Hand, Hand, Hand]:
        """Front, middle and back."""
        return self.front, self.middle, self.back

    def row(self, position: Position) -> Hand:
        """Return one row."""
        return self.rows[position.index]

    @property
    def masks(self) -> tuple[int, int, int]:
        """The rows as 54-bit masks."""
        return self.front.mask, self.middle.mask, self.back.mask

    @property
    def cards(self) -> CardSet:
        """All cards on the board."""
        return CardSet(self.front.mask | self.middle.mask | self.back.mask)

    def get_all_cards(self) -> list[Card]:
        """Return all cards, row by row."""
        return [card for hand in self.rows for card in hand.cards]

    def set_hand(self, position: Position, hand: Hand) -> "PlayerArrangement":
        """Return the board with one row replaced."""
        return replace(self, **{position.value: hand})

    def with_cards(self, placements: Mapping[Position, Iterable[Card]]) -> "PlayerArrangement":
        """Return the board with these cards added, or raise PlacementError."""
        board = self
        for position, cards in placements.items():
            for card in cards:
                board = board.set_hand(position, board.row(position).with_card(card))
        return board

    @property
    def is_complete(self) -> bool:
        """Whether every row is full."""
        return all(hand.is_valid_size() for hand in self.rows)

    @cached_property
    def is_valid(self) -> bool:
        """Whether the board is complete and not fouled under the default rules."""
        return self.is_valid_under(preset(_DEFAULT_RULES))

    def is_valid_under(self, rules: RuleSet) -> bool:
        """Return whether the board is complete and not fouled under these rules."""
        return self.is_complete and not self.scored(rules)[Scored.FOUL]

    def scored(self, rules: RuleSet, fantasyland: int = 0, seen: CardSet = CardSet()) -> NDArray[np.int64]:  # noqa: B008
        """Return the score of the finished board, as the kernels compute it (offsets: ``scoring.Scored``).

        Parameters
        ----------
        fantasyland
            Fantasyland cards of the hand. If the first street decides, any number but 0 means that it was reached.
        seen
            Cards that are open elsewhere, which a joker may not copy if the rules forbid it.
        """
        if not self.is_complete:
            raise PlacementError("only a finished board is scored: {board} has empty places", board=self)
        out = np.zeros(Scored.SIZE, np.int64)
        score_board(rule_tables(rules), *self.masks, fantasyland, (self.cards | seen).mask, out)
        return out

    def calculate_bonus(self, rules: RuleSet | None = None) -> RowBonuses:
        """Return the royalties by row (default rules: pineapple); all are 0 if the board is fouled or not finished."""
        if not self.is_complete:
            return RowBonuses()
        scored = self.scored(rules or preset(_DEFAULT_RULES))
        return RowBonuses(*(int(scored[Scored.ROW_ROYALTIES + row]) for row in range(len(ROW_SIZES))))

    def to_board_string(self) -> str:
        """Return the board as ``Jh4s3h-As5c4c3c2h-KdJd9d7d3d``."""
        return "-".join("".join(map(str, hand.cards)) for hand in self.rows)

    def __str__(self) -> str:
        return " / ".join(map(str, self.rows))
