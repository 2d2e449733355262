"""All hands of a table: the seats in the order of play, dealt from one deck.

A seat sees its own cards and the open boards. How it places them is in :mod:`.seat_values` and :mod:`.settling`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.rng import Rng, draw_cards, new_rng
from bromeliad.games.ofc.exact.scratch import PairScratch, pair_scratch
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, add_card, best_strength, row_of_mask
from bromeliad.games.ofc.hands.placements import list_placements
from bromeliad.games.ofc.opponents.tables import OpponentTables, no_opponents
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.games.ofc.values.hand_state import HandState
from bromeliad.games.ofc.values.promise import PromiseTables
from bromeliad.games.ofc.values.versus_learned import (
    Singles,
    VersusLearned,
    empty_scratch,
)

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

TOTALS, PARTS, SPLIT, ALONE = range(4)
"""Rows of :attr:`Seats.real`: values of the mover's boards, parts of the hand's value and of one
settlement, and solo values of the mover's boards."""


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
        real=np.zeros((4, most)),
        hidden=empty_scratch(players - 1),
        pairs=pair_scratch(),
        rng=new_rng(0),
    )
