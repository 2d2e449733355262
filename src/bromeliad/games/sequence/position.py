"""A position as one seat knows it: read from plain data, written as plain data, and made into a state to search."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import int64
from bromeliad.errors import PositionError
from bromeliad.games.sequence.board import CARD_OF, CELLS, LINES
from bromeliad.games.sequence.notation import card_name, parse_card
from bromeliad.games.sequence.rules import SIDE, SequenceRules
from bromeliad.games.sequence.state import (
    AGAIN,
    CHIPS,
    DECK,
    DISCARDS,
    DRAFT,
    LOCKED,
    MOVER,
    PICK,
    PLAY,
    SEQUENCES,
    STEP,
    TRADED,
    TURNS,
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

__all__ = ["COPIES", "Position", "board_rows", "cards_in"]

COPIES = 2  # of every card
_CHIPS, _LOCKED = "rbg", "RBG"
_READ = {"_": "_", ".": "_", "#": "_", "X": "R", "O": "B"} | {letter: letter for letter in _CHIPS + _LOCKED}


def cards_in(state: SequenceState, at: int) -> list[int]:
    """Return the cards of a multiset in their order."""
    masks = (int(state.data[at]), int(state.data[at + 1]))
    return [card for card in range(DECK_SIZE) for mask in masks if mask >> card & 1]


def board_rows(state: SequenceState, teams: int) -> list[str]:
    """Write the board: ``r b g`` are chips of the teams, capitals those of sequences, ``#`` corners, ``_`` empty."""
    letters = []
    for cell in range(CELLS):
        letter = "#" if CARD_OF[cell] < 0 else "_"
        for team in range(teams):
            if is_chip(state.data, CHIPS, team, cell):
                letter = (_LOCKED if is_chip(state.data, LOCKED, team, cell) else _CHIPS)[team]
        letters.append(letter)
    return ["".join(letters[start : start + SIDE]) for start in range(0, CELLS, SIDE)]


@dataclass(frozen=True, kw_only=True)
class Position:
    """What the seat that is to move knows.

    Raises
    ------
    PositionError
        If it cannot be: says what is wrong.
    """

    rules: SequenceRules
    board: tuple[str, ...]  # as board_rows writes it; the course framework's letters are read as well
    seat: int
    hand: tuple[int, ...]
    draft: tuple[int, ...] = ()
    discards: tuple[int, ...] | None = None  # None: as if every chip had been placed with the card of its square
    known: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # cards that others were seen to take, by seat
    sizes: Mapping[int, int] = field(default_factory=dict)  # cards that others hold, where it is not the usual number
    sequences: tuple[int, ...] = ()
    traded: bool = False  # the seat has exchanged a dead card in this turn, or declined to
    picking: bool = False  # the seat has played, and now takes a face-up card
    again: bool = False  # after which it plays on, for it has exchanged a card
    turns: int | None = None  # that were played; None: as many as there are chips

    def __post_init__(self) -> None:
        if len(self.board) != SIDE or any(len(row) != SIDE or set(row) - set(_READ) for row in self.board):
            raise PositionError(
                "a board is ten rows of ten letters: r b g chips, R B G in sequences, # corners, _ empty"
            )
        if any((CARD_OF[cell] < 0) and letter in _CHIPS + _LOCKED for cell, letter in enumerate("".join(self.board))):
            raise PositionError("corners are everybody's, no chip is put there")
        if set("".join(self._letters())) & set((_CHIPS + _LOCKED).replace("_", "")) - set(self._teams()):
            raise PositionError("there are chips of more teams than play")
        if not 0 <= self.seat < self.rules.players:
            raise PositionError("the seat must be 0 to {last}", last=self.rules.players - 1)
        others = {*range(self.rules.players)} - {self.seat}
        if {*self.known, *self.sizes} - others:
            raise PositionError("known and sizes are about the other seats: {seats}", seats=", ".join(map(str, others)))
        counts = self.sequences
        if len(counts) not in (0, self.rules.teams) or any(not 0 <= n < self.rules.goal for n in counts):
            raise PositionError("sequences: a number for each team, less than {goal}", goal=self.rules.goal)
        self._check_lines()
        if self.picking and not self.draft:
            raise PositionError("nothing lies face up that could be taken")
        self._count_cards()

    def _check_lines(self) -> None:
        """Raise if a sequence is not marked as one, or somebody has won."""
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
        """Return the sequences of each team: who has chips in one and says nothing else has one."""
        letters = set(self._letters())
        return self.sequences or tuple(int(locked in letters) for locked in _LOCKED[: self.rules.teams])

    def _teams(self) -> str:
        return _CHIPS[: self.rules.teams] + _LOCKED[: self.rules.teams]

    def _letters(self) -> list[str]:
        return [_READ[letter] for row in self.board for letter in row]

    def _seen(self) -> Counter[int]:
        """Return the cards whose place the seat knows, without the discards."""
        return Counter([*self.hand, *self.draft, *(card for cards in self.known.values() for card in cards)])

    def _discarded(self) -> tuple[int, ...]:
        if self.discards is not None:
            return self.discards
        seen = self._seen()
        found = []
        for cell, letter in enumerate(self._letters()):
            if letter != "_" and seen[CARD_OF[cell]] < COPIES:
                seen[CARD_OF[cell]] += 1
                found.append(CARD_OF[cell])
        return tuple(found)

    def _count_cards(self) -> None:
        """Raise unless the cards can be where they are said to be."""
        total = self._seen() + Counter(self._discarded())
        for card, count in total.items():
            if count > COPIES:
                name = card_name(card)
                raise PositionError("{card} is there {count} times, and there are two of it", card=name, count=count)
        if len(self.hand) > self.rules.hand or (not self.hand and not self.picking):
            raise PositionError("a hand has 1 to {most} cards", most=self.rules.hand)
        if len(self.draft) > self.rules.draft:
            raise PositionError("at most {most} cards lie face up", most=self.rules.draft)
        hidden = 0
        for seat in range(self.rules.players):
            if seat != self.seat:
                held, known = self.sizes.get(seat, self.rules.hand), len(self.known.get(seat, ()))
                if not known <= held <= self.rules.hand:
                    raise PositionError("seat {seat} cannot hold {held} cards", seat=seat, held=held)
                hidden += held - known
        if hidden > COPIES * DECK_SIZE - total.total():
            raise PositionError("there are not enough cards left for the other hands")

    def to_state(self, start: SequenceState) -> SequenceState:
        """Return a state that fits what is known; ``start`` is one of the same rules, whose cards are not dealt.

        The hidden cards are dealt somehow: a search deals them anew for each simulation.
        """
        data = start.data.copy()
        chips = [(cell, letter) for cell, letter in enumerate(self._letters()) if letter != "_"]
        for cell, letter in chips:
            put(data, cell, self._teams().index(letter) % self.rules.teams, 1)
        for cell, letter in chips:
            if letter in _LOCKED:
                lock(data, cell, _LOCKED.index(letter))
        data[SEQUENCES : SEQUENCES + self.rules.teams] = self._finished()
        data[[MOVER, STEP, TRADED, AGAIN]] = self.seat, PICK if self.picking else PLAY, self.traded, self.again
        data[TURNS] = min(len(chips) if self.turns is None else self.turns, self.rules.turn_limit - 1)
        self._deal(data)
        return SequenceState(data)

    def _deal(self, data: Any) -> None:
        for at, cards in (
            (hand_at(self.seat), self.hand),
            (DRAFT, self.draft),
            (DISCARDS, self._discarded()),
            *((hand_at(seat), cards) for seat, cards in self.known.items()),
            *((hand_at(seat) + 2, cards) for seat, cards in self.known.items()),
        ):
            for card in cards:
                add_card(data, at, int64(card))
        for card in [*self._seen().elements(), *self._discarded()]:
            remove_card(data, DECK, int64(card))
        rng = np.arange(1, 5, dtype=np.uint64)
        for seat in range(self.rules.players):
            missing = self.sizes.get(seat, self.rules.hand) - count_cards(data, hand_at(seat))
            for _ in range(missing if seat != self.seat else 0):
                card = draw_card(data, DECK, rng)
                remove_card(data, DECK, card)
                add_card(data, hand_at(seat), card)

    # --- as plain data -----------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, rules: SequenceRules, state: SequenceState) -> "Position":
        """Return what the mover of a state knows."""
        data = state.data
        seat = int(data[MOVER])
        others = [player for player in range(rules.players) if player != seat]
        return cls(
            rules=rules,
            board=tuple(board_rows(state, rules.teams)),
            seat=seat,
            hand=tuple(cards_in(state, hand_at(seat))),
            draft=tuple(cards_in(state, DRAFT)),
            discards=tuple(cards_in(state, DISCARDS)),
            known={player: tuple(cards_in(state, hand_at(player) + 2)) for player in others},
            sizes={player: int(count_cards(data, hand_at(player))) for player in others},
            sequences=tuple(int(count) for count in data[SEQUENCES : SEQUENCES + rules.teams]),
            traded=bool(data[TRADED]),
            picking=bool(data[STEP] == PICK),
            again=bool(data[AGAIN]),
            turns=int(data[TURNS]),
        )

    @classmethod
    def from_data(cls, rules: SequenceRules, data: object) -> "Position":
        """Read a position from plain data, such as JSON gives."""
        if not isinstance(data, dict):
            raise PositionError("a position is an object with board, seat and hand")
        unknown = sorted(set(data) - _FIELDS)
        if unknown:
            raise PositionError(
                "unknown in a position: {names}; known: {known}",
                names=", ".join(map(str, unknown)),
                known=", ".join(sorted(_FIELDS)),
            )
        try:
            return cls(rules=rules, **_converted(data))
        except (TypeError, ValueError, AttributeError):
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


_FIELDS = {name for name in Position.__dataclass_fields__ if name != "rules"}


def _names(cards: Iterable[int]) -> list[str]:
    return [card_name(card) for card in cards]


def _cards(value: Any) -> tuple[int, ...]:
    return tuple(parse_card(text) for text in (value.split() if isinstance(value, str) else value))


def _converted(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of plain data as a position holds them."""
    found: dict[str, Any] = {
        name: bool(data[name]) for name in ("traded", "picking", "again") if data.get(name) is not None
    }
    found |= {name: int(data[name]) for name in ("seat", "turns") if data.get(name) is not None}
    found |= {name: _cards(data[name]) for name in ("hand", "draft", "discards") if data.get(name) is not None}
    found |= {name: tuple(data[name]) for name in ("board", "sequences") if data.get(name) is not None}
    if data.get("known") is not None:
        found["known"] = {int(seat): _cards(cards) for seat, cards in data["known"].items()}
    if data.get("sizes") is not None:
        found["sizes"] = {int(seat): int(size) for seat, size in data["sizes"].items()}
    return found
