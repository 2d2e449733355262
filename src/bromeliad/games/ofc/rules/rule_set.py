"""Rule sets: a variant of open-face Chinese poker as data.

Every number of the rules is in a YAML file (``presets/`` or a user's file), which is read into a :class:`RuleSet`.
The models below define the fields and their ranges, but no number of the rules.
"""

import json
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from bromeliad.core.cards import DECK_SIZE, JOKERS, RANKS
from bromeliad.errors import FieldError

ROW_SIZES = (3, 5, 5)
"""Cards in the top, middle and back row: the same in every variant."""
BOARD_SIZE = sum(ROW_SIZES)
FANTASYLAND_SIZES = range(13, 18)
"""Possible numbers of cards in a fantasyland hand; a variant has some of them."""
MOST_POINTS = 10_000


class Row(StrEnum):
    """The three rows as the rule files name them."""

    TOP = "top"
    MIDDLE = "middle"
    BACK = "back"


class Category(StrEnum):
    """The kinds of hand as the rule files name them, weakest first."""

    HIGH_CARD = "high_card"
    PAIR = "pair"
    TWO_PAIR = "two_pair"
    TRIPS = "trips"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full_house"
    QUADS = "quads"
    STRAIGHT_FLUSH = "straight_flush"
    ROYAL = "royal"


def parse_rank(value: object) -> int:
    """Return the rank, 2 to 14, of a number from 2 to 10 or one of ``23456789TJQKA``."""
    text = str(value).strip().upper()
    text = "T" if text == "10" else text
    if len(text) != 1 or text not in RANKS:
        raise FieldError("a rank is 2 to 10, T, J, Q, K or A")
    return RANKS.index(text) + 2


def _write_rank(rank: int) -> int | str:
    return rank if rank < 10 else RANKS[rank - 2]


def _parse_ranked(value: object) -> object:
    if isinstance(value, dict):
        return {parse_rank(rank): points for rank, points in value.items()}
    return value


Points = Annotated[int, Field(ge=-MOST_POINTS, le=MOST_POINTS)]
"""Points, within the range of the tables."""
Worth = Annotated[float, Field(ge=-MOST_POINTS, le=MOST_POINTS, allow_inf_nan=False)]
"""A worth in points, not necessarily whole."""

RankPoints = Annotated[
    dict[int, Points],
    BeforeValidator(_parse_ranked),
    PlainSerializer(lambda points: {_write_rank(rank): value for rank, value in points.items()}),
]
"""Points by rank; in files the keys are 2 … 9, T, J, Q, K, A."""


class Model(BaseModel):
    """A part of a rule file: immutable; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, defer_build=True)


class Players(Model):
    """The allowed number of players."""

    min: int = Field(ge=1, le=4)
    max: int = Field(ge=1, le=4)


class Jokers(Model):
    """Jokers in the deck, and the cards that they may stand for."""

    count: int = Field(ge=0, le=JOKERS)
    may_copy_seen: bool  # may a joker copy an open card of another row or board?


class Street(Model):
    """One deal: the numbers of cards dealt and placed. The rest are discarded."""

    deal: int = Field(ge=1, le=17)
    place: int = Field(ge=1, le=13)

    @model_validator(mode="after")
    def _placed_of_dealt(self) -> "Street":
        if self.place > self.deal:
            raise FieldError("place may not be more than deal")
        return self


class RowPoints(Model):
    """Points by row."""

    top: Points
    middle: Points
    back: Points


class LowMiddle(Model):
    """A deuce-to-seven middle row: the lowest hand is the best."""

    qualifier: Annotated[int, BeforeValidator(parse_rank), PlainSerializer(_write_rank)]  # the highest card allowed


class Order(Model):
    """The rules of fouls and of ties between equal rows."""

    strict: bool  # do two rows of equal strength foul?
    suits_break_ties: bool  # between two players, does the higher suit win a row of equal ranks?
    low_middle: LowMiddle | None  # a deuce-to-seven middle is compared with no other row


class TopRoyalties(Model):
    """Royalties of the top row by rank."""

    pair: RankPoints
    trips: RankPoints


LowHand = Annotated[str, Field(pattern=r"^[2-9TJQKA]{1,5}$")]
"""The highest card of a low hand, or all of its cards."""


class Royalties(Model):
    """Royalties of each row; hands that are not listed pay nothing."""

    top: TopRoyalties
    middle: dict[Category, Points]
    back: dict[Category, Points]
    middle_low: dict[LowHand, Points]  # deuce-to-seven middle: by highest card ("9") or by the whole hand ("75432")


class Condition(Model):
    """The weakest hand that qualifies: ``{row: top, at_least: pair Q}`` or ``{row: middle, at_least: low 75432}``."""

    row: Row
    at_least: str = Field(pattern=r"^(low [2-9TJQKA]{1,5}|(" + "|".join(Category) + r")( [2-9TJQKA])?)$")

    @model_validator(mode="after")
    def _low_in_the_middle(self) -> "Condition":
        if self.is_low and self.row is not Row.MIDDLE:
            raise FieldError("only the middle row can require a low hand")
        return self

    @property
    def is_low(self) -> bool:
        """Whether the condition asks for a low hand."""
        return self.at_least.startswith("low ")


FantasylandSize = Annotated[int, Field(ge=FANTASYLAND_SIZES[0], le=FANTASYLAND_SIZES[-1])]


class EntryCondition(Condition):
    """A row that leads to fantasyland, and the number of cards there."""

    cards: FantasylandSize


class FirstStreet(Model):
    """House rule: the first cards dealt, taken as one hand, reach fantasyland."""

    at_least: Category


class Fantasyland(Model):
    """The rules of entering, playing and staying in fantasyland."""

    entry: tuple[EntryCondition, ...]  # met by a finished, unfouled board; the most cards count
    entry_both: FantasylandSize | None  # cards if conditions on two rows hold; null: the better one counts
    first_street: FirstStreet | None  # entry by the first deal, in the same hand
    bonus: Points  # points for entering, part of the hand's score
    stay: tuple[Condition, ...]  # one is enough
    stay_cards: FantasylandSize | Literal["keep"]
    commit: Literal["first", "turn", "last"]  # a player in fantasyland sets the hand before, with or after the others
    button_moves_on_stay: bool


class Scoring(Model):
    """The settlement between two players."""

    row_points: RowPoints  # to the winner of a row
    scoop: Points  # for winning all three rows, or if only the other player fouls


class Objective(Model):
    """The default cost of a foul and worth of fantasyland, in points, for the solo objective."""

    foul_cost: Worth
    fantasyland_worth: dict[int, Worth]  # by the number of cards


class MctsSettings(Model):
    """Search settings in a house rule file."""

    exploration_weight: float = Field(gt=0)
    simulation_count: int = Field(ge=1)
    temperature: float = Field(gt=0)


class RuleSet(Model):
    """One complete variant of the game."""

    name: str = Field(min_length=1, max_length=40)
    summary: str
    players: Players
    jokers: Jokers
    streets: tuple[Street, ...] = Field(min_length=1, max_length=13)
    order: Order
    scoring: Scoring
    royalties: Royalties
    fantasyland: Fantasyland
    objective: Objective
    mcts: MctsSettings | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> "RuleSet":
        placed = sum(street.place for street in self.streets)
        if placed != BOARD_SIZE:
            raise FieldError("the streets place {placed} cards, a board has {size}", placed=placed, size=BOARD_SIZE)
        if self.players.min > self.players.max:
            raise FieldError("players.min may not be more than players.max")
        if self.cards_per_player * self.players.max > self.deck_size:
            raise FieldError("{count} players need more cards than the deck has", count=self.players.max)
        if self.order.suits_break_ties and self.jokers.count:
            raise FieldError("suits cannot break ties if jokers are played, because jokers have no suit")
        if self.order.low_middle is not None and self.jokers.count:
            raise FieldError("a deuce-to-seven middle is not played with jokers")
        if self.order.low_middle is None and (
            self.royalties.middle_low or any(c.is_low for c in (*self.fantasyland.entry, *self.fantasyland.stay))
        ):
            raise FieldError("low hands need order.low_middle")
        return self

    @property
    def deck_size(self) -> int:
        """Cards in the deck, jokers included."""
        return DECK_SIZE + self.jokers.count

    @property
    def cards_per_player(self) -> int:
        """Cards dealt to a player in a normal hand."""
        return sum(street.deal for street in self.streets)

    def fantasyland_cards(self) -> tuple[int, ...]:
        """Return the possible numbers of cards in a fantasyland hand, smallest first."""
        counts = {condition.cards for condition in self.fantasyland.entry}
        counts |= {self.fantasyland.entry_both or 0, self.stay_cards(0)}
        return tuple(sorted(counts - {0}))

    def stay_cards(self, current: int) -> int:
        """Return the number of cards in the hand after a stay, for a player who has ``current`` cards now."""
        return current if self.fantasyland.stay_cards == "keep" else self.fantasyland.stay_cards

    @cached_property
    def _digest(self) -> int:
        """A hash of all fields, computed once: rule sets are keys of caches that are used often.

        It is the same in every process, so it may be stored with a rule set.
        """
        return int.from_bytes(sha256(self.model_dump_json().encode()).digest()[:7])

    def __hash__(self) -> int:
        return self._digest

    @cached_property
    def game_key(self) -> str:
        """A hash of the rules that affect the value of a board; those of the stay and the settlement do not."""
        data = self.model_dump(mode="json", include={"jokers", "streets", "order", "royalties", "fantasyland"})
        for unused in ("stay", "stay_cards", "commit", "button_moves_on_stay"):
            data["fantasyland"].pop(unused)
        return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]

    def to_data(self) -> dict[str, Any]:
        """Return the rule set as the plain data of a rule file."""
        return self.model_dump()
