"""Scoring kernels: fouls, royalties, fantasyland and settlement of finished boards.

A finished board is scored into a small array (offsets: ``Scored``), and two scored boards are settled. The hot loops
of the solver call the small kernels directly.
"""

from typing import NamedTuple

import numpy as np

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.games.ofc.hands.automaton import (
    add_card,
    best_strength,
    natural_row,
    row_of_mask,
    row_place,
    strength_at_most,
)
from bromeliad.games.ofc.rules.rule_tables import ENTRY, ROYALTY, STAY, Flag, Tables, rule_tables


class _Scored(NamedTuple):
    """Offsets into the array of a scored board."""

    FOUL: int = 0
    STRENGTH: int = 1  # three entries: top, middle, back; 0 if a row has no legal strength
    ROYALTIES: int = 4  # of all rows, plus the fantasyland bonus if the rules pay one; 0 if fouled
    ROW_ROYALTIES: int = 5  # three entries
    NEXT_CARDS: int = 8  # fantasyland cards of the next hand, 0 for none
    MASK: int = 9  # three entries: the cards
    SIZE: int = 12


Scored = _Scored()


@kernel(inline=True)
def resolve_rows(tables: Tables, top: int, middle: int, back: int) -> tuple[bool, int, int, int]:
    """Return (fouled, top, middle, back): the strengths of full rows, with jokers as strong as possible without a foul.

    The back is resolved first, then the middle up to the strength of the back, then the top. Under rules where a joker
    may not copy an open card, call :func:`resolve_without_copies`.
    """
    hands = tables.hands
    back_strength = best_strength(hands, back)
    strict = tables.flags[Flag.STRICT]
    if tables.flags[Flag.LOW_MIDDLE]:
        middle_strength = int64(tables.low[row_place(middle)])
        top_strength = strength_at_most(hands, top, back_strength - strict)
        return middle_strength == 0 or top_strength == 0, top_strength, middle_strength, back_strength
    middle_strength = strength_at_most(hands, middle, back_strength - strict)
    top_strength = strength_at_most(hands, top, middle_strength - strict)
    return top_strength == 0, top_strength, middle_strength, back_strength


@kernel
def resolve_without_copies(tables: Tables, top: int, middle: int, back: int, seen: int) -> tuple[bool, int, int, int]:
    """Resolve rows as :func:`resolve_rows` does, under rules where a joker may not stand for a card in ``seen``.

    Tries every pair of cards for the jokers: as two jokers must be different cards, rows cannot be resolved singly.
    """
    hands = tables.hands
    best_top, best_middle, best_back = int64(0), int64(0), int64(0)
    n0, n1, n2 = natural_row(hands, top), natural_row(hands, middle), natural_row(hands, back)
    j0, j1, j2 = n0 != top, n1 != middle, n2 != back
    if not (j0 or j1 or j2):
        return resolve_rows(tables, top, middle, back)
    lone = int64(j0) + int64(j1) + int64(j2) == 1  # numpy bools would add up to a bool
    for first in range(DECK_SIZE):
        if seen >> first & 1:
            continue
        for second in range(DECK_SIZE + 1):  # the last round: no second joker
            if second < DECK_SIZE and (second == first or seen >> second & 1):
                continue
            r0, r1, r2 = n0, n1, n2
            if j2:
                r2 = add_card(hands, r2, first)
            elif j1:
                r1 = add_card(hands, r1, first)
            else:
                r0 = add_card(hands, r0, first)
            if second < DECK_SIZE:
                if lone and j2:
                    r2 = add_card(hands, r2, second)
                elif j1 and (lone or j2):
                    r1 = add_card(hands, r1, second)
                else:
                    r0 = add_card(hands, r0, second)
            fouled, s0, s1, s2 = resolve_rows(tables, r0, r1, r2)
            if not fouled and (s2, s1, s0) > (best_back, best_middle, best_top):
                best_top, best_middle, best_back = s0, s1, s2
    return best_top == 0, best_top, best_middle, best_back


@kernel(inline=True)
def board_royalties(tables: Tables, top: int, middle: int, back: int) -> int:
    """Return the royalties of an unfouled board with rows of these strengths."""
    return int64(tables.marks[ROYALTY, top]) + tables.marks[ROYALTY + 1, middle] + tables.marks[ROYALTY + 2, back]


@kernel(inline=True)
def next_fantasyland(tables: Tables, top: int, middle: int, back: int, current: int) -> int:
    """Return the fantasyland cards of the next hand after an unfouled board of these strengths, 0 for none.

    ``current`` is the number of fantasyland cards of this hand, 0 for a normal hand.
    """
    if tables.flags[Flag.BY_FIRST_STREET]:
        return int64(0)
    if current > 0:
        if tables.marks[STAY, top] or tables.marks[STAY + 1, middle] or tables.marks[STAY + 2, back]:
            return tables.flags[Flag.STAY_CARDS] if tables.flags[Flag.STAY_CARDS] else int64(current)
        return int64(0)
    by_top, by_middle, by_back = (
        tables.marks[ENTRY, top],
        tables.marks[ENTRY + 1, middle],
        tables.marks[ENTRY + 2, back],
    )
    rows = int64(by_top > 0) + int64(by_middle > 0) + int64(by_back > 0)
    if rows > 1 and tables.flags[Flag.ENTRY_BOTH]:
        return tables.flags[Flag.ENTRY_BOTH]
    return int64(max(by_top, by_middle, by_back))


@kernel(inline=True)
def is_reached(tables: Tables, current: int, cards: int) -> bool:
    """Return whether this unfouled hand enters fantasyland, by its first street or by its board."""
    return current > 0 if tables.flags[Flag.BY_FIRST_STREET] else cards > 0 and current == 0


@kernel
def score_board(
    tables: Tables, top_mask: int, middle_mask: int, back_mask: int, current: int, seen: int, out: Ints
) -> None:
    """Score a finished board, given as card masks, into ``out`` (offsets: ``Scored``).

    Parameters
    ----------
    current
        The number of fantasyland cards of this hand, 0 for a normal hand. Under rules where the first street decides,
        any other number means that fantasyland was reached.
    seen
        All open cards, which a joker may not copy if the rules forbid it.
    """
    hands = tables.hands
    rows = (row_of_mask(hands, top_mask), row_of_mask(hands, middle_mask), row_of_mask(hands, back_mask))
    score_rows(tables, rows, (top_mask, middle_mask, back_mask), current, seen, out)


@kernel
def score_rows(
    tables: Tables, rows: tuple[int, int, int], masks: tuple[int, int, int], current: int, seen: int, out: Ints
) -> None:
    """Score a finished board, given as automaton rows and as card masks, as :func:`score_board` does."""
    jokers = (masks[0] | masks[1] | masks[2]) >> DECK_SIZE
    if jokers and not tables.flags[Flag.MAY_COPY_SEEN]:
        fouled, top, middle, back = resolve_without_copies(tables, rows[0], rows[1], rows[2], seen)
    else:
        fouled, top, middle, back = resolve_rows(tables, rows[0], rows[1], rows[2])
    out[Scored.FOUL] = fouled
    out[Scored.STRENGTH], out[Scored.STRENGTH + 1], out[Scored.STRENGTH + 2] = top, middle, back
    out[Scored.MASK], out[Scored.MASK + 1], out[Scored.MASK + 2] = masks[0], masks[1], masks[2]
    out[Scored.ROW_ROYALTIES] = 0 if fouled else tables.marks[ROYALTY, top]
    out[Scored.ROW_ROYALTIES + 1] = 0 if fouled else tables.marks[ROYALTY + 1, middle]
    out[Scored.ROW_ROYALTIES + 2] = 0 if fouled else tables.marks[ROYALTY + 2, back]
    out[Scored.NEXT_CARDS] = 0 if fouled else next_fantasyland(tables, top, middle, back, current)
    reached = is_reached(tables, current, out[Scored.NEXT_CARDS])
    bonus = tables.flags[Flag.BONUS] if reached and not fouled else 0
    out[Scored.ROYALTIES] = 0 if fouled else board_royalties(tables, top, middle, back) + bonus


@kernel
def compare_suits(mine: int, theirs: int) -> int:
    """Return 1 if ``mine`` has the higher suits, -1 if ``theirs`` has, 0 for a tie; the rows have equal ranks.

    Cards of the most frequent rank are compared first, then those of higher ranks. In a wheel the ace is the lowest.
    """
    wheel = True
    for rank in (0, 1, 2, 3, 12):
        wheel = wheel and _rank_count(mine, rank) == 1
    for count in range(4, 0, -1):
        for place in range(13):
            rank = 12 - place
            if wheel:
                rank = 3 - place if place < 4 else 16 - place
            if _rank_count(mine, rank) != count:
                continue
            for suit in range(3, -1, -1):
                bit = suit * 13 + rank
                difference = (mine >> bit & 1) - (theirs >> bit & 1)
                if difference != 0:
                    return difference
    return 0


@kernel(inline=True)
def _rank_count(mask: int, rank: int) -> int:
    return (mask >> rank & 1) + (mask >> (rank + 13) & 1) + (mask >> (rank + 26) & 1) + (mask >> (rank + 39) & 1)


@kernel(inline=True)
def compare_rows(tables: Tables, mine: Ints, theirs: Ints, row: int) -> int:
    """Return 1 if ``mine`` wins a row, -1 if ``theirs`` does, 0 for a tie; both are scored, unfouled boards."""
    a, b = mine[Scored.STRENGTH + row], theirs[Scored.STRENGTH + row]
    if a != b:
        return 1 if a > b else -1
    if tables.flags[Flag.SUITS_BREAK_TIES]:
        return compare_suits(mine[Scored.MASK + row], theirs[Scored.MASK + row])
    return 0


@kernel(inline=True)
def is_scoop(tables: Tables, mine: Ints, theirs: Ints) -> bool:
    """Return whether ``mine`` scoops ``theirs``: it wins all three rows, or only ``theirs`` is fouled.

    :func:`settle` has the same rule, because it counts the rows while it writes their points: change both.
    """
    if mine[Scored.FOUL] or theirs[Scored.FOUL]:
        return mine[Scored.FOUL] == 0
    won = 0
    for row in range(3):
        won += compare_rows(tables, mine, theirs, row)
    return won == 3


@kernel
def settle(tables: Tables, mine: Ints, theirs: Ints, points: Ints) -> int:
    """Write the points of ``mine`` for each row and the scoop into ``points[0:4]``; return the total with royalties.

    A fouled board loses every row; two fouled boards settle at 0. The rule for scoops is also in :func:`is_scoop`.
    """
    for i in range(4):
        points[i] = 0
    if mine[Scored.FOUL] and theirs[Scored.FOUL]:
        return int64(0)
    won = 0
    for row in range(3):
        if mine[Scored.FOUL]:
            sign = -1
        elif theirs[Scored.FOUL]:
            sign = 1
        else:
            sign = compare_rows(tables, mine, theirs, row)
        points[row] = sign * tables.flags[Flag.ROW_POINTS + row]
        won += sign
    if won == 3 or won == -3:
        points[3] = won // 3 * tables.flags[Flag.SCOOP]
    total = points[0] + points[1] + points[2] + points[3]
    return int64(total + mine[Scored.ROYALTIES] - theirs[Scored.ROYALTIES])


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    tables = rule_tables(preset("ultimate"))
    out, points = np.zeros(Scored.SIZE, np.int64), np.zeros(4, np.int64)
    score_board(tables, 0b111, 0b11111 << 20, 0b11111 << 30, 0, 0, out)
    settle(tables, out, out, points)
