"""Hand histories: one JSON object per line, each a hand from the first deal to the score.

docs/hand-histories.md describes the format. Records contain everything, including hidden cards.
"""

import json
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from bromeliad.core.cards import format_cards
from bromeliad.core.files import reading, writing
from bromeliad.core.validation import describe, field_name
from bromeliad.errors import BromeliadError, FieldError, InputError
from bromeliad.games.ofc.play.dealer import PlayedHand, Turn
from bromeliad.games.ofc.play.table import TableHand
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import RuleSet

FORMAT: Literal["bromeliad-hand"] = "bromeliad-hand"
VERSION = 1
_MOST_PLAYERS = 4
_LONGEST = 100_000  # characters per line
LARGEST = 2**31 - 1  # absolute value of any number in a record; some databases hold no larger integers
_Number = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
_Text = Annotated[str, Field(max_length=400)]
_Seat = Annotated[int, Field(ge=1, le=_MOST_PLAYERS)]
_LONGEST_NAME = 200
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # control characters, line ends, lone surrogates


def is_name(text: str) -> bool:
    """Return whether a text can be a player's name: not too long, and without control characters."""
    return len(text) <= _LONGEST_NAME and _UNSHOWN.search(text) is None


def _check_name(text: str) -> str:
    if not is_name(text):
        raise FieldError("may not contain control characters")
    return text


class _Model(BaseModel):
    """A part of a record; unknown keys, which a later version may have, are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class PlayerRecord(_Model):
    """The player in a seat."""

    name: Annotated[str, Field(max_length=_LONGEST_NAME), AfterValidator(_check_name)]
    fantasyland: int = Field(default=0, ge=0, le=17)
    stack: int | None = Field(default=None, ge=0, le=LARGEST)  # before the hand


class DealEvent(_Model):
    """A seat is dealt cards."""

    event: Literal["deal"] = "deal"
    seat: _Seat
    cards: _Text


class PlaceEvent(_Model):
    """A seat places cards; the board string has only the new cards."""

    event: Literal["place"] = "place"
    seat: _Seat
    board: _Text


class DiscardEvent(_Model):
    """A seat discards cards, face down."""

    event: Literal["discard"] = "discard"
    seat: _Seat
    cards: _Text


class ShowdownEvent(_Model):
    """The finished boards by seats."""

    event: Literal["showdown"] = "showdown"
    boards: tuple[_Text, ...]


class ScoreEvent(_Model):
    """The result of the hand by seats."""

    event: Literal["score"] = "score"
    points: tuple[_Number, ...]
    royalties: tuple[_Number, ...]
    fouls: tuple[bool, ...]
    next_fantasyland: tuple[_Number, ...]
    chips: tuple[_Number, ...] | None = None  # with stacks: the chips won or lost


Event = Annotated[DealEvent | PlaceEvent | DiscardEvent | ShowdownEvent | ScoreEvent, Field(discriminator="event")]


def rules_of(rules: str | dict[str, Any]) -> RuleSet:
    """Return the rule set that a record gives by a preset's name or in full; raise InputError if it is invalid."""
    if isinstance(rules, dict):
        try:
            return RuleSet.model_validate(rules)
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError(
                "{field}: {problem}", field=f"rules.{field_name(first)}", problem=describe(first)
            ) from None
    if rules not in preset_names():
        raise InputError(
            "there is no preset {name}; presets: {presets}", name=rules[:40], presets=", ".join(preset_names())
        )
    return preset(rules)


class HandRecord(_Model):
    """One hand; players are in the order of seats: the first to act first, the button last."""

    format: Literal["bromeliad-hand"] = FORMAT
    version: int = Field(default=VERSION, ge=1, le=VERSION)
    hand: int = Field(ge=1, le=LARGEST)
    rules: str | dict[str, Any]  # a preset's name, or a whole rule set
    players: tuple[PlayerRecord, ...] = Field(min_length=1, max_length=_MOST_PLAYERS)
    events: tuple[Event, ...]

    def rule_set(self) -> RuleSet:
        """Return the rules of the hand."""
        return rules_of(self.rules)

    def to_line(self) -> str:
        """Return the record as one line of JSON."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True), ensure_ascii=False)


def record_of(played: TableHand, names: Sequence[str], number: int | None = None) -> HandRecord:
    """Return the record of a hand; names are in the order of the players at the table."""
    hand, rules = played.hand, played.hand.rules
    known = rules.name in preset_names() and preset(rules.name) == rules
    stacks = played.stacks or (None,) * len(played.seating)
    players = tuple(
        PlayerRecord(name=names[player], fantasyland=cards, stack=stack)
        for player, cards, stack in zip(played.seating, hand.fantasyland, stacks, strict=True)
    )
    return HandRecord(
        hand=number or played.number,
        rules=rules.name if known else rules.model_dump(mode="json"),
        players=players,
        events=(*_turns(hand.turns), *_end(hand, played.chips if played.stacks else None)),
    )


def _turns(turns: Sequence[Turn]) -> Iterator[DealEvent | PlaceEvent | DiscardEvent]:
    for turn in turns:
        action = turn.action
        yield DealEvent(seat=turn.seat, cards=format_cards(turn.cards))
        rows = (action.top, action.middle, action.back)
        yield PlaceEvent(seat=turn.seat, board="-".join("".join(map(str, row)) for row in rows))
        if action.discards:
            yield DiscardEvent(seat=turn.seat, cards=format_cards(action.discards))


def _end(hand: PlayedHand, chips: tuple[int, ...] | None) -> Iterator[ShowdownEvent | ScoreEvent]:
    players = hand.showdown.players
    yield ShowdownEvent(boards=tuple(board.to_board_string() for board in hand.boards))
    yield ScoreEvent(
        points=hand.points,
        royalties=tuple(player.royalties for player in players),
        fouls=tuple(player.fouled for player in players),
        next_fantasyland=hand.next_fantasyland,
        chips=chips,
    )


class HistoryWriter:
    """Appends hands to a file, one line per hand, each as soon as it is played.

    Parameters
    ----------
    begun
        For a resumed run: the length of the file when the run first began. Lines written since are not repeated.
    """

    def __init__(self, path: str | Path, begun: int | None = None) -> None:
        self._path = Path(path)
        with self._opened() as file:  # fails before anything is played if the path cannot be written
            end = file.seek(0, SEEK_END)
            file.seek(end if begun is None else min(begun, end))
            lines = file.readlines()
            if lines and not lines[-1].endswith(b"\n"):
                file.truncate(end - len(lines.pop()))  # incomplete: the run was killed
        self._there = deque(lines)

    def write(self, record: HandRecord) -> None:
        """Append one hand, unless the resumed run has already written it."""
        line = record.to_line().encode() + b"\n"
        if self._there and self._there.popleft() == line:
            return
        self._there.clear()
        with self._opened() as file:
            file.write(line)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        with writing(self._path), self._path.open("a+b") as file:
            yield file


def parse_record(line: str) -> HandRecord:
    """Return the hand on a line, or raise InputError with the first mistake in its format."""
    if len(line) > _LONGEST:
        raise InputError("the line is too long for a hand: {count} characters", count=len(line))
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError("not JSON: {line}", line=line[:60].strip()) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError('not a hand: its "format" is not "{format}"', format=FORMAT)
    version = data.get("version")
    if isinstance(version, int) and version > VERSION:
        raise InputError(
            "format version {version} is newer than this program can read ({known}): update the program",
            version=version,
            known=VERSION,
        )
    try:
        return HandRecord.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = field_name(first)[:80]
        if first["type"] == "missing":
            raise InputError("{name} is missing.", name=field) from None
        raise InputError("{field}: {problem}", field=field, problem=describe(first)) from None


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not empty."""
    with reading(path), Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, line.decode("utf-8", "replace").strip()


def read_records(path: str | Path) -> Iterator[tuple[int, HandRecord | BromeliadError]]:
    """Yield the number of each line that is not empty, and its hand or its error."""
    for number, line in read_lines(path):
        try:
            yield number, parse_record(line)
        except InputError as error:
            yield number, error
