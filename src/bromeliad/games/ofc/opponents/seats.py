"""All hands of a table: the seats in the order of play, and how each one plays.

All seats are dealt from one deck. A seat sees its own cards and the open boards. It places by the learned value against
the other boards (:mod:`bromeliad.games.ofc.values.versus_learned`) or, if there is none, by the promise of its own
board. The last street is in :mod:`.settling`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.rng import Rng, draw_cards, new_rng
from bromeliad.games.ofc.exact.expectation import eleven_value
from bromeliad.games.ofc.exact.next_deal import next_deal_value
from bromeliad.games.ofc.exact.pairs import ExactContext
from bromeliad.games.ofc.exact.scratch import PairScratch, pair_scratch
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, add_card, best_strength, row_of_mask
from bromeliad.games.ofc.hands.placements import list_placements
from bromeliad.games.ofc.opponents.tables import OpponentTables, no_opponents
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.games.ofc.values.hand_state import FOUL_COST, HandState
from bromeliad.games.ofc.values.heuristics import rows_promise
from bromeliad.games.ofc.values.learned import count_cards, learned_scale, learned_value
from bromeliad.games.ofc.values.promise import PromiseTables
from bromeliad.games.ofc.values.versus_learned import (
    ACTS_AFTER,
    ACTS_BEFORE,
    BIAS,
    FIRST,
    MINE,
    THEIRS,
    WIDTH,
    Singles,
    VersusLearned,
    add_inputs,
    add_row,
    board_inputs,
    board_prospects,
    empty_scratch,
    hidden_kind,
    kind_input,
    meeting_inputs,
    run_network,
    set_row,
)

MARGIN, PLAYOUT_MARGIN = 2.5, 1.0
"""The network evaluates the placements within this many points of the best solo value: in play, where the best one is
hardly ever left out, and in playouts, which are faster with a smaller margin."""

COUNTED_MARGIN = 6.0
"""The margin in play where next deals are counted, because the counted value often contradicts the tables."""

PLAYOUT_COUNTED_DEALS = 1
"""``Seat.COUNTED`` in playouts: with two deals left, counting makes a playout from the first streets three times as
long."""

SAMPLED = 8
"""Sampled last deals of a later opponent, for one choice or one value."""


class _Fields(NamedTuple):
    """Offsets into :attr:`Seats.v`: up to SIZE into the row of a seat, from DECK on into the last row, the table's."""

    ROW: int = 0  # three entries: the rows as automaton states
    MASK: int = 3  # three entries: the rows as card masks
    FREE: int = 6  # three entries: free places
    GONE: int = 9  # the seat's discards and other cards that only this seat knows to be dead, as a mask
    STREET: int = 10  # streets placed so far
    FANTASYLAND: int = 11  # cards of a fantasyland hand; if the first deal earns it, whether it did
    HIDDEN: int = 12  # 1 + place in the bank for a board that is hidden until the end, 0 for an open board
    SIZE: int = 13

    DECK: int = 0  # the cards that may still be dealt
    ALL: int = 1  # the cards of the whole deck
    HAND: int = 2  # the searching player's cards to be placed, as a mask; 0 between streets
    OWN: int = 3  # the searching player's seat
    DRAWN: int = 4  # 1 + the sample of the bank that was drawn, 0 before hidden cards are drawn
    COUNTED: int = 5  # limits the number of deals left with which next deals are counted (``VersusLearned.counted``)


Seat = _Fields()


class _Banked(NamedTuple):
    """Offsets into a sampled board of a hidden opponent, after those of ``Scored``."""

    CARDS: int = Scored.SIZE  # the cards dealt, as a mask
    NUMBER: int = Scored.SIZE + 1  # the number of cards
    FIRST: int = Scored.SIZE + 2  # the first board of the hand's front
    COUNT: int = Scored.SIZE + 3  # boards of the front; 0 if the opponent does not see the other boards
    SIZE: int = Scored.SIZE + 4


Banked = _Banked()


class Seats(NamedTuple):
    """The seats of a hand in the order of play, and their evaluation; few arrays, because kernels take them faster."""

    v: NDArray[np.int64]  # the variable part: [seat, offset in Seat]; the last row is the table's
    tables: Tables
    streets: NDArray[np.int64]  # [2 * street] cards dealt, [2 * street + 1] cards placed
    worth: NDArray[np.float64]  # [cards] worth of fantasyland with this number of cards, [FOUL_COST] cost of a foul
    pay: NDArray[np.float64]  # [row, strength] royalty and worth of fantasyland by this row
    nobody: OpponentTables  # empty
    values: VersusLearned
    promise: PromiseTables  # evaluates boards if there is no learned value
    weights: NDArray[np.float64]  # [seat, card] of an opponent's hidden discards
    bank: NDArray[np.int64]  # [sample, hidden seat, offset in Scored, then offset in Banked]
    fronts: NDArray[np.int64]  # [board, offset in Scored] the fronts of hidden hands that are set last, in sequence
    lists: NDArray[np.int64]  # scratch: [CODES …, place]
    boards: NDArray[np.int64]  # scratch: [board, offset in Scored]; finished boards by seat, then from ENDS on
    real: NDArray[np.float64]  # scratch: [TOTALS …, place]
    hidden: Singles  # scratch: the layers of the network
    pairs: PairScratch  # scratch: the mean over a board's next deals
    rng: NDArray[np.uint64]  # scratch


CODES, LATER, CARDS, COUNTS, POINTS, LOOKS = range(6)
"""Rows of :attr:`Seats.lists`: placements of the mover and of a later opponent, cards of the mover, numbers of boards
for each deal of a later opponent, points of a settlement, then rows and prospects of each opponent of the mover."""

PROSPECTS = Seat.SIZE
"""Place of an opponent's prospects in a row of :attr:`Seats.lists`, after the entries of ``Seat``."""

ENDS, REPLIES = 4, 4 + 64
"""First rows in :attr:`Seats.boards` of the possible final boards of the mover and of a later opponent."""

TOTALS, PARTS, SPLIT = range(3)
"""Rows of :attr:`Seats.real`: values of the mover's boards, parts of the hand's value, and of one settlement."""


@kernel(inline=True)
def seat_count(seats: Seats) -> int:
    """Return the number of seats."""
    return seats.v.shape[0] - 1


@kernel(inline=True)
def board_cards(v: Ints, seat: int) -> int:
    """Return the cards of a seat's board as a mask."""
    return v[seat, Seat.MASK] | v[seat, Seat.MASK + 1] | v[seat, Seat.MASK + 2]


@kernel
def unseen_by(seats: Seats, seat: int, hand: int) -> int:
    """Return the cards that a seat with these cards in hand has not seen."""
    v, count = seats.v, seat_count(seats)
    seen = hand | v[seat, Seat.GONE]
    for other in range(count):
        if other == seat or v[other, Seat.HIDDEN] == 0:
            seen |= board_cards(v, other)
    return v[count, Seat.ALL] & ~seen


@kernel(inline=True)
def deal(seats: Seats, street: int, rng: Rng) -> int:
    """Take the cards of a street from the deck; the first joker is dealt before the second."""
    table = seats.v[seat_count(seats)]
    deck = table[Seat.DECK]
    hand = draw_cards(rng, deck, seats.streets[2 * street])
    if deck >> DECK_SIZE == 3 and hand >> DECK_SIZE == 2:
        hand ^= int64(3) << DECK_SIZE
    table[Seat.DECK] = deck & ~hand
    return hand


@kernel(inline=True)
def list_cards(mask: int, out: Ints) -> int:
    """Write the cards of a mask, lowest first; return their number."""
    count, card = 0, 0
    while mask:
        if mask & 1:
            out[count] = card
            count += 1
        mask >>= 1
        card += 1
    return count


@kernel
def list_codes(seats: Seats, seat: int, hand: int, codes: Ints) -> int:
    """Write the placements of a seat's hand; return their number."""
    row, street = seats.v[seat], seats.v[seat, Seat.STREET]
    twins = hand >> DECK_SIZE == 3
    cards, place = seats.streets[2 * street], seats.streets[2 * street + 1]
    return list_placements(cards, row[Seat.FREE], row[Seat.FREE + 1], row[Seat.FREE + 2], place, twins, codes)


@kernel(inline=True)
def rows_with(seats: Seats, seat: int, count: int, code: int) -> tuple[int, int, int]:
    """Return the rows of a seat after placing the listed cards by a code."""
    hands, v, cards = seats.tables.hands, seats.v, seats.lists
    top, middle, back = v[seat, Seat.ROW], v[seat, Seat.ROW + 1], v[seat, Seat.ROW + 2]
    for i in range(count):
        where = code >> 2 * i & 3
        if where == 1:
            top = add_card(hands, top, cards[CARDS, i])
        elif where == 2:
            middle = add_card(hands, middle, cards[CARDS, i])
        elif where == 3:
            back = add_card(hands, back, cards[CARDS, i])
    return top, middle, back


@kernel(inline=True)
def masks_with(seats: Seats, seat: int, count: int, code: int) -> tuple[int, int, int]:
    """Return the rows of a seat, as card masks, after placing the listed cards by a code."""
    v, cards = seats.v, seats.lists
    top, middle, back = v[seat, Seat.MASK], v[seat, Seat.MASK + 1], v[seat, Seat.MASK + 2]
    for i in range(count):
        where, bit = code >> 2 * i & 3, int64(1) << cards[CARDS, i]
        top |= bit if where == 1 else int64(0)
        middle |= bit if where == 2 else int64(0)
        back |= bit if where == 3 else int64(0)
    return top, middle, back


@kernel
def place(seats: Seats, seat: int, hand: int, code: int) -> None:
    """Place a seat's hand by a code; the other cards are discarded."""
    row = seats.v[seat]
    count = list_cards(hand, seats.lists[CARDS])
    if row[Seat.STREET] == 0 and seats.tables.flags[Flag.BY_FIRST_STREET] > 0:
        reached = best_strength(seats.tables.hands, row_of_mask(seats.tables.hands, hand))
        row[Seat.FANTASYLAND] = int64(reached >= seats.tables.flags[Flag.BY_FIRST_STREET])
    for i in range(count):
        where = (code >> 2 * i & 3) - 1
        bit = int64(1) << seats.lists[CARDS][i]
        if where < 0:
            row[Seat.GONE] |= bit
        else:
            row[Seat.ROW + where] = add_card(seats.tables.hands, row[Seat.ROW + where], seats.lists[CARDS][i])
            row[Seat.MASK + where] |= bit
            row[Seat.FREE + where] -= 1
    row[Seat.STREET] += 1


# --- values ---------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def is_learned(seats: Seats) -> bool:
    """Return whether there is a learned value of two boards."""
    return seats.values.layers.shape[0] > 0


@kernel(inline=True)
def kind_of(seats: Seats, seat: int, other: int) -> int:
    """Return the kind of opponent that another seat is."""
    row = seats.v[other]
    if row[Seat.HIDDEN]:
        return hidden_kind(row[Seat.FANTASYLAND])
    return int64(ACTS_AFTER if other > seat else ACTS_BEFORE)


@kernel
def look_around(seats: Seats, seat: int, unseen: int) -> int:
    """Sum the network's inputs for each opponent of a seat that is about to place; return the number of opponents.

    Rows and prospects of the opponents are left in ``seats.lists``.
    """
    values, stage, found = seats.values, seats.v[seat, Seat.STREET], 0
    if not is_learned(seats):
        return found
    for other in range(seat_count(seats)):
        if other == seat:
            continue
        total, row, look = seats.hidden[THEIRS + found], seats.v[other], seats.lists[LOOKS + found]
        set_row(values.layers[stage, BIAS : BIAS + WIDTH], total)
        add_row(values.rows[kind_input(values, stage, kind_of(seats, seat, other))], total)
        look[Seat.HIDDEN] = row[Seat.HIDDEN]
        if row[Seat.HIDDEN] == 0:
            look[PROSPECTS] = prospects_of(seats, other, unseen)
            add_inputs(values, their_inputs(seats, other, stage, unseen, look[PROSPECTS]), total)
            for i in range(3):
                look[Seat.ROW + i] = row[Seat.ROW + i]
        found += 1
    return found


@kernel
def prospects_of(seats: Seats, other: int, unseen: int) -> int:
    """Return the prospects of an open board, given the cards that the mover has not seen."""
    row = seats.v[other]
    placed = row[Seat.STREET]
    scale = learned_scale(seats.values.solo, max(placed - 1, 0), unseen)
    return board_prospects(seats.values, placed, scale, row[Seat.ROW], row[Seat.ROW + 1], row[Seat.ROW + 2], unseen)


@kernel(inline=True)
def their_inputs(seats: Seats, other: int, stage: int, unseen: int, prospects: int) -> tuple[int, ...]:
    """Return the inputs of an opponent's open board; ``stage`` and ``unseen`` are the mover's."""
    row = seats.v[other]
    scale = learned_scale(seats.values.solo, max(row[Seat.STREET] - 1, 0), unseen)
    top, middle, back = row[Seat.ROW], row[Seat.ROW + 1], row[Seat.ROW + 2]
    return board_inputs(seats.values, stage, 1, scale, top, middle, back, unseen, prospects)


@kernel
def value_alone(seats: Seats, stage: int, scale: float, top: int, middle: int, back: int, unseen: int) -> float:
    """Return the solo value of a board after a street."""
    if is_learned(seats):
        return learned_value(seats.values.solo, stage, scale, top, middle, back, unseen)
    return rows_promise(seats.tables, seats.promise, seats.worth[FOUL_COST], top, middle, back)


@kernel(inline=True)
def counted_deals(seats: Seats, stage: int) -> int:
    """Return how many deals are left after a street if all next deals are counted for the value of a board, else 0.

    With one deal left the value is exact. With two left it is the mean over the next deal of the values of the tables.
    """
    left = seats.streets.size // 2 - 1 - stage
    if not is_learned(seats) or left > min(seats.values.counted, seats.v[seat_count(seats), Seat.COUNTED]):
        return int64(0)
    for street in range(stage + 1, stage + 1 + left):
        if seats.streets[2 * street] != 3 or seats.streets[2 * street + 1] != 2:
            return int64(0)
    return int64(left)


@kernel
def value_counted(
    seats: Seats, seat: int, stage: int, rows: tuple[int, int, int], masks: tuple[int, int, int], unseen: int
) -> float:
    """Return the solo value of a seat's board for which all next deals are counted (see :func:`counted_deals`)."""
    top, middle, back = masks
    free = (
        ROW_SIZES[0] - count_cards(top),
        ROW_SIZES[1] - count_cards(middle),
        ROW_SIZES[2] - count_cards(back),
    )
    if counted_deals(seats, stage) > 1:
        return next_deal_value(seats.values.solo, seats.tables.hands, stage + 1, rows, free, unseen, seats.pairs)
    board, seen = top | middle | back, int64(0)
    for other in range(seat_count(seats)):
        if other != seat and seats.v[other, Seat.HIDDEN] == 0:
            seen |= board_cards(seats.v, other)
    context = ExactContext(seats.tables, seats.worth, seats.pay, seats.nobody, seen, seats.v[seat, Seat.FANTASYLAND])
    return eleven_value(context, rows[0], rows[1], rows[2], free, board, unseen, seats.pairs)


@kernel
def value_together(
    seats: Seats, stage: int, scale: float, top: int, middle: int, back: int, unseen: int, opponents: int
) -> float:
    """Return the network's part of a board's value after a street; :func:`look_around` has prepared the opponents."""
    values, hidden, total = seats.values, seats.hidden, 0.0
    mine, first = hidden[MINE], hidden[FIRST]
    for k in range(mine.size):
        mine[k] = 0.0
    prospects = int64(0)
    if opponents > 0:
        prospects = board_prospects(values, stage + 1, scale, top, middle, back, unseen)
        add_inputs(values, board_inputs(values, stage, 0, scale, top, middle, back, unseen, prospects), mine)
    for i in range(opponents):
        set_row(hidden[THEIRS + i], first)
        add_row(mine, first)
        look = seats.lists[LOOKS + i]
        if look[Seat.HIDDEN] == 0:
            theirs = (look[Seat.ROW], look[Seat.ROW + 1], look[Seat.ROW + 2])
            met = meeting_inputs(values, stage, (top, middle, back), theirs, prospects, look[PROSPECTS])
            add_inputs(values, met, first)
        total += run_network(values, stage, hidden)
    return total


@kernel
def opponents_alone(seats: Seats, seat: int, unseen: int) -> float:
    """Return the sum of the solo values of the opponents' open boards."""
    total = 0.0
    for other in range(seat_count(seats)):
        row = seats.v[other]
        if other == seat or row[Seat.HIDDEN] or row[Seat.STREET] == 0 or not is_learned(seats):
            continue
        stage = row[Seat.STREET] - 1
        rows = row[Seat.ROW], row[Seat.ROW + 1], row[Seat.ROW + 2]
        if counted_deals(seats, stage) > 0:
            masks = row[Seat.MASK], row[Seat.MASK + 1], row[Seat.MASK + 2]
            total += value_counted(seats, other, stage, rows, masks, unseen)
        else:
            scale = learned_scale(seats.values.solo, stage, unseen)
            total += value_alone(seats, stage, scale, rows[0], rows[1], rows[2], unseen)
    return total


@kernel(inline=True)
def live_scale(seats: Seats, stage: int, unseen: int) -> float:
    """Return the scale of live cards for :func:`value_alone`."""
    return learned_scale(seats.values.solo, stage, unseen) if is_learned(seats) else 0.0


@kernel
def value_codes(seats: Seats, seat: int, hand: int, unseen: int, margin: float, codes: Ints, out: Floats) -> int:
    """Write the values of placements, without the opponents' solo values; return the number of the best placement.

    Placements whose solo value is more than ``margin`` below the best keep their solo value.
    """
    stage = seats.v[seat, Seat.STREET]
    opponents = look_around(seats, seat, unseen)
    scale = live_scale(seats, stage, unseen)
    cards = list_cards(hand, seats.lists[CARDS])
    times, highest = max(opponents, 1), -1e300
    for i in range(codes.size):
        top, middle, back = rows_with(seats, seat, cards, codes[i])
        out[i] = times * value_alone(seats, stage, scale, top, middle, back, unseen)
        highest = max(highest, out[i])
    best, best_value, counted = 0, -1e300, opponents > 0 and counted_deals(seats, stage) > 0
    for i in range(codes.size):
        if out[i] < highest - margin:
            continue
        top, middle, back = rows_with(seats, seat, cards, codes[i])
        if counted:
            masks = masks_with(seats, seat, cards, codes[i])
            out[i] = times * value_counted(seats, seat, stage, (top, middle, back), masks, unseen)
        out[i] += value_together(seats, stage, scale, top, middle, back, unseen, opponents)
        if out[i] > best_value:
            best, best_value = i, out[i]
    return best


@kernel
def best_by_value(seats: Seats, seat: int, hand: int, unseen: int, margin: float) -> int:
    """List the placements of a seat's hand before the last street; return the number of the best one."""
    count = list_codes(seats, seat, hand, seats.lists[CODES])
    each = margin * (seat_count(seats) - 1)
    return value_codes(seats, seat, hand, unseen, each, seats.lists[CODES, :count], seats.real[TOTALS])


@kernel
def choose_by_value(seats: Seats, seat: int, hand: int, margin: float) -> int:
    """Return the placement of a seat's hand with the highest value, before the last street."""
    return seats.lists[CODES, best_by_value(seats, seat, hand, unseen_by(seats, seat, hand), margin)]


# --- making seats -----------------------------------------------------------------------------------------------------


def new_seats(
    state: HandState,
    players: int,
    values: VersusLearned,
    bank: NDArray[np.int64] | None = None,
    fronts: NDArray[np.int64] | None = None,
) -> Seats:
    """Return seats before the first deal.

    Parameters
    ----------
    state
        A hand's state, for its rules, worth of fantasyland and promise tables.
    bank, fronts
        Sampled boards of hidden opponents, and the fronts of those who set last; none by default.
    """
    most = max(1000, 4 ** int(state.streets[::2].max()))
    v = np.zeros((players + 1, Seat.SIZE), np.int64)
    jokers = int(state.tables.flags[Flag.JOKERS])
    v[players, Seat.ALL] = v[players, Seat.DECK] = (1 << (DECK_SIZE + jokers)) - 1
    v[players, Seat.COUNTED] = values.counted
    v[:players, Seat.ROW : Seat.ROW + 3] = EMPTY_ROW
    v[:players, Seat.FREE : Seat.FREE + 3] = ROW_SIZES
    return Seats(
        v=v,
        tables=state.tables,
        streets=state.streets,
        worth=state.worth,
        pay=state.pay,
        nobody=no_opponents(),
        values=values,
        promise=state.promise,
        weights=np.ones((players, DECK_SIZE + 2)),
        bank=np.zeros((0, 1, Banked.SIZE), np.int64) if bank is None else bank,
        fronts=np.zeros((0, Scored.SIZE), np.int64) if fronts is None else fronts,
        lists=np.zeros((LOOKS + players - 1, most), np.int64),
        boards=np.zeros((REPLIES + SAMPLED * (REPLIES - ENDS), Scored.SIZE), np.int64),
        real=np.zeros((3, most)),
        hidden=empty_scratch(players - 1),
        pairs=pair_scratch(),
        rng=new_rng(0),
    )
