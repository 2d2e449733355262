"""How the seats of a table value their placements before the last street, and the luck of their deals.

A seat places by the learned value against the other boards (:mod:`bromeliad.games.ofc.values.versus_learned`) or, if
there is none, by the promise of its own board. The last street is in :mod:`.settling`.
"""

from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.rng import Rng
from bromeliad.games.ofc.exact.expectation import eleven_value
from bromeliad.games.ofc.exact.next_deal import next_deal_value
from bromeliad.games.ofc.exact.pairs import ExactContext
from bromeliad.games.ofc.exact.scratch import WIDTH as MOST_CARDS
from bromeliad.games.ofc.opponents.seats import (
    ALONE,
    CARDS,
    CODES,
    LOOKS,
    PROSPECTS,
    TOTALS,
    Seat,
    Seats,
    board_cards,
    deal,
    list_cards,
    list_codes,
    masks_with,
    rows_with,
    seat_count,
    unseen_by,
)
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.values.hand_state import FOUL_COST
from bromeliad.games.ofc.values.heuristics import rows_promise
from bromeliad.games.ofc.values.learned import count_cards, learned_scale, learned_value
from bromeliad.games.ofc.values.versus_learned import (
    ACTS_AFTER,
    ACTS_BEFORE,
    BIAS,
    FIRST,
    MINE,
    THEIRS,
    WIDTH,
    add_inputs,
    add_row,
    board_inputs,
    board_prospects,
    hidden_kind,
    kind_input,
    meeting_inputs,
    run_network,
    set_row,
)

MARGIN, PLAYOUT_MARGIN = 6.0, 1.0
"""The network evaluates the placements within this many points of the best solo value: in play, where the best one is
hardly ever left out, and in playouts, which are faster with a smaller margin."""

COUNTED_PLACEMENTS = 0, 0, 8, 4, 4
"""For how many placements next deals are counted, by the number of deals left. With one deal left, which is quick, they
are counted for all within the margin."""

_THOROUGH = 3  # a search begins with this multiple of them

_DONE = -1e300  # solo value of a placement that was counted

PLAYOUT_COUNTED_DEALS = 1
"""``Seat.COUNTED`` in playouts: with more deals left, counting makes a playout several times as long."""


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
def counted_deals(seats: Seats, stage: int, unseen: int) -> int:
    """Return how many deals are left after a street if all next deals are counted for the value of a board, else 0.

    With one deal left the value is exact. With more, it is the mean over the next deal of the values of the tables.
    """
    left = seats.streets.size // 2 - 1 - stage
    if not is_learned(seats) or left > min(seats.values.counted, seats.v[seat_count(seats), Seat.COUNTED]):
        return int64(0)
    if count_cards(unseen) > MOST_CARDS:
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
    if free[0] + free[1] + free[2] > 2:
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
        if counted_deals(seats, stage, unseen) > 0:
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
def value_codes(
    seats: Seats, seat: int, hand: int, unseen: int, margin: float, thorough: bool, codes: Ints, out: Floats
) -> int:
    """Write the values of placements, without the opponents' solo values; return the number of the best placement.

    Placements whose solo value is more than ``margin`` below the best keep their solo value. If next deals are counted,
    this is done for the placements that look best otherwise (``COUNTED_PLACEMENTS``, times three if ``thorough``), and
    one of them is the best.
    """
    stage = seats.v[seat, Seat.STREET]
    opponents = look_around(seats, seat, unseen)
    scale = live_scale(seats, stage, unseen)
    cards = list_cards(hand, seats.lists[CARDS])
    times, highest, alone = max(opponents, 1), -1e300, seats.real[ALONE]
    for i in range(codes.size):
        top, middle, back = rows_with(seats, seat, cards, codes[i])
        alone[i] = times * value_alone(seats, stage, scale, top, middle, back, unseen)
        out[i] = alone[i]
        highest = max(highest, out[i])
    best = 0
    for i in range(codes.size):
        if out[i] >= highest - margin:
            top, middle, back = rows_with(seats, seat, cards, codes[i])
            out[i] += value_together(seats, stage, scale, top, middle, back, unseen, opponents)
            if alone[best] < highest - margin or out[i] > out[best]:
                best = i
    left = counted_deals(seats, stage, unseen)
    if opponents == 0 or left == 0:
        return best
    most = codes.size if left == 1 else _THOROUGH * COUNTED_PLACEMENTS[left] if thorough else COUNTED_PLACEMENTS[left]
    return _count_best(seats, seat, cards, unseen, highest - margin, most, codes, out)


@kernel
def _count_best(
    seats: Seats, seat: int, cards: int, unseen: int, lowest: float, most: int, codes: Ints, out: Floats
) -> int:
    """Count next deals for the ``most`` best placements whose solo value is at least ``lowest``; return the best."""
    stage, times, alone = seats.v[seat, Seat.STREET], seat_count(seats) - 1, seats.real[ALONE]
    best, best_value = 0, -1e300
    for _ in range(min(most, codes.size)):
        found = -1
        for i in range(codes.size):
            if alone[i] > _DONE and alone[i] >= lowest and (found < 0 or out[i] > out[found]):
                found = i
        if found < 0:
            break
        rows = rows_with(seats, seat, cards, codes[found])
        masks = masks_with(seats, seat, cards, codes[found])
        value = out[found] - alone[found] + times * value_counted(seats, seat, stage, rows, masks, unseen)
        alone[found] = _DONE
        out[found] = value
        if value > best_value:
            best, best_value = found, value
    return best


@kernel
def best_by_value(seats: Seats, seat: int, hand: int, unseen: int, margin: float, thorough: bool) -> int:
    """List the placements of a seat's hand before the last street; return the number of the best one."""
    count = list_codes(seats, seat, hand, seats.lists[CODES])
    each = margin * (seat_count(seats) - 1)
    return value_codes(seats, seat, hand, unseen, each, thorough, seats.lists[CODES, :count], seats.real[TOTALS])


@kernel
def choose_by_value(seats: Seats, seat: int, hand: int, margin: float, thorough: bool) -> int:
    """Return the placement of a seat's hand with the highest value, before the last street."""
    return seats.lists[CODES, best_by_value(seats, seat, hand, unseen_by(seats, seat, hand), margin, thorough)]


# --- the luck of deals ------------------------------------------------------------------------------------------------


@kernel
def has_luck(seats: Seats, seat: int) -> bool:
    """Return whether the luck of a seat's next deal can be counted: three cards are dealt and two placed."""
    street = seats.v[seat, Seat.STREET]
    usual = street > 0 and seats.streets[2 * street] == 3 and seats.streets[2 * street + 1] == 2
    return is_learned(seats) and usual and count_cards(seats.v[seat_count(seats), Seat.DECK]) <= MOST_CARDS


@kernel
def mean_next_deal(seats: Seats, seat: int) -> float:
    """Return the mean solo value of a seat's board over its next deal from the deck, if it is placed best.

    The values of all pairs of cards are left in the scratch for :func:`luck_of_deal`.
    """
    row, deck = seats.v[seat], seats.v[seat_count(seats), Seat.DECK]
    rows = row[Seat.ROW], row[Seat.ROW + 1], row[Seat.ROW + 2]
    masks = row[Seat.MASK], row[Seat.MASK + 1], row[Seat.MASK + 2]
    return value_counted(seats, seat, row[Seat.STREET] - 1, rows, masks, deck)


@kernel
def luck_of_deal(seats: Seats, deck: int, hand: int, mean: float) -> float:
    """Return how much better than the mean a deal from a deck is, after :func:`mean_next_deal`."""
    second = hand & (hand - 1)
    i, j = count_cards(deck & ((hand & -hand) - 1)), count_cards(deck & ((second & -second) - 1))
    k = count_cards(deck & ((second & (second - 1)) - 1))
    values = seats.pairs.real
    return max(values[i, j], max(values[i, k], values[j, k])) - mean


@kernel
def deal_with_luck(seats: Seats, seat: int, rng: Rng) -> tuple[int, float]:
    """Deal a seat its next street; return the hand and the luck of the deal, 0 if it cannot be counted."""
    deck, street = seats.v[seat_count(seats), Seat.DECK], seats.v[seat, Seat.STREET]
    if not has_luck(seats, seat):
        return deal(seats, street, rng), 0.0
    mean = mean_next_deal(seats, seat)
    hand = deal(seats, street, rng)
    return hand, luck_of_deal(seats, deck, hand, mean)
