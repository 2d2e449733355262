"""A fast reader and checker of recorded hands: a million decisions take seconds.

:func:`bromeliad.games.ofc.play.replay.check` finds the same errors by replaying, a hundred times slower. Tests compare
the two.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from bromeliad.analysis.anomalies import Oddity
from bromeliad.core.cards import DECK_SIZE, Card, CardSet, parse_cards
from bromeliad.errors import BromeliadError
from bromeliad.games.ofc.hands.automaton import evaluate_cards
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.play.dealer import schedule
from bromeliad.games.ofc.play.history import FORMAT, LARGEST, VERSION, is_name
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE, ROW_SIZES, RuleSet
from bromeliad.games.ofc.rules.rule_tables import category_number

_BITS = {str(Card(value)): 1 << value for value in range(DECK_SIZE)}
_JOKERS = 3 << DECK_SIZE
_MOST_PLAYERS = 4
_LAST = ("showdown", "score")  # the events after all turns


class TurnFacts(NamedTuple):
    """The placement of one seat on one street, with cards as masks."""

    seat: int  # from 0
    street: int  # from 1; 0 in fantasyland
    top: int
    middle: int
    back: int
    discards: int
    full: int  # a bit per row that is full afterwards


class Score(NamedTuple):
    """The score in a record, by seat."""

    points: Sequence[int]
    royalties: Sequence[int]
    fouls: Sequence[bool]
    next_fantasyland: Sequence[int]
    chips: Sequence[int] | None


class ReadHand(NamedTuple):
    """A hand that obeys the rules; tuples, boards and score are by seat."""

    number: int
    rules: RuleSet
    players: tuple[str, ...]
    fantasyland: tuple[int, ...]  # fantasyland cards, 0 for a normal hand
    reached: tuple[int, ...]  # as `fantasyland`; if the first street decides, above 0 if it reached fantasyland
    turns: list[TurnFacts]
    boards: list[list[int]]  # masks of the rows
    score: Score
    stacks: tuple[int | None, ...]


class _Due(NamedTuple):
    """A turn that the rules require."""

    seat: int  # from 1
    street: int
    deal: int
    place: int


def is_plain(data: Any) -> bool:
    """Return whether data has the usual form of a record; the slow path reads other data.

    Types are checked where a wrong one would go unnoticed. Data of another shape may raise LookupError, TypeError or
    AttributeError.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        return False
    players, last = data["players"], data["events"][-1]
    numbers = [data["hand"], *(player.get("fantasyland", 0) for player in players)]
    numbers += [player["stack"] for player in players if "stack" in player]
    numbers += [*last["points"], *last["royalties"], *last["next_fantasyland"], *last.get("chips", ())]
    return (
        all(type(number) is int and -LARGEST <= number <= LARGEST for number in numbers)
        and all(type(fouled) is bool for fouled in last["fouls"])
        and all(type(player["name"]) is str and is_name(player["name"]) for player in players)
        and 0 < len(players) <= _MOST_PLAYERS
        and data["hand"] > 0
    )


class HandReader:
    """Reads hands of one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._by_first_street = rules.fantasyland.first_street is not None
        self._deck = CardSet.deck(rules.jokers.count).mask
        self._plan = cache(lambda fantasyland: tuple(self._turns(fantasyland)))

    def read(self, data: dict[str, Any]) -> ReadHand:
        """Return the hand in JSON data, or raise its first Oddity; `Scan` checks the scores, many hands at once."""
        players, events, at, undealt = data["players"], data["events"], 0, self._deck
        fantasyland = tuple(player.get("fantasyland", 0) for player in players)
        boards = [[0, 0, 0] for _ in players]
        turns, reached = [], list(fantasyland)
        for due in self._plan(fantasyland):
            hand = _dealt(_event(events, at, "deal", due.seat)["cards"], due, undealt)
            undealt &= ~hand
            if self._by_first_street and due.street == 1:
                reached[due.seat - 1] = _reached(self.rules, hand)
            rows = _rows(_event(events, at + 1, "place", due.seat)["board"], hand)
            rest = hand & ~(rows[0] | rows[1] | rows[2])
            at += 2
            if rest:
                discards = _event(events, at, "discard", due.seat)["cards"]
                if _masked(discards, rest & _JOKERS) != rest:
                    raise Oddity("other cards", f"{discards} is discarded")
                at += 1
            turns.append(_turn(due, boards[due.seat - 1], rows, rest))
        return ReadHand(
            data["hand"],
            self.rules,
            tuple(player["name"] for player in players),
            fantasyland,
            tuple(reached),
            turns,
            boards,
            _end(events, at, boards),
            tuple(player.get("stack") for player in players),
        )

    def _turns(self, fantasyland: tuple[int, ...]) -> Iterator[_Due]:
        """Yield the turns that the rules require."""
        rules = self.rules
        if len(fantasyland) > rules.players.max:
            raise Oddity("rules", f"{rules.name}: {len(fantasyland)} players")
        allowed = () if rules.fantasyland.first_street else rules.fantasyland_cards()
        for cards in fantasyland:
            if cards and cards not in allowed:
                raise Oddity("rules", f"{rules.name}: a fantasyland of {cards} cards")
        for seat, street in schedule(rules, fantasyland):
            size = rules.streets[street - 1] if street else None
            deal, place = (size.deal, size.place) if size else (fantasyland[seat - 1], BOARD_SIZE)
            yield _Due(seat, street, deal, place)


def _event(events: Sequence[dict[str, Any]], at: int, kind: str, seat: int) -> dict[str, Any]:
    """Return the event at a place if it is the required one, else raise an Oddity."""
    event = events[at] if at < len(events) else None
    if event is not None and event["event"] == kind and event["seat"] == seat:
        return event
    if event is None or event["event"] in _LAST:
        raise Oddity("unfinished", f"event {at + 1}: seat {seat} acts here")
    raise Oddity("order", f"event {at + 1}: a {kind} of seat {seat} is due")


def _masked(text: str, jokers: int) -> int:
    """Return cards as a mask, -1 if one is wrong or repeated; jokers become the lowest bits of ``jokers``."""
    mask = 0
    for name in text.split():
        bit = _BITS.get(name)
        if bit is None:  # a joker or an unusual spelling
            try:
                return _renamed(CardSet.from_cards(parse_cards(text)).mask, jokers)
            except BromeliadError:
                return -1
        if mask & bit:
            return -1
        mask |= bit
    return mask


def _renamed(mask: int, jokers: int) -> int:
    """Return the cards with jokers as the lowest bits of ``jokers``; -1 if ``jokers`` has too few bits."""
    count = (mask & _JOKERS).bit_count()
    if count > jokers.bit_count():
        return -1
    if count == 1:
        return mask & ~_JOKERS | jokers & -jokers
    return mask


def _dealt(text: str, due: _Due, undealt: int) -> int:
    hand = _masked(text, undealt & _JOKERS)
    if hand < 0 or hand & ~undealt:
        raise Oddity("duplicate card", f"seat {due.seat} is dealt {text}")
    if hand.bit_count() != due.deal:
        raise Oddity("impossible board", f"seat {due.seat} is dealt {hand.bit_count()} cards instead of {due.deal}")
    return hand


def _reached(rules: RuleSet, hand: int) -> int:
    first = rules.fantasyland.first_street
    assert first is not None
    is_reached = evaluate_cards(tuple(CardSet(hand))).category >= category_number(first.at_least)
    return BOARD_SIZE if is_reached else 0


def _rows(text: str, hand: int) -> tuple[int, int, int]:
    """Return the rows of a board string, or raise an Oddity if a card is not in the hand."""
    rows, mask, bits = [], 0, _BITS
    for part in text.split("-"):
        row = 0
        for at in range(0, len(part), 2):
            bit = bits.get(part[at : at + 2], 0)
            if not bit or (mask | row) & bit:
                return _slow_rows(text, hand)
            row |= bit
        mask |= row
        rows.append(row)
    if len(rows) != len(ROW_SIZES) or mask & ~hand:
        return _slow_rows(text, hand)
    return rows[0], rows[1], rows[2]


def _slow_rows(text: str, hand: int) -> tuple[int, int, int]:
    """Return the rows for any spelling and with jokers, or raise an Oddity."""
    try:
        rows = PlayerArrangement.parse(text).rows
    except BromeliadError as error:
        raise Oddity("impossible board", str(error)) from None
    masks, left = [], hand
    for row in rows:
        mask = _renamed(row.mask, left & _JOKERS)
        if mask < 0 or mask & ~left:
            raise Oddity("other cards", f"{text} is placed")
        left &= ~mask
        masks.append(mask)
    return masks[0], masks[1], masks[2]


def _turn(due: _Due, board: list[int], rows: tuple[int, int, int], rest: int) -> TurnFacts:
    """Put the cards on the board, and return the turn."""
    if rest.bit_count() != due.deal - due.place:
        count = due.deal - rest.bit_count()
        raise Oddity("impossible board", f"seat {due.seat} places {count} cards on street {due.street}")
    full = 0
    for row, size in enumerate(ROW_SIZES):
        board[row] |= rows[row]
        count = board[row].bit_count()
        if count > size:
            raise Oddity("impossible board", f"seat {due.seat} has {count} cards in a row of {size}")
        full |= (count == size) << row
    return TurnFacts(due.seat - 1, due.street, *rows, rest, full)


def _end(events: Sequence[dict[str, Any]], at: int, boards: list[list[int]]) -> Score:
    """Return the score; raise an Oddity unless the hand ends with a showdown of the placed boards and a score."""
    kinds = tuple(event["event"] for event in events[at:])
    if len(kinds) < len(_LAST):
        raise Oddity("unfinished", "a hand ends with one showdown and one score")
    if kinds != _LAST:
        raise Oddity("order", "a hand ends with one showdown and one score")
    shown, score = events[at]["boards"], events[at + 1]
    if len(shown) != len(boards):
        raise Oddity("showdown", f"{len(shown)} boards for {len(boards)} seats")
    for seat, (text, board) in enumerate(zip(shown, boards, strict=True), start=1):
        if not _shows(text, board):
            raise Oddity("showdown", f"seat {seat}: {text}")
    for name in Score._fields[:4]:
        if len(score[name]) != len(boards):
            raise Oddity("score", f"{name}: {len(score[name])} values for {len(boards)} seats")
    return Score(score["points"], score["royalties"], score["fouls"], score["next_fantasyland"], score.get("chips"))


def _shows(text: str, board: list[int]) -> bool:
    """Return whether a board string shows a board; the two jokers are alike."""
    try:
        rows = _rows(text, board[0] | board[1] | board[2])
    except Oddity:
        return False
    pairs = list(zip(rows, board, strict=True))
    same_cards = all(one & ~_JOKERS == two & ~_JOKERS for one, two in pairs)
    return same_cards and all((one & _JOKERS).bit_count() == (two & _JOKERS).bit_count() for one, two in pairs)
