"""A finished hand as rows of the store: its seats and decisions."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from bromeliad.core.cards import Card, format_cards
from bromeliad.games.ofc.play.dealer import PlayedHand
from bromeliad.games.ofc.play.history import HandRecord
from bromeliad.games.ofc.rules.showdown import Showdown
from bromeliad.storage.json_columns import clean


class HandRows(NamedTuple):
    """A hand as it is stored; seats and decisions lack the hand's id."""

    number: int
    rules: str
    line: str
    players: tuple[str, ...]
    seats: list[dict[str, Any]]
    decisions: list[dict[str, Any]]


def rows_of(record: HandRecord, played: PlayedHand, line: str | None = None) -> HandRows:
    """Return the rows of a hand.

    Parameters
    ----------
    played
        The hand as it was played, or replayed (:func:`bromeliad.games.ofc.play.replay.verify`).
    line
        The text of an imported record, which may have keys that this version ignores.
    """
    players = tuple(clean(player.name) for player in record.players)
    return HandRows(
        number=record.hand,
        rules=clean(played.rules.name),
        line=record.to_line() if line is None else line,
        players=players,
        seats=[_seat(played, seat, name) for seat, name in enumerate(players)],
        decisions=list(_decisions(played, players)),
    )


def digest(line: str) -> str:
    """Return the hash by which the store finds a line."""
    return hashlib.blake2b(line.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _seat(played: PlayedHand, seat: int, name: str) -> dict[str, Any]:
    result = played.showdown.players[seat]
    top, middle, back = (None if hand is None else hand.category for hand in result.hands)
    return {
        "seat": seat + 1,
        "player": name,
        "fantasyland": played.fantasyland[seat],
        "points": played.points[seat],
        "royalties": result.royalties,
        "fouled": result.fouled,
        "next_fantasyland": result.fantasyland,
        "top_type": top,
        "middle_type": middle,
        "back_type": back,
        "scoops": _scoops(played.showdown, seat, 1),
        "scooped": _scoops(played.showdown, seat, -1),
    }


def _scoops(showdown: Showdown, seat: int, sign: int) -> int:
    """Return the number of opponents that a seat scooped or, if ``sign`` is -1, that scooped the seat."""
    pairs = [pair for pair in showdown.settlements[seat] if pair is not None]
    return sum(all(sign * points > 0 for points in pair.rows) for pair in pairs)


def _decisions(played: PlayedHand, players: Sequence[str]) -> Iterator[dict[str, Any]]:
    boards: list[tuple[list[Card], ...]] = [([], [], []) for _ in players]
    for turn in played.turns:
        board = boards[turn.seat - 1]
        placed = turn.action.top, turn.action.middle, turn.action.back
        yield {
            "seat": turn.seat,
            "player": players[turn.seat - 1],
            "street": turn.street or None,
            "cards": format_cards(turn.cards),
            "board": _board_text(board),
            "placed": _board_text(placed),
            "discards": format_cards(turn.action.discards),
        }
        for row, cards in zip(board, placed, strict=True):
            row.extend(cards)


def _board_text(rows: Sequence[Iterable[Card]]) -> str:
    """Return rows as a board string, the highest cards of each row first."""
    return "-".join("".join(map(str, sorted(row, key=lambda card: (-card.rank, -card.suit)))) for row in rows)
