"""The state of a game of Sequence: one int64 array of bit-boards, card sets, and a word per line of five squares.

Chips are bits of two words per team. Sets of cards have at most two copies of a card: one mask for the first copies and
one for the second. The word of a line counts each team's chips and locked chips on it. A tally per team counts the
lines that the team can still fill, by the number of its chips on them, so that positions are valued quickly.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.rng import Rng, below
from bromeliad.games.sequence.board import CORNERS, LINES, geometry
from bromeliad.games.sequence.rules import MOST_PLAYERS, MOST_TEAMS, SequenceRules

# Places in the array. The rules:
PLAYERS, TEAMS, HAND_SIZE, GOAL, DECLARED, FLAGS, TURN_LIMIT, HEART, HEART_WORTH = range(9)  # DECLARED: face-up cards
# The game:
MOVER = 10  # a player
STEP = 11  # one of the steps below
TRADED = 12  # 1 if the mover has exchanged a dead card in this turn, or declined to
AGAIN = 13  # 1 while the mover replaces an exchanged card, after which the same player plays
WINNER = 14  # a team, NOBODY or DRAWN
TURNS = 15
PASSES = 16  # consecutive turns in which nothing could be played
LAST = 17  # the last action of a player, -1 before the first
EYES = 18  # the player whose opponents are modelled, -1: none
SEQUENCES = 20  # finished sequences: a word per team
CHIPS = 24  # two words per team
LOCKED = 30  # two words per team: chips in finished sequences
DECK = 36  # a multiset: two words
DRAFT = 38  # the face-up cards; a multiset, like those below
DISCARDS = 40
HANDS = 42  # four words per player: the hand, and the cards in it that were taken openly
TALLY = HANDS + 4 * MOST_PLAYERS  # a word per team: numbers of lines by level, LEVEL_WIDTH bits each
WINDOWS = TALLY + MOST_TEAMS  # a word per line
WEIGHTS = WINDOWS + len(LINES)  # values of chips and cards: see weights.py
WEIGHT_WORDS = 48
SIZE = WEIGHTS + WEIGHT_WORDS

# Steps: DEAL deals a card; PLAY plays or exchanges a card; PICK takes a face-up card; REFILL turns up another one; TAKE
# draws a card unseen.
DEAL, PLAY, PICK, REFILL, TAKE, OVER = range(6)

FLAG_COURSE, FLAG_FIRST, FLAG_RESHUFFLE, FLAG_COUNT = 1, 2, 4, 8
NOBODY, DRAWN = -1, -2
LEVEL_WIDTH = 10
LEVEL = (1 << LEVEL_WIDTH) - 1

_LOCK = 4 * MOST_TEAMS  # bits of a line's word: chips of each team, locked chips of each team, whether it has a corner
_CORNER = 2 * _LOCK
_CHIP_BITS = (1 << _LOCK) - 1
_UNITS = np.array([0] + [1 << LEVEL_WIDTH * level for level in range(6)])
_THROUGH = geometry.through
_ONE = int64(1)
_TRIES = 8  # attempts to hit a card of a multiset at random


class SequenceState(NamedTuple):
    """A position with all cards; the search draws hidden cards anew."""

    data: NDArray[np.int64]


def new_data(rules: SequenceRules, weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the array of a game before the deal."""
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
    """Return the number of set bits of a word."""
    word = word - ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56 & 0x7F


@kernel(inline=True)
def nth_bit(word: int, index: int) -> int:
    """Return the position of a set bit of a word; ``index`` counts set bits from 0 at the lowest."""
    for _ in range(index):
        word &= word - 1
    return lowest(word)


@kernel(inline=True)
def lowest(word: int) -> int:
    """Return the position of the lowest set bit of a nonzero word."""
    return count_bits((word & -word) - 1)


@kernel(inline=True)
def hand_at(player: int) -> int:
    """Return the place of a player's hand; the openly taken cards are two words further."""
    return HANDS + 4 * player


@kernel(inline=True)
def count_cards(data: Ints, at: int) -> int:
    """Return the size of a multiset of cards."""
    return count_bits(data[at]) + count_bits(data[at + 1])


@kernel(inline=True)
def has_card(data: Ints, at: int, card: int) -> bool:
    """Return whether a multiset holds a card."""
    return data[at] >> card & 1 == 1


@kernel(inline=True)
def add_card(data: Ints, at: int, card: int) -> None:
    """Add a card to a multiset."""
    bit = _ONE << card
    data[at + 1] |= data[at] & bit
    data[at] |= bit


@kernel(inline=True)
def remove_card(data: Ints, at: int, card: int) -> None:
    """Remove a card from a multiset that holds it."""
    bit = _ONE << card
    if data[at + 1] & bit:
        data[at + 1] &= ~bit
    else:
        data[at] &= ~bit


@kernel(inline=True)
def draw_card(data: Ints, at: int, rng: Rng) -> int:
    """Return a random card of a nonempty multiset, without removing it."""
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
    """Return whether a team has a chip (or a locked one) on a square; ``at`` is CHIPS or LOCKED."""
    return data[at + 2 * team + (cell >> 6)] >> (cell & 63) & 1 == 1


@kernel(inline=True)
def taken(data: Ints, word: int) -> int:
    """Return word 0 or 1 of the mask of squares with chips."""
    return data[CHIPS + word] | data[CHIPS + 2 + word] | data[CHIPS + 4 + word]


@kernel(inline=True)
def is_empty(data: Ints, cell: int) -> bool:
    """Return whether a square has no chip (corners are empty too)."""
    return taken(data, cell >> 6) >> (cell & 63) & 1 == 0


@kernel(inline=True)
def filled(line: int, team: int) -> int:
    """Return the number of a team's squares on a line, including corners; ``line`` is the line's word."""
    return (line >> 4 * team & 15) + (line >> _CORNER)


@kernel(inline=True)
def level_of(line: int, team: int) -> int:
    """Return the number of a team's squares on a line, including corners; -1 if the team cannot fill the line.

    A team with two locked chips on a line cannot make another sequence of it.
    """
    if line & (_CHIP_BITS ^ (15 << 4 * team)) or line >> (_LOCK + 4 * team) & 15 > 1:
        return int64(-1)
    return filled(line, team)


@kernel(inline=True)
def _change(data: Ints, line: int, change: int) -> None:
    """Change the word of a line, and update the tallies."""
    before = data[WINDOWS + line]
    after = before + change
    data[WINDOWS + line] = after
    for team in range(data[TEAMS]):
        data[TALLY + team] += _UNITS[1 + level_of(after, team)] - _UNITS[1 + level_of(before, team)]


@kernel(inline=False)
def put(data: Ints, cell: int, team: int, sign: int) -> None:
    """Place a team's chip on a square (``sign`` 1) or remove it (-1)."""
    data[CHIPS + 2 * team + (cell >> 6)] ^= _ONE << (cell & 63)
    change = int64(sign) << 4 * team
    for i in range(_THROUGH[cell, 0]):
        _change(data, _THROUGH[cell, 1 + i], change)


@kernel(inline=False)
def lock(data: Ints, cell: int, team: int) -> None:
    """Lock a team's chip on a square, if there is one that is not locked yet."""
    word, bit = 2 * team + (cell >> 6), _ONE << (cell & 63)
    if data[CHIPS + word] & bit == 0 or data[LOCKED + word] & bit:
        return
    data[LOCKED + word] |= bit
    for i in range(_THROUGH[cell, 0]):
        _change(data, _THROUGH[cell, 1 + i], _ONE << (_LOCK + 4 * team))
