"""The state of a game of Sequence: one int64 array of bit-boards, card sets, and a word for each line of five squares.

Chips are bits of two words a team. Cards are multisets of at most two copies: a mask of the cards that are there at all
and one of those that are there twice. The word of a line counts each team's chips and locked chips on it, and each team
keeps how many lines it can still fill hold 0 to 5 of its chips, so that a position is valued without looking at it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.rng import Rng, below
from bromeliad.games.sequence.board import CORNERS, LINES, geometry
from bromeliad.games.sequence.rules import MOST_PLAYERS, MOST_TEAMS, SequenceRules

__all__ = [
    "AGAIN",
    "CHIPS",
    "DEAL",
    "DECK",
    "DECLARED",
    "DISCARDS",
    "DRAFT",
    "DRAWN",
    "EYES",
    "FLAGS",
    "FLAG_COUNT",
    "FLAG_COURSE",
    "FLAG_FIRST",
    "FLAG_RESHUFFLE",
    "GOAL",
    "HANDS",
    "HAND_SIZE",
    "HEART",
    "HEART_WORTH",
    "LAST",
    "LEVEL",
    "LEVEL_WIDTH",
    "LOCKED",
    "MOVER",
    "NOBODY",
    "OVER",
    "PASSES",
    "PICK",
    "PLAY",
    "PLAYERS",
    "REFILL",
    "SEQUENCES",
    "SIZE",
    "STEP",
    "TAKE",
    "TALLY",
    "TEAMS",
    "TRADED",
    "TURNS",
    "TURN_LIMIT",
    "WEIGHTS",
    "WEIGHT_WORDS",
    "WINDOWS",
    "WINNER",
    "SequenceState",
    "add_card",
    "count_bits",
    "count_cards",
    "draw_card",
    "filled",
    "hand_at",
    "has_card",
    "is_chip",
    "is_empty",
    "level_of",
    "lock",
    "lowest",
    "new_data",
    "nth_bit",
    "put",
    "remove_card",
    "taken",
]

# Places in the array. The rules:
PLAYERS, TEAMS, HAND_SIZE, GOAL, DECLARED, FLAGS, TURN_LIMIT, HEART, HEART_WORTH = range(9)  # DECLARED: face-up cards
# The game:
MOVER = 10  # a player
STEP = 11  # one of the steps below
TRADED = 12  # 1 if the mover has exchanged a dead card in this turn, or declined to
AGAIN = 13  # 1 if the mover goes on after the present draft or draw: it replaces an exchanged card
WINNER = 14  # a team, NOBODY or DRAWN
TURNS = 15
PASSES = 16  # turns in a row in which nothing could be played
LAST = 17  # the last action of a player, -1 before the first
EYES = 18  # a player through whose eyes opponents are modelled, -1: nobody's
SEQUENCES = 20  # a team each
CHIPS = 24  # two words a team
LOCKED = 30  # two words a team: chips of finished sequences
DECK = 36  # a multiset: two words
DRAFT = 38  # likewise, and those below
DISCARDS = 40
HANDS = 42  # four words a player: his cards, and those of them that everybody has seen him take
TALLY = HANDS + 4 * MOST_PLAYERS  # a word a team: lines by level, LEVEL_WIDTH bits each
WINDOWS = TALLY + MOST_TEAMS  # a word a line
WEIGHTS = WINDOWS + len(LINES)  # what chips and cards are worth: see weights.py
WEIGHT_WORDS = 48
SIZE = WEIGHTS + WEIGHT_WORDS

# Steps: whose decision or chance event is next
DEAL, PLAY, PICK, REFILL, TAKE, OVER = range(6)
# DEAL hands out a card; PLAY is a card or an exchange; PICK takes a face-up card; REFILL turns up another one; TAKE is
# a card drawn unseen.

FLAG_COURSE, FLAG_FIRST, FLAG_RESHUFFLE, FLAG_COUNT = 1, 2, 4, 8
NOBODY, DRAWN = -1, -2
LEVEL_WIDTH = 10
LEVEL = (1 << LEVEL_WIDTH) - 1

_LOCK = 4 * MOST_TEAMS  # bits: chips of each team, locked chips of each team, then whether a corner is on the line
_CORNER = 2 * _LOCK
_CHIP_BITS = (1 << _LOCK) - 1
_UNITS = np.array([0] + [1 << LEVEL_WIDTH * level for level in range(6)])
_THROUGH = geometry.through
_ONE = int64(1)
_TRIES = 8  # to meet a card of a multiset by chance


class SequenceState(NamedTuple):
    """A position, with all cards: what a seat cannot see is drawn anew before it is searched."""

    data: NDArray[np.int64]


def new_data(rules: SequenceRules, weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the array of a game whose cards are not dealt yet."""
    data = np.zeros(SIZE, np.int64)
    flags = (rules.course_lines, rules.trade_first, rules.reshuffle, rules.count_at_end)
    data[: HEART_WORTH + 1] = (
        rules.players,
        rules.teams,
        rules.hand,
        rules.goal,
        rules.draft,
        sum(1 << i for i, flag in enumerate(flags) if flag),
        rules.turn_limit,
        sum(1 << cell for cell in rules.heart),
        rules.heart_worth,
    )
    data[[WINNER, LAST, EYES]] = NOBODY, -1, -1
    data[DECK : DECK + 2] = (1 << 52) - 1
    for line, cells in enumerate(LINES):
        data[WINDOWS + line] = int(any(corner in cells for corner in CORNERS)) << _CORNER
        for team in range(rules.teams):
            data[TALLY + team] += _UNITS[1 + (data[WINDOWS + line] >> _CORNER)]
    data[WEIGHTS : WEIGHTS + weights.size] = weights
    return data


# --- cards -----------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def count_bits(word: int) -> int:
    """Return how many bits of a word are set."""
    word = word - ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56 & 0x7F


@kernel(inline=True)
def nth_bit(word: int, index: int) -> int:
    """Return the number of a word's bit that is set, counted from 0 at the lowest."""
    for _ in range(index):
        word &= word - 1
    return lowest(word)


@kernel(inline=True)
def lowest(word: int) -> int:
    """Return the number of the lowest bit that is set in a word that is not 0."""
    return count_bits((word & -word) - 1)


@kernel(inline=True)
def hand_at(player: int) -> int:
    """Return where a player's cards are; two words on are those that everybody knows."""
    return HANDS + 4 * player


@kernel(inline=True)
def count_cards(data: Ints, at: int) -> int:
    """Return the size of a multiset of cards."""
    return count_bits(data[at]) + count_bits(data[at + 1])


@kernel(inline=True)
def has_card(data: Ints, at: int, card: int) -> bool:
    """Say whether a multiset holds a card."""
    return data[at] >> card & 1 == 1


@kernel(inline=True)
def add_card(data: Ints, at: int, card: int) -> None:
    """Put a card into a multiset."""
    bit = _ONE << card
    data[at + 1] |= data[at] & bit
    data[at] |= bit


@kernel(inline=True)
def remove_card(data: Ints, at: int, card: int) -> None:
    """Take a card that is there out of a multiset."""
    bit = _ONE << card
    if data[at + 1] & bit:
        data[at + 1] &= ~bit
    else:
        data[at] &= ~bit


@kernel(inline=True)
def draw_card(data: Ints, at: int, rng: Rng) -> int:
    """Return a random card of a multiset that is not empty, without taking it out."""
    for _ in range(_TRIES):
        ticket = below(rng, 104)
        if data[at + (ticket & 1)] >> (ticket >> 1) & 1:
            return ticket >> 1
    index = below(rng, count_cards(data, at))  # few cards are left
    ones = count_bits(data[at])
    return nth_bit(data[at], index) if index < ones else nth_bit(data[at + 1], index - ones)


# --- chips and lines -------------------------------------------------------------------------------------------------


@kernel(inline=True)
def is_chip(data: Ints, at: int, team: int, cell: int) -> bool:
    """Say whether a team has a chip (or a locked one) on a square; ``at`` is CHIPS or LOCKED."""
    return data[at + 2 * team + (cell >> 6)] >> (cell & 63) & 1 == 1


@kernel(inline=True)
def taken(data: Ints, word: int) -> int:
    """Return the squares of one of the two words on which chips are."""
    return data[CHIPS + word] | data[CHIPS + 2 + word] | data[CHIPS + 4 + word]


@kernel(inline=True)
def is_empty(data: Ints, cell: int) -> bool:
    """Say whether nobody has a chip on a square (corners are empty too)."""
    return taken(data, cell >> 6) >> (cell & 63) & 1 == 0


@kernel(inline=True)
def filled(line: int, team: int) -> int:
    """Return how many squares of a line a team has, corners included; ``line`` is the line's word."""
    return (line >> 4 * team & 15) + (line >> _CORNER)


@kernel(inline=True)
def level_of(line: int, team: int) -> int:
    """Return how many squares of a line a team has, corners included; -1 if it cannot fill the line any more.

    Who has two locked chips on a line cannot make another sequence of it.
    """
    if line & (_CHIP_BITS ^ (15 << 4 * team)) or line >> (_LOCK + 4 * team) & 15 > 1:
        return int64(-1)
    return filled(line, team)


@kernel(inline=True)
def _change(data: Ints, line: int, change: int) -> None:
    """Add to a line's word, and keep the tallies."""
    before = data[WINDOWS + line]
    after = before + change
    data[WINDOWS + line] = after
    for team in range(data[TEAMS]):
        data[TALLY + team] += _UNITS[1 + level_of(after, team)] - _UNITS[1 + level_of(before, team)]


@kernel
def put(data: Ints, cell: int, team: int, sign: int) -> None:
    """Place a team's chip on a square (sign 1) or take it away (-1)."""
    data[CHIPS + 2 * team + (cell >> 6)] ^= _ONE << (cell & 63)
    change = int64(sign) << 4 * team
    for i in range(_THROUGH[cell, 0]):
        _change(data, _THROUGH[cell, 1 + i], change)


@kernel
def lock(data: Ints, cell: int, team: int) -> None:
    """Make a team's chip on a square, if it has one there that is not locked, part of a sequence."""
    word, bit = 2 * team + (cell >> 6), _ONE << (cell & 63)
    if data[CHIPS + word] & bit == 0 or data[LOCKED + word] & bit:
        return
    data[LOCKED + word] |= bit
    for i in range(_THROUGH[cell, 0]):
        _change(data, _THROUGH[cell, 1 + i], _ONE << (_LOCK + 4 * team))
