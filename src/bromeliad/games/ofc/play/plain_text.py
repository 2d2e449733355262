"""Hands as people write them: ``deal: …`` and ``place: …``, line by line (docs/hand-histories.md)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.play.dealer import Dealer, verify_deck
from bromeliad.games.ofc.play.history import HandRecord, is_name, record_of, rules_of
from bromeliad.games.ofc.play.seat import own_action
from bromeliad.games.ofc.play.table import TableHand

UNKNOWN = "?"
"""A discarded card that nobody saw."""

_RULES, _PLAYERS, _FANTASYLAND, _DEAL, _PLACE = "rules", "players", "fantasyland", "deal", "place"
_HEAD = (_RULES, _PLAYERS, _FANTASYLAND)


class _Line(NamedTuple):
    number: int  # from 1
    word: str
    text: str


def read_plain_text(text: str) -> Iterator[HandRecord]:
    """Yield the hands of a text; empty lines separate hands, and ``#`` begins a comment.

    Raises
    ------
    InputError
        With the number of the first wrong line, and the reason.
    """
    for number, lines in enumerate(_hands(text), start=1):
        yield _read(number, lines)


def _hands(text: str) -> Iterator[list[_Line]]:
    lines: list[_Line] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            if lines:
                yield lines
            lines = []
        elif said := line.partition("#")[0].strip():
            word, colon, rest = said.replace("\uff1a", ":").partition(":")
            if not colon or word.strip().lower() not in (*_HEAD, _DEAL, _PLACE):
                problem = InputError("write deal: As Kd … or place: top / middle / back, not {text}", text=said[:60])
                raise _wrong(number, problem)
            lines.append(_Line(number, word.strip().lower(), rest.strip()))
    if lines:
        yield lines


def _read(number: int, lines: Sequence[_Line]) -> HandRecord:
    names = ["you", "opponent"]
    rules, fantasyland = "pineapple", [0, 0]
    dealer: Dealer | None = None
    spare = _spare(lines)
    for line in lines:
        try:
            if line.word in _HEAD and dealer is not None:
                raise InputError("{word}: comes before the first deal", word=line.word)
            if line.word == _RULES:
                rules = line.text
            elif line.word == _PLAYERS:
                names = _names(line.text)
                fantasyland = [0] * len(names)
            elif line.word == _FANTASYLAND:
                fantasyland = _sizes(line.text, len(names))
            else:
                dealer = dealer or _begin(rules, fantasyland)
                _play(dealer, line, spare)
        except BromeliadError as error:
            raise _wrong(line.number, error) from None
    try:
        hand = (dealer or _begin(rules, fantasyland)).finish()
    except BromeliadError as error:
        raise _wrong(lines[-1].number, error) from None
    seating = tuple(range(len(names)))
    return record_of(TableHand(number, seating, hand, hand.points, None), names)


def _begin(rules: str, fantasyland: Sequence[int]) -> Dealer:
    known = rules_of(rules)
    verify_deck(known, fantasyland)
    return Dealer(known, fantasyland)


def _play(dealer: Dealer, line: _Line, spare: Iterator[str]) -> None:
    """Apply a deal or placement line to the seat that acts next; cards that a placement leaves out are discarded."""
    if dealer.due is None:
        raise InputError("the hand is over: every board is full")
    seat = dealer.due[0]
    if line.word == _DEAL:
        words = line.text.replace(UNKNOWN, f" {UNKNOWN} ").split()
        named = " ".join(next(spare, UNKNOWN) if word == UNKNOWN else word for word in words)
        dealer.deal(parse_cards(named, CardSet.deck(dealer.rules.jokers.count) - dealer.undealt))
        return
    cards = dealer.view(seat).cards
    if not cards:
        raise InputError("seat {seat} has no cards yet: deal them first", seat=seat)
    rows = [list(map(str, row.cards)) for row in PlayerArrangement.parse(line.text).rows]
    left = list(map(str, cards))
    for name in (name for row in rows for name in row):
        if name in left:
            left.remove(name)
    dealer.place(own_action(cards, (*rows, left)))


def _spare(lines: Sequence[_Line]) -> Iterator[str]:
    """Yield the names of cards that the hand does not mention; they replace cards that nobody saw."""
    said = {
        str(card)
        for line in lines
        if line.word == _DEAL
        for word in line.text.replace(UNKNOWN, " ").split()
        for card in _known(word)
    }
    return (str(card) for card in CardSet.deck(0) if str(card) not in said)


def _known(word: str) -> Sequence[object]:
    try:
        return parse_cards(word)
    except BromeliadError:
        return ()  # the mistake is reported when the line is dealt


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if not name or not is_name(name):
            raise InputError("write players: one, two in the order of their seats, not {text}", text=text[:60])
    return names


def _sizes(text: str, players: int) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != players or not all(part.isascii() and part.isdigit() and len(part) <= 2 for part in parts):
        raise InputError(
            "write fantasyland: 14, 0 with a number of cards for each of the players, not {text}", text=text[:60]
        )
    return [int(part) for part in parts]


def _wrong(line: int, problem: BromeliadError) -> InputError:
    return InputError("line {line}: {problem}", line=line, problem=problem)
