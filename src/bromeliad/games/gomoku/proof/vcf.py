"""Wins by continuous fours (VCF): every move makes a four with only one reply, until one has none.

:func:`find_fours` is the quick check at a leaf of the search. :func:`prove_fours` is exact: it is called with growing
depth, stores failed positions in a table, and writes the winning line.
"""

import bromeliad.games.gomoku.state as at
from bromeliad.core.jit import Ints, int64, kernel, load_acquire
from bromeliad.games.gomoku.line_tables import Point, Tier
from bromeliad.games.gomoku.moves import is_forbidden, play, undo
from bromeliad.games.gomoku.rules import BLACK
from bromeliad.games.gomoku.shapes import Shape
from bromeliad.games.gomoku.state import GomokuState, code_at, count_tier, next_in_tier, step_along

PROVED, FAILED, UNKNOWN = 1, 0, -1
_DEEPEST = 1 << 20  # stored for a position that fails at any depth
# Places in the counters of a proof:
LEFT = 0  # moves that may still be tried
LENGTH = 1  # of the line
CUTS = 2  # how often the search was cut short, for example at the depth limit
STOP = 3  # set by another thread to end the proof

_FIVE = int(Shape.FIVE)
_SUSPECTS = 1 << 50  # added to the ranks of moves that cannot be forbidden, so that they are tried first


@kernel(inline=True)
def _makes_four(state: GomokuState, cell: int, colour: int) -> bool:
    """Return whether a colour can legally make a four or better at an empty cell."""
    row = (colour << 16) + code_at(state.data, cell, colour)
    if state.tables.points[row, Point.MAKES_FOUR] == 0:
        return False
    return not (colour == BLACK and is_forbidden(state, cell))


@kernel
def _second_reply(state: GomokuState, five: int, attacker: int) -> int:
    """Return the other cell that stops a four (in caro, the free end of the row), -1 if there is none."""
    data = state.data
    if not data[at.RULE] & at.RULE_OPEN_END:
        return int64(-1)
    found = int64(-1)
    rows = 0
    for direction in range(4):
        if code_at(data, five, attacker) >> (4 * direction) & 15 != _FIVE:
            continue
        rows += 1
        step = step_along(data, direction)
        closed = 0
        free = int64(-1)
        for side in range(2):
            margin = state.tables.geometry[five] >> (8 * direction + 4 * side) & 15
            sign = 2 * side - 1
            length = 0
            while length < margin and data[at.BOARD + five + sign * (length + 1) * step] == attacker + 1:
                length += 1
            if length < margin:
                end = five + sign * (length + 1) * step
                if data[at.BOARD + end] == at.EMPTY:
                    free = end
                elif data[at.BOARD + end] == 2 - attacker:
                    closed += 1
        found = free if closed == 1 else int64(-1)
    return found if rows == 1 else int64(-1)


@kernel
def is_beyond_reply(state: GomokuState, five: int, attacker: int) -> bool:
    """Return whether no reply stops a new four: two cells complete it, or the only one is forbidden to black."""
    data = state.data
    if count_tier(data, attacker, Tier.FIVE) > 1 and not data[at.RULE] & at.RULE_OPEN_END:
        return True
    return attacker != BLACK and data[at.RULE] & at.RULE_FORBIDDEN and is_forbidden(state, five)


@kernel
def _fours(state: GomokuState, nodes: int) -> int:
    """Look for a win by fours; return -1 if there is one, else the number of moves that may still be tried.

    The function calls itself directly: recursion through another kernel crashes when numba loads it from the cache.
    """
    data = state.data
    attacker = data[at.MOVER]
    left = int64(nodes)
    pressing = count_tier(data, 1 - attacker, Tier.FIVE)
    if count_tier(data, attacker, Tier.FIVE) > 0 or (pressing == 0 and count_tier(data, attacker, Tier.WIN) > 0):
        return int64(-1)
    if pressing > 0:
        cell = next_in_tier(data, 1 - attacker, Tier.FIVE, 0)
        if pressing > 1 or not _makes_four(state, cell, attacker):
            return left
    else:
        cell = next_in_tier(data, attacker, Tier.FOUR, 0)
    while cell >= 0 and left > 0:
        play(state, cell)
        five = next_in_tier(data, attacker, Tier.FIVE, 0)
        won = is_beyond_reply(state, five, attacker)
        reply = int64(-1) if won else five
        left -= 1
        while reply >= 0:
            play(state, reply)
            rest = _fours(state, left) if data[at.WINNER] == at.NOBODY else left
            undo(state, reply)
            won = rest < 0
            left = left if won else rest
            reply = _second_reply(state, five, attacker) if won and reply == five else int64(-1)
        undo(state, cell)
        if won:
            return int64(-1)
        cell = int64(-1) if pressing > 0 else next_in_tier(data, attacker, Tier.FOUR, cell + 1)
    return left


@kernel
def find_fours(state: GomokuState, nodes: int) -> bool:
    """Return whether the mover has a win by continuous fours that is found by trying at most ``nodes`` moves."""
    return _fours(state, nodes) < 0


@kernel(inline=True)
def _rank(state: GomokuState, cell: int, colour: int) -> int:
    """Return the rank of a move, by its prior and then its cell; ranks are unique."""
    row = (colour << 16) + code_at(state.data, cell, colour)
    return (int64(state.tables.points[row, Point.PRIOR_OWN]) << 10) + cell


@kernel
def _next_best(state: GomokuState, colour: int, tier: int, below: int) -> tuple[int, int]:
    """Return the best cell of a tier that ranks below a bound, and its rank; -1 if there is none."""
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
def _recall(table: Ints, key: int) -> int:
    """Return the depth to which a position is known to fail, -1 if unknown."""
    slot = 2 * ((key ^ key >> 29) & (table.size // 2 - 1))
    return table[slot + 1] if table[slot] == key else int64(-1)


@kernel(inline=True)
def _remember(table: Ints, key: int, depth: int) -> None:
    """Store that a position fails to a depth."""
    slot = 2 * ((key ^ key >> 29) & (table.size // 2 - 1))
    table[slot] = key
    table[slot + 1] = depth


@kernel
def _next_four(state: GomokuState, attacker: int, pressing: int, last: int, rank: int) -> tuple[int, int]:
    """Return the four to try after ``last`` (-1: the first), and its rank; -1 if there is none."""
    data = state.data
    if pressing > 0:
        cell = next_in_tier(data, 1 - attacker, Tier.FIVE, 0)
        return cell if last < 0 and _makes_four(state, cell, attacker) else int64(-1), rank
    if rank > _SUSPECTS:
        cell, found = _next_best(state, attacker, Tier.FOUR, rank - _SUSPECTS)
        if cell >= 0:
            return cell, found + _SUSPECTS
        rank = int64(_SUSPECTS)
    cell, found = _next_best(state, attacker, Tier.SUSPECT, rank)
    while cell >= 0 and not _makes_four(state, cell, attacker):
        cell, found = _next_best(state, attacker, Tier.SUSPECT, found)
    return cell, found


@kernel(inline=True)
def is_halted(counters: Ints) -> bool:
    """Return whether a proof has used up its moves or was stopped."""
    return counters[LEFT] <= 0 or load_acquire(counters, STOP) != 0


@kernel
def prove_fours(state: GomokuState, depth: int, counters: Ints, table: Ints, line: Ints, ply: int) -> int:
    """Try to prove that the mover wins within ``depth`` answered fours; return PROVED, FAILED or UNKNOWN.

    ``counters`` has the places LEFT, LENGTH, CUTS and STOP. ``table`` has pairs of a key and the depth to which that
    position fails; their number is a power of two. ``line`` receives the moves from index ``ply`` on; the last one
    makes five, or a four without a reply.
    """
    if is_halted(counters):
        return UNKNOWN
    data = state.data
    attacker = data[at.MOVER]
    winning = next_in_tier(data, attacker, Tier.FIVE, 0)
    pressing = count_tier(data, 1 - attacker, Tier.FIVE)
    if winning < 0 and pressing == 0:
        winning = next_in_tier(data, attacker, Tier.WIN, 0)
    if winning >= 0:
        line[ply] = winning
        counters[LENGTH] = ply + 1
        return PROVED
    if pressing > 1:
        return FAILED
    known = _recall(table, data[at.KEY])
    if known >= depth or depth == 0:
        counters[CUTS] += 0 if known == _DEEPEST else 1
        return FAILED
    cuts = counters[CUTS]
    result = FAILED
    cell, rank = _next_four(state, attacker, pressing, int64(-1), int64(2 * _SUSPECTS))
    while cell >= 0 and result == FAILED:
        counters[LEFT] -= 1
        line[ply] = cell
        play(state, cell)
        five = next_in_tier(data, attacker, Tier.FIVE, 0)
        reply = five
        if is_beyond_reply(state, five, attacker):
            result = PROVED
            counters[LENGTH] = ply + 1
            reply = int64(-1)
        while reply >= 0:
            line[ply + 1] = reply
            play(state, reply)
            result = FAILED
            if data[at.WINNER] == at.NOBODY:
                result = prove_fours(state, depth - 1, counters, table, line, ply + 2)
            undo(state, reply)
            reply = _second_reply(state, five, attacker) if result == PROVED and reply == five else int64(-1)
        undo(state, cell)
        if result == FAILED:
            cell, rank = _next_four(state, attacker, pressing, cell, rank)
    if result == FAILED:
        _remember(table, data[at.KEY], depth if counters[CUTS] > cuts else int64(_DEEPEST))
    return result
