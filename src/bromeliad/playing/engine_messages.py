"""The messages of the engine protocol: decisions as JSON objects, and placements as answers.

They serve both sides: the match, which asks, and the engine, which answers. docs/engine-protocol.md describes every
field.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bromeliad.core.cards import Card, CardSet, format_cards, parse_cards
from bromeliad.core.validation import describe, field_name
from bromeliad.errors import CardError, InputError, PositionError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import OpponentView, SeatView, board_after, own_action
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.legality import verify_hand, verify_placement
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE, RuleSet, Street

PROTOCOL = 1
"""The version of the protocol."""

_ROWS = ("top", "middle", "back", "discards")
_CardText = Annotated[str, Field(max_length=400)]
_Count = Annotated[int, Field(ge=0, le=54)]


class _Message(BaseModel):
    """A message. Unknown fields are ignored: a later version may add some."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class NewHand(_Message):
    """The start of a hand: its rules, and the engine's seat. Seat 1 acts first, the last seat has the button."""

    rules: str = Field(max_length=400)
    rule_set: dict[str, Any] = {}
    players: int = Field(ge=1, le=4)
    seat: int = Field(ge=1, le=4)
    button: int = Field(ge=1, le=4)
    seed: int = Field(ge=0, lt=2**63)

    def read_rules(self) -> RuleSet:
        """Return the rule set, or the preset of that name if no rule set is given.

        Raises
        ------
        InputError
            If there is no such rule set, or if it does not allow such a hand.
        """
        if not self.rule_set and self.rules not in preset_names():
            raise InputError("rules must be one of {names}, or give a rule_set", names=", ".join(preset_names()))
        rules = read_message(RuleSet, self.rule_set, "rule_set.") if self.rule_set else preset(self.rules)
        self._verify(rules)
        return rules

    def _verify(self, rules: RuleSet) -> None:
        verify_hand(rules, self.players, 0)
        if self.seat > self.players:
            raise PositionError(
                "with {players} players a seat is 1 to {players}, not {seat}", players=self.players, seat=self.seat
            )
        if self.button != self.players:
            raise PositionError(
                "the last seat has the button: {players}, not {button}", players=self.players, button=self.button
            )


class Place(_Message):
    """A question: how to place the cards of one street, or of a fantasyland hand."""

    street: int | None
    cards: _CardText
    board: _CardText
    discards: _CardText
    opponents: list[_CardText] = Field(max_length=3)
    opponent_discards: list[_Count] = Field(max_length=3)
    fantasyland: _Count
    opponent_fantasyland: list[_Count] = Field(max_length=3)
    seconds: float = Field(gt=0, le=86400, allow_inf_nan=False)

    def to_view(self, rules: RuleSet, hand: NewHand) -> SeatView:
        """Return the view of the seat, checked against the rules.

        Raises
        ------
        InputError
            If the hand can have no such decision.
        """
        board = PlayerArrangement.parse(self.board)
        cards = parse_cards(self.cards, board.cards)
        seen = board.cards | CardSet.from_cards(cards)
        discards = CardSet.from_cards(parse_cards(self.discards, seen))
        view = SeatView(
            rules=rules,
            seat=hand.seat,
            players=hand.players,
            street=(self.street or 1) - 1,
            cards=cards,
            board=board,
            discards=discards,
            fantasyland=self.fantasyland,
            opponents=self._opponents(seen | discards, hand.players - 1),
        )
        self._verify(view)
        return view

    def _opponents(self, taken: CardSet, count: int) -> tuple[OpponentView, ...]:
        opponents = []
        if not len(self.opponents) == len(self.opponent_discards) == len(self.opponent_fantasyland) == count:
            raise PositionError("give the board, the discards and the fantasyland of {count} opponents", count=count)
        for text, *known in zip(self.opponents, self.opponent_discards, self.opponent_fantasyland, strict=True):
            board = PlayerArrangement.parse(text, taken)
            taken |= board.cards
            opponents.append(OpponentView(board, *known))
        return tuple(opponents)

    def _verify(self, view: SeatView) -> None:
        if view.in_fantasyland:
            verify_hand(view.rules, view.players, self.fantasyland)
        street = view.to_spot().street
        if street != self.street:
            raise PositionError(
                "the board is that of street {street}, not {given}", street=street or "-", given=self.street or "-"
            )
        dealt = self.fantasyland if view.in_fantasyland else view.deal.deal
        if len(view.cards) != dealt:
            raise PositionError("{deal} cards are dealt here, not {count}", deal=dealt, count=len(view.cards))


_M = TypeVar("_M", bound=BaseModel)


def read_json(line: str | bytes) -> dict[str, Any]:
    """Return the JSON object of a line, or raise InputError."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise InputError("a message is a JSON object on one line, like {example}", example='{"id": 1, "ask": "hello"}')
    return message


def read_message(model: type[_M], message: Mapping[str, Any], prefix: str = "") -> _M:
    """Return the fields of a message or of a part of it; raise InputError for the first invalid field."""
    try:
        return model.model_validate(message)
    except ValidationError as error:
        first = error.errors()[0]
        field = (prefix + field_name(first))[:80]
        if first["type"] == "missing":
            raise InputError("{name} is missing.", name=field) from None
        raise InputError("{field}: {problem}", field=field, problem=describe(first)) from None


def new_hand(view: SeatView, seed: int) -> dict[str, Any]:
    """Return the message that starts a hand for a seat."""
    return {
        "ask": "new_hand",
        "rules": view.rules.name,
        "rule_set": view.rules.model_dump(mode="json"),
        "players": view.players,
        "seat": view.seat,
        "button": view.button,
        "seed": seed,
    }


def place(view: SeatView, seconds: float) -> dict[str, Any]:
    """Return the message that asks a seat for its placement."""
    return {
        "ask": "place",
        "street": None if view.in_fantasyland else view.street + 1,
        "cards": format_cards(view.cards),
        "board": str(view.board),
        "discards": format_cards(view.discards),
        "opponents": [str(opponent.board) for opponent in view.opponents],
        "opponent_discards": [opponent.discards for opponent in view.opponents],
        "fantasyland": view.fantasyland,
        "opponent_fantasyland": [opponent.fantasyland for opponent in view.opponents],
        "seconds": seconds,
    }


def placement(action: Action) -> dict[str, list[str]]:
    """Return a placement as an answer."""
    return {row: [str(card) for card in getattr(action, row)] for row in _ROWS}


def read_placement(view: SeatView, answer: Mapping[str, Any]) -> Action:
    """Return the placement in an answer.

    Raises
    ------
    CardError, PlacementError
        If the answer has no placement, or one that breaks the rules.
    """
    action = own_action(view.cards, [_cards(row, answer.get(row)) for row in _ROWS])
    street = Street(deal=len(view.cards), place=BOARD_SIZE) if view.in_fantasyland else view.deal
    verify_placement(street, view.street + 1, view.cards, (*action.top, *action.middle, *action.back), action.discards)
    board_after(view.board, action)
    return action


def _cards(row: str, names: object) -> list[Card]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise CardError("{row} must be a list of cards like {example}", row=row, example='["As", "Td"]')
    return [Card.from_string(name) for name in names]
