"""Wins by continuous threats (VCT): fours, and threes to which every reply loses.

A three threatens to win by fours. The threatened win shows which replies can stop it: a reply elsewhere that makes no
four does not affect it. So it is enough to try the cells of the win, the cells that could turn its forced replies into
fours of the defender, and the defender's own fours. A reply must stop every win that is threatened, so the cells of
several wins are intersected. No other reply can help, so a proved win is certain.

The search is depth-first proof-number search (Nagai, "Df-pn algorithm for searching AND/OR trees and its applications",
2002). The proof number of a position is a lower bound on the number of positions that must still be proved to prove
the win; the disproof number is the same for a refutation. The search always goes to the position that is cheapest to
decide. It plays and takes back moves on one state, keeps its frames in arrays, and stores its results in a table.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import bromeliad.games.gomoku.state as at
from bromeliad.core.jit import Ints, int64, kernel, load_acquire
from bromeliad.games.gomoku.line_tables import Point, Tier
from bromeliad.games.gomoku.moves import TURN, is_legal, pass_turn, play, undo
from bromeliad.games.gomoku.proof.vcf import (
    CUTS,
    FAILED,
    LEFT,
    LENGTH,
    PROVED,
    STOP,
    UNKNOWN,
    find_fours,
    is_beyond_reply,
    is_halted,
    prove_fours,
)
from bromeliad.games.gomoku.shapes import Shape
from bromeliad.games.gomoku.state import GomokuState, code_at, count_tier, lowest_bit, next_in_tier, step_along

ATTACK, DEFEND = 0, 1
_SALTS = np.array([0x1D8E4E27C47D124F, 0x6C62272E07BB0142])  # keep attack and defence apart in the table
_FOURS = 16  # maximum depth of the win by fours that a move without a three threatens
_THREE = int(Shape.THREE)
_INFINITE = 1 << 30  # a proof or disproof number that cannot be reached
_LOOK = 12  # maximum number of moves that the first look at an attack tries to find a win by fours
FAILING, HALTED = int64(-1), int64(-2)  # returned instead of a number of replies
_GLANCE = 200  # maximum number of moves to find out whether a move without a three threatens anything

# Words of an entry of the table; the number of entries is a power of two, four of them share a bucket:
ENTRY = 4
_KEY, _NUMBERS, _NOTE, _EFFORT = range(ENTRY)
# Numbers: proof << 32 | disproof. Note: stones << 20 | plies << 10 | cell + 1, and this bit if the refutation left out
# moves:
_PARTIAL = 1 << 9
_BUCKET = 4

# Rows of a frame, a column per child:
_CELL, _PROOF, _DISPROOF, _PLIES = range(4)
FRAME_ROWS = 4
# Places in the head of a frame:
_COUNT, _ROLE, _MOST_PROOF, _MOST_DISPROOF, _CHOSEN, _START, _CUTS, _OWN_KEY = range(8)
HEAD = 8


class ThreatScratch(NamedTuple):
    """The scratch of a proof; the table is kept from one proof to the next."""

    table: NDArray[np.int64]  # entries of ENTRY words
    fours: NDArray[np.int64]  # the table of :func:`~bromeliad.games.gomoku.proof.vcf.prove_fours`
    frames: NDArray[np.int64]  # plies × FRAME_ROWS × children
    heads: NDArray[np.int64]  # plies × HEAD
    zones: NDArray[np.int64]  # two rows of marked cells
    line: NDArray[np.int64]


# --- replies ---------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def _mark(zone: Ints, cell: int) -> None:
    zone[cell >> 6] |= int64(1) << (cell & 63)


@kernel
def _mark_lines(state: GomokuState, zone: Ints, cell: int, colour: int, least: int) -> None:
    """Mark the empty cells of the lines through a cell in which a colour would make at least the shape ``least``."""
    data = state.data
    code = code_at(data, cell, colour)
    margins = state.tables.geometry[cell]
    for direction in range(4):
        if code >> (4 * direction) & 15 >= least:
            step = step_along(data, direction)
            back = margins >> (8 * direction) & 15
            ahead = margins >> (8 * direction + 4) & 15
            for offset in range(-back, ahead + 1):
                if data[at.BOARD + cell + offset * step] == at.EMPTY:
                    _mark(zone, cell + offset * step)


@kernel
def _mark_tier(data: Ints, zone: Ints, colour: int, tier: int) -> None:
    cell = next_in_tier(data, colour, tier, 0)
    while cell >= 0:
        _mark(zone, cell)
        cell = next_in_tier(data, colour, tier, cell + 1)


@kernel
def _mark_zone(state: GomokuState, zone: Ints, line: Ints, end: int) -> None:
    """Mark the cells where the defender can interfere with a win by fours; the attacker is to move.

    ``line[:end]`` is the win: moves and replies in turn.
    """
    data = state.data
    attacker = data[at.MOVER]
    for i in range(at.WORDS):
        zone[i] = 0
    for i in range(end):
        cell = line[i]
        _mark(zone, cell)
        if data[at.MOVER] != attacker:
            _mark_lines(state, zone, cell, 1 - attacker, _THREE)
        elif data[at.RULE] & at.RULE_OPEN_END:
            _mark_lines(state, zone, cell, attacker, _THREE)
        play(state, cell)
    if data[at.WINNER] == at.NOBODY:
        five = next_in_tier(data, attacker, Tier.FIVE, 0)
        while five >= 0:
            _mark(zone, five)
            if data[at.RULE] & (at.RULE_FORBIDDEN | at.RULE_OPEN_END):
                _mark_lines(state, zone, five, 1 - attacker, 0)
            five = next_in_tier(data, attacker, Tier.FIVE, five + 1)
    for i in range(end - 1, -1, -1):
        undo(state, line[i])


@kernel
def threatened_zone(state: GomokuState, zone: Ints, scratch: ThreatScratch, counters: Ints) -> int:
    """Look for a win by fours that the opponent has if the mover passes, and mark every reply that may stop it.

    Returns PROVED (there is such a threat), FAILED or UNKNOWN.
    """
    data = state.data
    defender = data[at.MOVER]
    pass_turn(state)
    result = prove_fours(state, int64(_FOURS), counters, scratch.fours, scratch.line, int64(0))
    if result == PROVED:
        _mark_zone(state, zone, scratch.line, counters[LENGTH])
    pass_turn(state)
    if result == PROVED:
        for tier in (Tier.FOUR, Tier.WIN, Tier.SUSPECT):
            _mark_tier(data, zone, defender, tier)
    return result


@kernel
def _open_fours_zone(state: GomokuState, zone: Ints, scratch: ThreatScratch) -> None:
    """Mark the replies that may stop every open four or pair of fours that the opponent threatens to make."""
    data = state.data
    attacker = 1 - data[at.MOVER]
    for i in range(at.WORDS):
        zone[i] = -1
    pass_turn(state)
    cell = next_in_tier(data, attacker, Tier.WIN, 0)
    while cell >= 0:
        scratch.line[0] = cell
        _mark_zone(state, scratch.zones[1], scratch.line, 1)
        for i in range(at.WORDS):
            zone[i] &= scratch.zones[1, i]
        cell = next_in_tier(data, attacker, Tier.WIN, cell + 1)
    pass_turn(state)
    for tier in (Tier.FOUR, Tier.SUSPECT):
        _mark_tier(data, zone, 1 - attacker, tier)


@kernel
def list_replies(state: GomokuState, cells: Ints, scratch: ThreatScratch, counters: Ints) -> int:
    """List the replies to an attacking move that may stop it; return their number.

    Returns FAILING if the attack has failed, HALTED if the proof was stopped before that was known.
    """
    data = state.data
    defender = data[at.MOVER]
    attacker = 1 - defender
    if count_tier(data, defender, Tier.FIVE) > 0:
        return FAILING
    five = next_in_tier(data, attacker, Tier.FIVE, 0)
    if five >= 0:
        if data[at.RULE] & at.RULE_OPEN_END:
            counters[CUTS] += 1
            return FAILING
        cells[0] = five
        return int64(0) if is_beyond_reply(state, five, attacker) else int64(1)
    if count_tier(data, defender, Tier.WIN) > 0:
        return FAILING
    zone = scratch.zones[0]
    if count_tier(data, attacker, Tier.WIN) > 0:
        _open_fours_zone(state, zone, scratch)
    else:
        left, cuts = counters[LEFT], counters[CUTS]
        counters[LEFT] = _GLANCE
        result = threatened_zone(state, zone, scratch, counters)
        counters[LEFT] += left - _GLANCE
        if result == UNKNOWN and load_acquire(counters, STOP) != 0:
            return HALTED
        counters[CUTS] = cuts + int64(result == UNKNOWN)
        if result != PROVED:
            return FAILING
    count = 0
    for i in range(at.WORDS):
        word = zone[i]
        while word != 0:
            cell = int64((i << 6) + lowest_bit(word))
            word &= word - 1
            if data[at.BOARD + cell] == at.EMPTY and is_legal(state, cell):
                cells[count] = cell
                count += 1
    return int64(count)


# --- the table -------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def _bucket(table: Ints, key: int) -> int:
    return ENTRY * ((key ^ key >> 29) & (table.size // ENTRY - 1) & -_BUCKET)


@kernel
def role_key(state: GomokuState, role: int) -> int:
    """Return the table key of a position in which the mover attacks or defends."""
    return state.data[at.KEY] ^ _SALTS[role]


@kernel
def find_entry(table: Ints, key: int) -> int:
    """Return the place of a position's entry, -1 if it has none."""
    first = _bucket(table, key)
    for place in range(first, first + ENTRY * _BUCKET, ENTRY):
        if table[place + _KEY] == key:
            return int64(place)
    return int64(-1)


@kernel(inline=True)
def entry_plies(table: Ints, place: int) -> int:
    """Return the plies of the win that an entry proves, -1 if it proves none."""
    return table[place + _NOTE] >> 10 & 1023 if table[place + _NUMBERS] >> 32 == 0 else int64(-1)


@kernel(inline=True)
def entry_cell(table: Ints, place: int) -> int:
    """Return the winning move of an entry that proves an attack, -1 if a first look found the win."""
    return (table[place + _NOTE] & (_PARTIAL - 1)) - 1


@kernel
def _store(
    table: Ints,
    key: int,
    proof: int,
    disproof: int,
    plies: int,
    cell: int,
    partial: bool,
    effort: int,
    data: Ints,
    oldest: int,
) -> None:
    """Store the results of a position, in place of the entry of its bucket that cost the least effort.

    Entries with fewer than ``oldest`` stones cannot be reached any more, so they are replaced first.
    """
    first = _bucket(table, key)
    place = int64(first)
    least = int64(1 << 62)
    for other in range(first, first + ENTRY * _BUCKET, ENTRY):
        worth = table[other + _EFFORT]
        if table[other + _KEY] == key:
            worth = int64(-2)
        elif table[other + _KEY] == 0 or table[other + _NOTE] >> 20 < oldest:
            worth = int64(-1)
        if worth < least:
            place, least = int64(other), worth
    table[place + _KEY] = key
    table[place + _NUMBERS] = proof << 32 | disproof
    table[place + _NOTE] = data[at.STONES] << 20 | min(plies, 1023) << 10 | _PARTIAL * int64(partial) | (cell + 1)
    table[place + _EFFORT] = effort + (table[place + _EFFORT] if least == -2 else 0)


# --- the search ------------------------------------------------------------------------------------------------------


@kernel
def _look_at_attack(state: GomokuState) -> tuple[int, int, int]:
    """Return the initial proof and disproof numbers of a position where the mover attacks, and the plies of a win."""
    data = state.data
    attacker = data[at.MOVER]
    if count_tier(data, attacker, Tier.FIVE) > 0:
        return int64(0), int64(_INFINITE), int64(1)
    pressing = count_tier(data, 1 - attacker, Tier.FIVE)
    if pressing > 1:
        return int64(_INFINITE), int64(0), int64(0)
    if pressing == 0 and count_tier(data, attacker, Tier.WIN) > 0:
        return int64(0), int64(_INFINITE), int64(3)
    threats = count_tier(data, attacker, Tier.THREE) + count_tier(data, attacker, Tier.FOUR)
    if find_fours(state, int64(_LOOK)):
        return int64(0), int64(_INFINITE), int64(5)
    if pressing > 0:
        return int64(1), int64(1), int64(0)
    if threats == 0:
        return int64(_INFINITE), int64(0), int64(0)
    return int64(1), threats, int64(0)


@kernel
def _look_at_defence(state: GomokuState, cells: Ints, scratch: ThreatScratch, counters: Ints) -> tuple[int, int, int]:
    """Return the same as :func:`_look_at_attack` for a position where the mover answers an attack."""
    count = list_replies(state, cells, scratch, counters)
    if count == HALTED:
        return int64(1), int64(1), int64(0)
    if count == FAILING:
        return int64(_INFINITE), int64(0), int64(0)
    if count == 0:
        return int64(0), int64(_INFINITE), int64(4)
    if count > 1:
        return count, int64(1), int64(0)
    reply = cells[0]
    play(state, reply)
    proof, disproof, plies = int64(_INFINITE), int64(0), int64(0)
    if state.data[at.WINNER] == at.NOBODY:
        proof, disproof, plies = _look_at_attack(state)
    undo(state, reply)
    return proof, disproof, plies + 1


@kernel
def _list_threats(state: GomokuState, cells: Ints, scores: Ints) -> int:
    """List the attacking moves, most promising first; return their number."""
    data = state.data
    attacker = data[at.MOVER]
    pressing = next_in_tier(data, 1 - attacker, Tier.FIVE, 0)
    if pressing >= 0:
        cells[0] = pressing
        return int64(count_tier(data, 1 - attacker, Tier.FIVE) == 1 and is_legal(state, pressing))
    count = 0
    for tier in (Tier.THREE, Tier.FOUR):
        if tier == Tier.FOUR and data[at.RULE] & at.RULE_OPEN_END:
            break
        cell = next_in_tier(data, attacker, tier, 0)
        while cell >= 0:
            score = int64(state.tables.points[(attacker << 16) + code_at(data, cell, attacker), Point.PRIOR_OWN])
            i = count
            while i > 0 and scores[i - 1] < score:
                cells[i], scores[i] = cells[i - 1], scores[i - 1]
                i -= 1
            cells[i], scores[i] = cell, score
            count += 1
            cell = next_in_tier(data, attacker, tier, cell + 1)
    return int64(count)


@kernel
def _open(state: GomokuState, ply: int, role: int, scratch: ThreatScratch, counters: Ints, oldest: int) -> None:
    """Set up the frame of a position: its moves, and the known results of the positions after them."""
    data = state.data
    frame, head, table = scratch.frames[ply], scratch.heads[ply], scratch.table
    head[_ROLE], head[_START], head[_CUTS] = role, counters[LEFT], counters[CUTS]
    head[_OWN_KEY] = data[at.KEY] ^ _SALTS[role]
    if role == ATTACK:
        count = _list_threats(state, frame[_CELL], frame[_PROOF])
    else:
        count = list_replies(state, frame[_CELL], scratch, counters)
        if count < 0:
            head[_COUNT] = 1
            frame[_PROOF, 0] = 1 if count == HALTED else _INFINITE
            frame[_DISPROOF, 0] = 1 if count == HALTED else 0
            return
    head[_COUNT] = count
    words = state.tables.geometry
    offset = data[at.SIZE] * data[at.SIZE] * (data[at.MOVER] + 1)
    for i in range(count):
        cell = frame[_CELL, i]
        key = data[at.KEY] ^ words[offset + cell] ^ TURN ^ _SALTS[1 - role]
        place = find_entry(table, key)
        if place >= 0:
            frame[_PROOF, i] = table[place + _NUMBERS] >> 32
            frame[_DISPROOF, i] = table[place + _NUMBERS] & 0xFFFFFFFF
            frame[_PLIES, i] = table[place + _NOTE] >> 10 & 1023
            counters[CUTS] += int64(table[place + _NOTE] & _PARTIAL != 0)
            continue
        if is_halted(counters):
            frame[_PROOF, i] = frame[_DISPROOF, i] = 1
            continue
        counters[LEFT] -= 1
        cuts = counters[CUTS]
        play(state, cell)
        proof, disproof, plies = int64(_INFINITE), int64(0), int64(0)
        if data[at.WINNER] == at.NOBODY:
            if role == ATTACK:
                proof, disproof, plies = _look_at_defence(state, scratch.frames[ply + 1, _CELL], scratch, counters)
            else:
                proof, disproof, plies = _look_at_attack(state)
        _store(table, key, proof, disproof, plies, int64(-1), counters[CUTS] > cuts, int64(1), data, oldest)
        undo(state, cell)
        frame[_PROOF, i], frame[_DISPROOF, i], frame[_PLIES, i] = proof, disproof, plies
        if (role == ATTACK and proof == 0) or (role == DEFEND and disproof == 0):
            head[_COUNT] = i + 1
            return


@kernel
def _sum_up(frame: Ints, count: int, easy: int, hard: int) -> tuple[int, int, int, int]:
    """Return the least ``easy`` number, the sum of the ``hard`` ones, the child with the least, the second least."""
    least, second = int64(_INFINITE), int64(_INFINITE)
    best = int64(0)
    total = int64(0)
    for i in range(count):
        value = frame[easy, i]
        if value < least:
            least, second, best = value, least, int64(i)
        elif value < second:
            second = value
        total += frame[hard, i]
    return least, min(total, int64(_INFINITE)), best, second


@kernel
def prove_threats(state: GomokuState, scratch: ThreatScratch, counters: Ints) -> int:
    """Try to prove that the mover wins by threats; return PROVED, FAILED or UNKNOWN.

    The winning moves are in the table afterwards. ``counters`` has the places of
    :func:`~bromeliad.games.gomoku.proof.vcf.prove_fours`. If CUTS, which counts omissions, is 0, FAILED means that
    there is no such win; but fours in caro and moves that renju may forbid are omitted and not counted.
    """
    data = state.data
    oldest = data[at.STONES]
    frames, heads = scratch.frames, scratch.heads
    ply = int64(0)
    if is_halted(counters):
        return UNKNOWN
    known, refuted, _ = _look_at_attack(state)
    if known == 0 or refuted == 0:
        return PROVED if known == 0 else FAILED
    heads[0, _MOST_PROOF] = heads[0, _MOST_DISPROOF] = _INFINITE
    _open(state, ply, int64(ATTACK), scratch, counters, oldest)
    while True:
        frame, head = frames[ply], heads[ply]
        easy, hard = (_PROOF, _DISPROOF) if head[_ROLE] == ATTACK else (_DISPROOF, _PROOF)
        least, total, best, second = _sum_up(frame, head[_COUNT], easy, hard)
        proof, disproof = (least, total) if head[_ROLE] == ATTACK else (total, least)
        halted = is_halted(counters)
        if halted or proof == 0 or disproof == 0 or proof >= head[_MOST_PROOF] or disproof >= head[_MOST_DISPROOF]:
            plies = int64(0)
            if proof == 0:
                for i in range(head[_COUNT]):
                    if head[_ROLE] == DEFEND or i == best:
                        plies = max(plies, frame[_PLIES, i] + 1)
            effort = head[_START] - counters[LEFT] + 1
            cell = frame[_CELL, best] if head[_ROLE] == ATTACK else int64(-1)
            partial = counters[CUTS] > head[_CUTS]
            _store(scratch.table, head[_OWN_KEY], proof, disproof, plies, cell, partial, effort, data, oldest)
            if ply == 0:
                return PROVED if proof == 0 else FAILED if disproof == 0 else UNKNOWN
            ply -= 1
            chosen = heads[ply, _CHOSEN]
            undo(state, frames[ply, _CELL, chosen])
            frames[ply, _PROOF, chosen], frames[ply, _DISPROOF, chosen] = proof, disproof
            frames[ply, _PLIES, chosen] = plies
            continue
        if ply + 2 >= frames.shape[0]:
            frame[_PROOF, best], frame[_DISPROOF, best] = _INFINITE, 0
            counters[CUTS] += 1
            continue
        head[_CHOSEN] = best
        most, rest = (_MOST_PROOF, _MOST_DISPROOF) if head[_ROLE] == ATTACK else (_MOST_DISPROOF, _MOST_PROOF)
        heads[ply + 1, most] = min(head[most], second + second // 4 + 1)
        heads[ply + 1, rest] = min(head[rest] - total + frame[hard, best], int64(_INFINITE))
        play(state, frame[_CELL, best])
        ply += 1
        _open(state, ply, 1 - head[_ROLE], scratch, counters, oldest)
