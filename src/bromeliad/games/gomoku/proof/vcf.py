"""Wins by continuous fours (VCF): every move makes a four, so that the opponent has one reply, until one has none.

:func:`find_fours` is the quick question at a leaf of the search. :func:`prove_fours` is the exact one: it deepens
step by step, remembers what failed in a table, and writes down the line.
"""

import numpy as np

from bromeliad.core.jit import Ints, int64, kernel, load_acquire
from bromeliad.games.gomoku.forbidden import is_forbidden
from bromeliad.games.gomoku.line_tables import STEPS, Point, Tier
from bromeliad.games.gomoku.moves import play, undo
from bromeliad.games.gomoku.rules import BLACK
from bromeliad.games.gomoku.shapes import Shape
from bromeliad.games.gomoku.state import (
    BOARD,
    EMPTY,
    KEY,
    MOVER,
    NOBODY,
    RULE,
    RULE_FORBIDDEN,
    RULE_OPEN_END,
    SIZE,
    WINNER,
    GomokuState,
    code_at,
    count_tier,
    next_in_tier,
)

__all__ = [
    "CUTS",
    "DEEPEST",
    "FAILED",
    "LEFT",
    "LENGTH",
    "PROVED",
    "STOP",
    "UNKNOWN",
    "find_fours",
    "makes_four",
    "next_best",
    "prove_fours",
    "recall",
    "remember",
    "second_reply",
]

PROVED, FAILED, UNKNOWN = 1, 0, -1
DEEPEST = 1 << 20  # the depth of what failed without being cut short
# Places in the book of a proof:
LEFT = 0  # moves that may still be tried
LENGTH = 1  # of the line
CUTS = 2  # how often the depth was too small
STOP = 3  # set from outside to end it

_STEP_ROWS = np.array([down for down, _ in STEPS])
_STEP_COLUMNS = np.array([right for _, right in STEPS])
_FIVE = int(Shape.FIVE)
_SUSPECTS = 1 << 50  # ranks above it are of moves that cannot be forbidden; those are tried first


@kernel(inline=True)
def makes_four(state: GomokuState, cell: int, colour: int) -> bool:
    """Say whether a colour makes a four or better at an empty cell, and may."""
    row = (colour << 16) + code_at(state.data, cell, colour)
    if state.tables.points[row, Point.MAKES_FOUR] == 0:
        return False
    return not (colour == BLACK and is_forbidden(state, cell))


@kernel
def second_reply(state: GomokuState, five: int, attacker: int) -> int:
    """Return the cell beside the completing one that stops a four too (caro: the free end of a row), -1 if none."""
    data = state.data
    if not data[RULE] & RULE_OPEN_END:
        return int64(-1)
    found = int64(-1)
    rows = 0
    for direction in range(4):
        if code_at(data, five, attacker) >> (4 * direction) & 15 != _FIVE:
            continue
        rows += 1
        step = _STEP_ROWS[direction] * data[SIZE] + _STEP_COLUMNS[direction]
        closed = 0
        free = int64(-1)
        for way in range(2):
            room = state.tables.geometry[five] >> (8 * direction + 4 * way) & 15
            sign = 2 * way - 1
            length = 0
            while length < room and data[BOARD + five + sign * (length + 1) * step] == attacker + 1:
                length += 1
            if length < room:
                end = five + sign * (length + 1) * step
                if data[BOARD + end] == EMPTY:
                    free = end
                elif data[BOARD + end] == 2 - attacker:
                    closed += 1
        found = free if closed == 1 else int64(-1)
    return found if rows == 1 else int64(-1)


@kernel
def _is_beyond_reply(state: GomokuState, five: int, attacker: int) -> bool:
    """Say whether a four that was just made has no reply: two cells complete it, or black may not play on the one."""
    data = state.data
    if count_tier(data, attacker, Tier.FIVE) > 1 and not data[RULE] & RULE_OPEN_END:
        return True
    return attacker != BLACK and data[RULE] & RULE_FORBIDDEN and is_forbidden(state, five)


@kernel
def _fours(state: GomokuState, nodes: int) -> int:
    """Look for a win by fours; return -1 if there is one, else how many moves may still be tried.

    It calls itself, and may not do so through another kernel: what numba then finds in its cache crashes.
    """
    data = state.data
    attacker = data[MOVER]
    left = int64(nodes)
    pressing = count_tier(data, 1 - attacker, Tier.FIVE)
    if count_tier(data, attacker, Tier.FIVE) > 0 or (pressing == 0 and count_tier(data, attacker, Tier.WIN) > 0):
        return int64(-1)
    if pressing > 0:
        cell = next_in_tier(data, 1 - attacker, Tier.FIVE, 0)
        if pressing > 1 or not makes_four(state, cell, attacker):
            return left
    else:
        cell = next_in_tier(data, attacker, Tier.FOUR, 0)
    while cell >= 0 and left > 0:
        play(state, cell)
        five = next_in_tier(data, attacker, Tier.FIVE, 0)
        won = _is_beyond_reply(state, five, attacker)
        reply = int64(-1) if won else five
        left -= 1
        while reply >= 0:
            play(state, reply)
            rest = _fours(state, left) if data[WINNER] == NOBODY else left
            undo(state, reply)
            won = rest < 0
            left = left if won else rest
            reply = second_reply(state, five, attacker) if won and reply == five else int64(-1)
        undo(state, cell)
        if won:
            return int64(-1)
        cell = int64(-1) if pressing > 0 else next_in_tier(data, attacker, Tier.FOUR, cell + 1)
    return left


@kernel
def find_fours(state: GomokuState, nodes: int) -> bool:
    """Say whether the mover is seen to win by continuous fours, trying at most so many of them."""
    return _fours(state, nodes) < 0


@kernel(inline=True)
def _rank(state: GomokuState, cell: int, colour: int) -> int:
    """Return what moves are ordered by: their prior, then their cell; no two are equal."""
    row = (colour << 16) + code_at(state.data, cell, colour)
    return (int64(state.tables.points[row, Point.PRIOR_OWN]) << 10) + cell


@kernel
def next_best(state: GomokuState, colour: int, tier: int, below: int) -> tuple[int, int]:
    """Return the cell of a tier that is best of those ranked below a bound, and its rank; -1 if there is none."""
    data = state.data
    best = int64(-1)
    rank = int64(-(2**62))
    cell = next_in_tier(data, colour, tier, 0)
    while cell >= 0:
        own = _rank(state, cell, colour)
        if rank < own < below:
            best, rank = cell, own
        cell = next_in_tier(data, colour, tier, cell + 1)
    return best, rank


@kernel(inline=True)
def recall(table: Ints, key: int) -> int:
    """Return the depth to which a position is known to fail, -1 if it is not known."""
    slot = 2 * ((key ^ key >> 29) & (table.size // 2 - 1))
    return table[slot + 1] if table[slot] == key else int64(-1)


@kernel(inline=True)
def remember(table: Ints, key: int, depth: int) -> None:
    """Note that a position fails to a depth."""
    slot = 2 * ((key ^ key >> 29) & (table.size // 2 - 1))
    table[slot] = key
    table[slot + 1] = depth


@kernel
def _next_four(state: GomokuState, attacker: int, pressing: int, last: int, rank: int) -> tuple[int, int]:
    """Return the four to try after the one that was ``last`` (-1: the first), with its rank; -1 if there is none."""
    data = state.data
    if pressing > 0:
        cell = next_in_tier(data, 1 - attacker, Tier.FIVE, 0)
        return cell if last < 0 and makes_four(state, cell, attacker) else int64(-1), rank
    if rank > _SUSPECTS:
        cell, found = next_best(state, attacker, Tier.FOUR, rank - _SUSPECTS)
        if cell >= 0:
            return cell, found + _SUSPECTS
        rank = int64(_SUSPECTS)
    cell, found = next_best(state, attacker, Tier.SUSPECT, rank)
    while cell >= 0 and not makes_four(state, cell, attacker):
        cell, found = next_best(state, attacker, Tier.SUSPECT, found)
    return cell, found


@kernel
def prove_fours(state: GomokuState, depth: int, book: Ints, table: Ints, line: Ints, ply: int) -> int:
    """Prove that the mover wins by at most ``depth`` fours that are answered; return PROVED, FAILED or UNKNOWN.

    Parameters
    ----------
    book
        The counters named above.
    table
        Pairs of a key and the depth to which that position failed; a power of two of them.
    line
        Receives the moves from place ``ply`` on; the last of them makes five, or a four that cannot be answered.
    """
    if book[LEFT] <= 0 or load_acquire(book, STOP) != 0:
        return UNKNOWN
    data = state.data
    attacker = data[MOVER]
    winning = next_in_tier(data, attacker, Tier.FIVE, 0)
    pressing = count_tier(data, 1 - attacker, Tier.FIVE)
    if winning < 0 and pressing == 0:
        winning = next_in_tier(data, attacker, Tier.WIN, 0)
    if winning >= 0:
        line[ply] = winning
        book[LENGTH] = ply + 1
        return PROVED
    if pressing > 1:
        return FAILED
    known = recall(table, data[KEY])
    if known >= depth or depth == 0:
        book[CUTS] += 0 if known == DEEPEST else 1
        return FAILED
    cuts = book[CUTS]
    result = FAILED
    cell, rank = _next_four(state, attacker, pressing, int64(-1), int64(2 * _SUSPECTS))
    while cell >= 0 and result == FAILED:
        book[LEFT] -= 1
        line[ply] = cell
        play(state, cell)
        five = next_in_tier(data, attacker, Tier.FIVE, 0)
        reply = five
        if _is_beyond_reply(state, five, attacker):
            result = PROVED
            book[LENGTH] = ply + 1
            reply = int64(-1)
        while reply >= 0:
            line[ply + 1] = reply
            play(state, reply)
            result = FAILED
            if data[WINNER] == NOBODY:
                result = prove_fours(state, depth - 1, book, table, line, ply + 2)
            undo(state, reply)
            reply = second_reply(state, five, attacker) if result == PROVED and reply == five else int64(-1)
        undo(state, cell)
        if result == FAILED:
            cell, rank = _next_four(state, attacker, pressing, cell, rank)
    if result == FAILED:
        remember(table, data[KEY], depth if book[CUTS] > cuts else int64(DEEPEST))
    return result
