"""A position as one seat sees it, with conversions from and to plain data and states."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import bromeliad.games.sequence.state as at
from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import int64
from bromeliad.errors import PositionError
from bromeliad.games.sequence.board import CARD_OF, CELLS, LINES
from bromeliad.games.sequence.notation import card_name, parse_card
from bromeliad.games.sequence.rules import SIDE, SequenceRules
from bromeliad.games.sequence.state import (
    SequenceState,
    add_card,
    count_cards,
    draw_card,
    hand_at,
    is_chip,
    lock,
    put,
    remove_card,
)

_COPIES = 2  # of every card
_CHIPS, _LOCKED = "rbg", "RBG"
_READ = {"_": "_", ".": "_", "#": "_", "X": "R", "O": "B"} | {letter: letter for letter in _CHIPS + _LOCKED}


def cards_in(state: SequenceState, start: int) -> list[int]:
    """Return the cards of the multiset at ``start``, in order."""
    masks = (int(state.data[start]), int(state.data[start + 1]))
    return [card for card in range(DECK_SIZE) for mask in masks if mask >> card & 1]


def board_rows(state: SequenceState, teams: int) -> list[str]:
    """Return the board as rows: ``r b g`` chips of the teams, capitals in sequences, ``#`` corners, ``_`` empty."""
    letters = []
    for cell in range(CELLS):
        letter = "#" if CARD_OF[cell] < 0 else "_"
        for team in range(teams):
            if is_chip(state.data, at.CHIPS, team, cell):
                letter = (_LOCKED if is_chip(state.data, at.LOCKED, team, cell) else _CHIPS)[team]
        letters.append(letter)
    return ["".join(letters[start : start + SIDE]) for start in range(0, CELLS, SIDE)]


@dataclass(frozen=True, kw_only=True)
class Position:
    """The mover's knowledge of a position; raises PositionError if it is impossible."""

    rules: SequenceRules
    board: tuple[str, ...]  # in the letters of board_rows or of the course framework
    seat: int
    hand: tuple[int, ...]
    draft: tuple[int, ...] = ()
    discards: tuple[int, ...] | None = None  # None: as if every chip had been placed with the card of its square
    known: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # cards that other seats took openly, by seat
    sizes: Mapping[int, int] = field(default_factory=dict)  # hand sizes of other seats, if they differ from the rules'
    sequences: tuple[int, ...] = ()
    traded: bool = False  # the seat has exchanged a dead card in this turn, or declined to
    picking: bool = False  # the seat has played, and now takes a face-up card
    again: bool = False  # the seat has exchanged a card, and plays again after taking one
    turns: int | None = None  # turns played; None: the number of chips

    def __post_init__(self) -> None:
        if len(self.board) != SIDE or any(len(row) != SIDE or set(row) - set(_READ) for row in self.board):
            raise PositionError(
                "a board is ten rows of ten letters: r b g chips, R B G in sequences, # corners, _ empty"
            )
        if any((CARD_OF[cell] < 0) and letter in _CHIPS + _LOCKED for cell, letter in enumerate("".join(self.board))):
            raise PositionError("chips cannot be placed on corners")
        if set(self._letters()) - set(self._teams()) - {"_"}:
            raise PositionError("there are chips of more teams than are playing")
        if not 0 <= self.seat < self.rules.players:
            raise PositionError("the seat must be 0 to {last}", last=self.rules.players - 1)
        others = {*range(self.rules.players)} - {self.seat}
        if {*self.known, *self.sizes} - others:
            raise PositionError(
                "known and sizes are only for the other seats: {seats}", seats=", ".join(map(str, others))
            )
        counts = self.sequences
        if len(counts) not in (0, self.rules.teams) or any(not 0 <= n < self.rules.goal for n in counts):
            raise PositionError("sequences: a number for each team, less than {goal}", goal=self.rules.goal)
        if self.turns is not None and self.turns < 0:
            raise PositionError("turns may not be negative")
        self._check_lines()
        if self.picking and not self.rules.draft:
            raise PositionError("there is no face-up card to take")
        self._count_cards()

    def _check_lines(self) -> None:
        """Raise PositionError if a sequence is not marked as one, or the game is over."""
        letters = self._letters()
        for team in _CHIPS[: self.rules.teams]:
            for line in LINES:
                if all(letters[cell] == team or CARD_OF[cell] < 0 for cell in line):
                    raise PositionError("five chips in a line are a sequence: write them as capitals")
            if self.rules.heart and all(letters[cell] in (team, team.upper()) for cell in self.rules.heart):
                raise PositionError("the game is over")
        if any(count >= self.rules.goal for count in self._finished()):
            raise PositionError("the game is over")

    def _finished(self) -> tuple[int, ...]:
        """Return the number of sequences of each team; by default 1 for a team with chips in a sequence."""
        letters = set(self._letters())
        return self.sequences or tuple(int(locked in letters) for locked in _LOCKED[: self.rules.teams])

    def _teams(self) -> str:
        return _CHIPS[: self.rules.teams] + _LOCKED[: self.rules.teams]

    def _letters(self) -> list[str]:
        return [_READ[letter] for row in self.board for letter in row]

    def _seen(self) -> Counter[int]:
        """Return the cards that the seat can locate, without the discards."""
        return Counter([*self.hand, *self.draft, *(card for cards in self.known.values() for card in cards)])

    def _discarded(self) -> tuple[int, ...]:
        if self.discards is not None:
            return self.discards
        seen = self._seen()
        found = []
        for cell, letter in enumerate(self._letters()):
            if letter != "_" and seen[CARD_OF[cell]] < _COPIES:
                seen[CARD_OF[cell]] += 1
                found.append(CARD_OF[cell])
        return tuple(found)

    def _count_cards(self) -> None:
        """Raise PositionError unless the numbers of cards are possible."""
        total = self._seen() + Counter(self._discarded())
        for card, count in total.items():
            if count > _COPIES:
                name = card_name(card)
                raise PositionError("{card} appears {count} times, but there are only two", card=name, count=count)
        if len(self.hand) > self.rules.hand or (not self.hand and not self.picking):
            raise PositionError("a hand has 1 to {most} cards", most=self.rules.hand)
        if len(self.draft) > self.rules.draft:
            raise PositionError("there are at most {most} face-up cards", most=self.rules.draft)
        if self.rules.draft and not self.draft:
            raise PositionError("draft: give the face-up cards, {most} of them", most=self.rules.draft)
        hidden = 0
        for seat in range(self.rules.players):
            if seat != self.seat:
                held, known = self.sizes.get(seat, self.rules.hand), len(self.known.get(seat, ()))
                if not known <= held <= self.rules.hand:
                    raise PositionError("seat {seat} cannot hold {held} cards", seat=seat, held=held)
                hidden += held - known
        if hidden > _COPIES * DECK_SIZE - total.total():
            raise PositionError("there are not enough cards left for the other hands")

    def to_state(self, start: SequenceState) -> SequenceState:
        """Return a state that fits the knowledge; ``start`` is an undealt state of the same rules.

        The hidden cards are dealt arbitrarily: a search deals them anew for each simulation.
        """
        data = start.data.copy()
        chips = [(cell, letter) for cell, letter in enumerate(self._letters()) if letter != "_"]
        for cell, letter in chips:
            put(data, cell, self._teams().index(letter) % self.rules.teams, 1)
        for cell, letter in chips:
            if letter in _LOCKED:
                lock(data, cell, _LOCKED.index(letter))
        data[at.SEQUENCES : at.SEQUENCES + self.rules.teams] = self._finished()
        data[[at.MOVER, at.STEP, at.TRADED, at.AGAIN]] = (
            self.seat,
            at.PICK if self.picking else at.PLAY,
            self.traded,
            self.again,
        )
        data[at.TURNS] = min(len(chips) if self.turns is None else self.turns, self.rules.turn_limit - 1)
        self._deal(data)
        return SequenceState(data)

    def _deal(self, data: Any) -> None:
        for start, cards in (
            (hand_at(self.seat), self.hand),
            (at.DRAFT, self.draft),
            (at.DISCARDS, self._discarded()),
            *((hand_at(seat), cards) for seat, cards in self.known.items()),
            *((hand_at(seat) + 2, cards) for seat, cards in self.known.items()),
        ):
            for card in cards:
                add_card(data, start, int64(card))
        for card in [*self._seen().elements(), *self._discarded()]:
            remove_card(data, at.DECK, int64(card))
        rng = np.arange(1, 5, dtype=np.uint64)
        for seat in range(self.rules.players):
            missing = self.sizes.get(seat, self.rules.hand) - count_cards(data, hand_at(seat))
            for _ in range(missing if seat != self.seat else 0):
                card = draw_card(data, at.DECK, rng)
                remove_card(data, at.DECK, card)
                add_card(data, hand_at(seat), card)

    # --- as plain data -----------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, rules: SequenceRules, state: SequenceState) -> "Position":
        """Return the position as the mover of a state sees it."""
        data = state.data
        seat = int(data[at.MOVER])
        others = [player for player in range(rules.players) if player != seat]
        return cls(
            rules=rules,
            board=tuple(board_rows(state, rules.teams)),
            seat=seat,
            hand=tuple(cards_in(state, hand_at(seat))),
            draft=tuple(cards_in(state, at.DRAFT)),
            discards=tuple(cards_in(state, at.DISCARDS)),
            known={player: tuple(cards_in(state, hand_at(player) + 2)) for player in others},
            sizes={player: int(count_cards(data, hand_at(player))) for player in others},
            sequences=tuple(int(count) for count in data[at.SEQUENCES : at.SEQUENCES + rules.teams]),
            traded=bool(data[at.TRADED]),
            picking=bool(data[at.STEP] == at.PICK),
            again=bool(data[at.AGAIN]),
            turns=int(data[at.TURNS]),
        )

    @classmethod
    def from_data(cls, rules: SequenceRules, data: object) -> "Position":
        """Read a position from plain data, such as parsed JSON."""
        if not isinstance(data, dict):
            raise PositionError("a position is an object with board, seat and hand")
        unknown = sorted(set(data) - set(_READERS))
        if unknown:
            raise PositionError(
                "unknown fields of a position: {names}; known: {known}",
                names=", ".join(map(str, unknown)),
                known=", ".join(sorted(_READERS)),
            )
        try:
            fields = {name: read(data[name]) for name, read in _READERS.items() if data.get(name) is not None}
            return cls(rules=rules, **fields)
        except (TypeError, ValueError, AttributeError, OverflowError):
            raise PositionError("a position needs board (ten strings), seat (a number), hand (list of cards)") from None

    def to_data(self) -> dict[str, Any]:
        """Return the position as plain data."""
        return {
            "board": list(self.board),
            "seat": self.seat,
            "hand": _names(self.hand),
            "draft": _names(self.draft),
            "discards": _names(self._discarded()),
            "known": {str(seat): _names(cards) for seat, cards in self.known.items()},
            "sizes": {str(seat): size for seat, size in self.sizes.items()},
            "sequences": list(self.sequences),
            "traded": self.traded,
            "picking": self.picking,
            "again": self.again,
            "turns": self.turns,
        }


def _names(cards: Iterable[int]) -> list[str]:
    return [card_name(card) for card in cards]


def _cards(value: Any) -> tuple[int, ...]:
    return tuple(parse_card(text) for text in (value.split() if isinstance(value, str) else value))


_READERS: dict[str, Callable[[Any], Any]] = {
    "board": tuple,
    "seat": int,
    "hand": _cards,
    "draft": _cards,
    "discards": _cards,
    "known": lambda known: {int(seat): _cards(cards) for seat, cards in known.items()},
    "sizes": lambda sizes: {int(seat): int(size) for seat, size in sizes.items()},
    "sequences": tuple,
    "traded": bool,
    "picking": bool,
    "again": bool,
    "turns": int,
}
"""Functions that convert the fields of plain data to the types of a position."""
