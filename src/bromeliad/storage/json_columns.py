"""Domain values as plain data for JSON columns."""

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from pydantic import BaseModel

from bromeliad.core.cards import Card, CardSet
from bromeliad.errors import DomainException
from bromeliad.games.ofc.hands.boards import PlayerArrangement


def to_plain(value: Any) -> Any:
    """Return a value as plain JSON data, with cards and boards as text."""
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return clean(value)
        case Card():
            return str(value)
        case PlayerArrangement():
            return value.to_board_string()
        case Enum():
            return to_plain(value.value)
        case BaseModel():
            return value.model_dump(mode="json")
        case CardSet() | tuple() | list():
            return [to_plain(item) for item in value]
        case dict():
            return {str(key): to_plain(item) for key, item in value.items()}
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    raise DomainException("this cannot be stored: {kind}", kind=type(value).__name__)


def clean(text: str) -> str:
    """Return a text that both databases accept: without lone surrogates and zero bytes."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


def board_data(board: PlayerArrangement) -> list[list[int]]:
    """Return a board as the numbers of its cards, which distinguish two jokers."""
    return [[card.value for card in row.cards] for row in board.rows]


def read_board(rows: list[list[int]]) -> PlayerArrangement:
    """Return the board that :func:`board_data` wrote."""
    return PlayerArrangement.of(*(tuple(map(Card, row)) for row in rows))
