"""Wins by continuous threats (VCT): fours, and threes whose every reply loses.

A three threatens to win by fours. What the defender may answer is found from that win: a reply elsewhere, that makes
no four itself, changes nothing in it. So the replies to try are the cells that the win uses, the cells through which
its forced replies could become fours of the defender, and the defender's own fours. That makes the proof exact.
"""

import numpy as np

from bromeliad.core.jit import Ints, int64, kernel, load_acquire
from bromeliad.games.gomoku.forbidden import is_forbidden
from bromeliad.games.gomoku.line_tables import STEPS, Tier
from bromeliad.games.gomoku.moves import is_legal, pass_turn, play, undo
from bromeliad.games.gomoku.proof.vcf import (
    CUTS,
    DEEPEST,
    FAILED,
    LEFT,
    LENGTH,
    PROVED,
    STOP,
    UNKNOWN,
    makes_four,
    next_best,
    prove_fours,
    recall,
    remember,
)
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
    WORDS,
    GomokuState,
    code_at,
    count_tier,
    next_in_tier,
)

__all__ = ["ATTACK", "DEFEND", "mark_zone", "prove_threats", "threatened_zone"]

ATTACK, DEFEND = 0, 1
_SALTS = np.array([0x1D8E4E27C47D124F, 0x6C62272E07BB0142])  # tell the entries of one table apart
_FOURS = 16  # depth of the wins by fours that a three may threaten
_STEP_ROWS = np.array([down for down, _ in STEPS])
_STEP_COLUMNS = np.array([right for _, right in STEPS])
_THREE = int(Shape.THREE)


@kernel(inline=True)
def _mark(zone: Ints, cell: int) -> None:
    zone[cell >> 6] |= int64(1) << (cell & 63)


@kernel
def _mark_lines(state: GomokuState, zone: Ints, cell: int, colour: int, least: int) -> None:
    """Mark the empty cells in line with a cell where a colour would make at least a shape there."""
    data = state.data
    code = code_at(data, cell, colour)
    reach = state.tables.geometry[cell]
    for direction in range(4):
        if code >> (4 * direction) & 15 >= least:
            step = _STEP_ROWS[direction] * data[SIZE] + _STEP_COLUMNS[direction]
            back = reach >> (8 * direction) & 15
            ahead = reach >> (8 * direction + 4) & 15
            for offset in range(-back, ahead + 1):
                if data[BOARD + cell + offset * step] == EMPTY:
                    _mark(zone, cell + offset * step)


@kernel
def _mark_tier(data: Ints, zone: Ints, colour: int, tier: int) -> None:
    cell = next_in_tier(data, colour, tier, 0)
    while cell >= 0:
        _mark(zone, cell)
        cell = next_in_tier(data, colour, tier, cell + 1)


@kernel
def mark_zone(state: GomokuState, zone: Ints, line: Ints, start: int, end: int) -> None:
    """Mark the cells in which the defender can disturb a win by fours, whose attacker is to move.

    ``line[start:end]`` is the win: moves and replies in turn.
    """
    data = state.data
    attacker = data[MOVER]
    for i in range(start, end):
        cell = line[i]
        _mark(zone, cell)
        if data[MOVER] != attacker:
            _mark_lines(state, zone, cell, 1 - attacker, _THREE)
        elif data[RULE] & RULE_OPEN_END:
            _mark_lines(state, zone, cell, attacker, _THREE)
        play(state, cell)
    if data[WINNER] == NOBODY:
        five = next_in_tier(data, attacker, Tier.FIVE, 0)
        while five >= 0:
            _mark(zone, five)
            if data[RULE] & (RULE_FORBIDDEN | RULE_OPEN_END):
                _mark_lines(state, zone, five, 1 - attacker, 0)
            five = next_in_tier(data, attacker, Tier.FIVE, five + 1)
    for i in range(end - 1, start - 1, -1):
        undo(state, line[i])


@kernel
def threatened_zone(state: GomokuState, zone: Ints, book: Ints, table: Ints, line: Ints, ply: int) -> int:
    """Find a win by fours of the opponent if the mover passed, and mark every reply that may stop it.

    Returns PROVED (there is such a threat), FAILED or UNKNOWN.
    """
    data = state.data
    defender = data[MOVER]
    pass_turn(state)
    result = prove_fours(state, int64(_FOURS), book, table, line, ply)
    if result == PROVED:
        for i in range(WORDS):
            zone[i] = 0
        mark_zone(state, zone, line, ply, book[LENGTH])
    pass_turn(state)
    if result == PROVED:
        for tier in (Tier.FOUR, Tier.WIN, Tier.SUSPECT):
            _mark_tier(data, zone, defender, tier)
    return result


@kernel
def _next_marked(zone: Ints, start: int) -> int:
    """Return the first marked cell from ``start`` on, -1 if there is none."""
    for cell in range(start, 64 * WORDS):
        if zone[cell >> 6] >> (cell & 63) & 1:
            return int64(cell)
    return int64(-1)


@kernel
def _next_threat(state: GomokuState, attacker: int, last: int, rank: int) -> tuple[int, int]:
    """Return the next move that makes a four or a three, and its rank; threes first. -1 if there is none."""
    data = state.data
    pressing = next_in_tier(data, 1 - attacker, Tier.FIVE, 0)
    if pressing >= 0:
        only = last < 0 and count_tier(data, 1 - attacker, Tier.FIVE) == 1 and is_legal(state, pressing)
        return pressing if only else int64(-1), rank
    if rank > 1 << 50:
        cell, found = next_best(state, attacker, Tier.THREE, rank - (1 << 50))
        if cell >= 0:
            return cell, found + (1 << 50)
        rank = int64(1 << 50)
    return next_best(state, attacker, Tier.FOUR, rank)


@kernel
def prove_threats(
    state: GomokuState, role: int, depth: int, book: Ints, table: Ints, line: Ints, zones: Ints, ply: int
) -> int:
    """Prove that the attacker wins by threats; return PROVED, FAILED or UNKNOWN.

    It calls itself with numbers of one type only: a second version of it, made for a constant, would make numba's cache
    crash.

    Parameters
    ----------
    role
        ATTACK: the mover attacks. DEFEND: the mover answers a three.
    depth
        Attacker's moves that are not the end of it.
    zones
        A row of marks for each ply.
    book, table, line, ply
        As for :func:`~bromeliad.games.gomoku.proof.vcf.prove_fours`.
    """
    if book[LEFT] <= 0 or load_acquire(book, STOP) != 0:
        return UNKNOWN
    data = state.data
    mover = data[MOVER]
    zone = zones[ply]
    result = FAILED
    if role == DEFEND:
        if count_tier(data, mover, Tier.FIVE) > 0:
            return FAILED
        result = threatened_zone(state, zone, book, table, line, ply)
        if result != PROVED:
            return result
    else:
        result = prove_fours(state, int64(_FOURS), book, table, line, ply)
        if result != FAILED or count_tier(data, 1 - mover, Tier.FIVE) > 1:
            return result
    key = data[KEY] ^ _SALTS[role]
    known = recall(table, key)
    if known >= depth or (depth == 0 and role == ATTACK):
        book[CUTS] += 0 if known == DEEPEST else 1
        return FAILED
    cuts = book[CUTS]
    if role == DEFEND:
        cell = _next_marked(zone, 0)
        while cell >= 0 and result == PROVED:
            if data[BOARD + cell] == EMPTY and is_legal(state, cell):
                line[ply] = cell
                play(state, cell)
                result = prove_threats(state, role - 1, depth, book, table, line, zones, ply + 1)
                undo(state, cell)
            cell = _next_marked(zone, cell + 1)
    else:
        cell, rank = _next_threat(state, mover, int64(-1), int64(1 << 51))
        while cell >= 0 and result == FAILED:
            book[LEFT] -= 1
            line[ply] = cell
            forcing = makes_four(state, cell, mover)
            play(state, cell)
            if not forcing:
                result = prove_threats(state, role + 1, depth - 1, book, table, line, zones, ply + 1)
            elif not data[RULE] & RULE_OPEN_END:
                reply = next_in_tier(data, mover, Tier.FIVE, 0)
                if not (mover != BLACK and is_forbidden(state, reply)):
                    line[ply + 1] = reply
                    play(state, reply)
                    if data[WINNER] == NOBODY:
                        result = prove_threats(state, role, depth - 1, book, table, line, zones, ply + 2)
                    undo(state, reply)
            undo(state, cell)
            if result == FAILED:
                cell, rank = _next_threat(state, mover, cell, rank)
    if result == FAILED:
        remember(table, key, depth if book[CUTS] > cuts else int64(DEEPEST))
    return result
