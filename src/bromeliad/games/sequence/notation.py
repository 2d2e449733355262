"""Notation of actions: ``7c@20`` places a chip on row 2, column 0 with the seven of clubs, ``Jh-20`` removes one.

``7c!`` exchanges a dead card, ``keep`` keeps it, ``+7c`` takes a face-up card, and ``pass`` is the turn of a player
who can play nothing. Rows and columns are counted from 0 at the top left.
"""

import re

from bromeliad.core.cards import RANKS, SUITS
from bromeliad.errors import InputError
from bromeliad.games.sequence.board import CARD_OF, ONE_EYED, SQUARES, TWO_EYED
from bromeliad.games.sequence.moves import CHOOSE, DECLINE, EXCHANGE, PASS, PLACE, REMOVE, card_of, cell_of, kind_of
from bromeliad.games.sequence.moves import make as make_action

_CARD = r"(10|[2-9TJQKA])([cdhs])"
_MOVE = re.compile(rf"(?P<taken>\+)?{_CARD}(?:(?P<how>[@-])(?P<cell>\d\d)|(?P<dead>!))?", re.IGNORECASE | re.ASCII)
_WORDS = {"keep": DECLINE, "pass": PASS}
_LONGEST = 12


def card_name(card: int) -> str:
    """Return the name of a card: ``7c``, ``Ts``."""
    return RANKS[card % 13] + SUITS[card // 13]


def parse_card(text: str) -> int:
    """Return the card that a text names, such as ``7c`` or ``10s``; raise InputError if it names none."""
    match = re.fullmatch(_CARD, text.strip(), re.IGNORECASE | re.ASCII) if len(text) < _LONGEST else None
    if match is None:
        raise InputError("{text!r} is not a card: write it like 7c or Ts", text=text[:_LONGEST])
    return SUITS.index(match[2].lower()) * 13 + RANKS.index(match[1].upper().replace("10", "T"))


def action_name(action: int) -> str:
    """Return an action as text."""
    kind, card = int(kind_of(action)), card_name(int(card_of(action)))
    cell = f"{int(cell_of(action)):02}"
    names = {PLACE: f"{card}@{cell}", REMOVE: f"{card}-{cell}", EXCHANGE: f"{card}!", CHOOSE: f"+{card}"}
    return names.get(kind) or next(word for word, meant in _WORDS.items() if meant == kind)


def parse_action(text: str) -> int:
    """Read an action; raise InputError unless it is possible in some position."""
    short = text.strip()
    if short.lower() in _WORDS:
        return int(make_action(_WORDS[short.lower()], 0, 0))
    match = _MOVE.fullmatch(short) if len(short) < _LONGEST else None
    if match is None:
        raise InputError(
            "{text!r} is not a move: write 7c@20, Jh-20, 7c! (exchange), keep, +7c (take) or pass", text=text[:_LONGEST]
        )
    card = parse_card(match[2] + match[3])
    if match["taken"] or match["dead"]:
        if match["taken"] and (match["dead"] or match["how"]):
            raise InputError("{text!r} is two moves: write them one after the other", text=short)
        return int(make_action(CHOOSE if match["taken"] else EXCHANGE, card, 0))
    return _parse_chip(short, card, match["how"], int(match["cell"] or -1))


def _parse_chip(text: str, card: int, how: str | None, cell: int) -> int:
    """Return the action that places or removes a chip."""
    if how is None:
        raise InputError("{text!r} has no square: write row and column, like 7c@20", text=text)
    if CARD_OF[cell] < 0:
        raise InputError("{text!r}: chips cannot be placed on corners", text=text)
    if (how == "-") != (card in ONE_EYED) or (card not in (*ONE_EYED, *TWO_EYED) and cell not in SQUARES[card]):
        raise InputError("{text!r}: that card cannot be played on that square", text=text)
    return int(make_action(PLACE if how == "@" else REMOVE, card, cell))
