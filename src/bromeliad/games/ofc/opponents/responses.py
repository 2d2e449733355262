"""Playouts against opponents who look at their own board only, with their own view of fouls and fantasyland.

They answer the question how well a placement does against players of known habits. My own streets are played as in
:mod:`.playouts`: by the value of both boards. The opponents place by their solo value until the end, so no value of
theirs depends on my board.
"""

import numpy as np

from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, reseed
from bromeliad.games.ofc.opponents.playouts import placements, seat_spot, with_habits
from bromeliad.games.ofc.opponents.sampling import Habits, draw_discard
from bromeliad.games.ofc.opponents.seat_values import (
    PLAYOUT_COUNTED_DEALS,
    PLAYOUT_MARGIN,
    choose_by_value,
    live_scale,
    value_alone,
)
from bromeliad.games.ofc.opponents.seats import (
    CARDS,
    CODES,
    ENDS,
    Seat,
    Seats,
    deal,
    list_cards,
    list_codes,
    place,
    rows_with,
    seat_count,
    unseen_by,
)
from bromeliad.games.ofc.opponents.settling import choose_last, list_ends, net, score_finished
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.games.ofc.spot import Spot, parse_spot


@kernel(inline=True)
def _has_last(seats: Seats, seat: int) -> bool:
    """Return whether a seat's next street is its last one."""
    return 2 * seats.v[seat, Seat.STREET] + 2 == seats.streets.size


@kernel
def choose_alone(seats: Seats, seat: int, hand: int) -> int:
    """Return the placement that is worth most to a seat that looks at its own board only."""
    codes = seats.lists[CODES]
    if _has_last(seats, seat):
        return codes[_best_end(seats, list_ends(seats, seat, hand, codes, seats.boards[ENDS:]))]
    count, stage = list_codes(seats, seat, hand, codes), seats.v[seat, Seat.STREET]
    unseen = unseen_by(seats, seat, hand)
    scale, cards = live_scale(seats, stage, unseen), list_cards(hand, seats.lists[CARDS])
    best, best_value = codes[0], -1e300
    for i in range(count):
        top, middle, back = rows_with(seats, seat, cards, codes[i])
        value = value_alone(seats, stage, scale, top, middle, back, unseen)
        if value > best_value:
            best, best_value = codes[i], value
    return best


@kernel
def _best_end(seats: Seats, count: int) -> int:
    """Return the number of the finished board with the most royalties and worth of fantasyland."""
    best, best_value = 0, -1e300
    for i in range(count):
        board = seats.boards[ENDS + i]
        value = board[Scored.ROYALTIES] + seats.worth[board[Scored.NEXT_CARDS]]
        if value > best_value:
            best, best_value = i, value
    return best


@kernel
def _place_own(mine: Seats, own: int, hand: int, rng: Rng) -> None:
    """Place my cards of a later street."""
    if _has_last(mine, own):
        score_finished(mine)
        code = mine.lists[CODES, choose_last(mine, own, hand, rng)]
    else:
        code = choose_by_value(mine, own, hand, PLAYOUT_MARGIN, False)
    place(mine, own, hand, code)


@kernel
def _draw_discards(seats: Seats, own: int, rng: Rng) -> None:
    """Take the hidden discards of the opponents out of the deck."""
    v, table = seats.v, seats.v[seat_count(seats)]
    for seat in range(seat_count(seats)):
        missing = int64(0)
        for street in range(v[seat, Seat.STREET]):
            missing += seats.streets[2 * street] - seats.streets[2 * street + 1]
        if seat == own:
            missing = int64(0)
        while missing > 0:
            card = draw_discard(rng, table[Seat.DECK], seats.weights[seat])
            table[Seat.DECK] &= ~card
            v[seat, Seat.GONE] |= card
            missing -= 1


@kernel
def _finish(mine: Seats, theirs: Seats, own: int, rng: Rng) -> float:
    """Play the hand to its end after my placement; return my points and the change in worth of fantasyland."""
    count, streets = seat_count(mine), mine.streets.size // 2
    _draw_discards(mine, own, rng)
    for street in range(mine.v[own, Seat.STREET] - 1, streets):  # others may be one street behind
        for seat in range(count):
            if mine.v[seat, Seat.STREET] > street:
                continue
            hand = deal(mine, street, rng)
            if seat == own:
                _place_own(mine, own, hand, rng)
            else:
                place(theirs, seat, hand, choose_alone(theirs, seat, hand))
    score_finished(mine)
    total = 0.0
    for seat in range(count):
        if seat != own:
            total += net(mine, mine.boards[own], mine.boards[seat])
    return total


@kernel
def respond(root: Ints, mine: Seats, theirs: Seats, codes: Ints, seed: int, first: int, out: Floats) -> None:
    """Play out each placement several times; playouts with the same number draw the same cards.

    Parameters
    ----------
    root
        The table before my placement, in the form of ``mine.v``.
    theirs
        The same seats with the opponents' own values, from :func:`.playouts.with_habits`.
    first
        The number of the first playout.
    out
        [playout, placement]
    """
    table = root[seat_count(mine)]
    for i in range(out.shape[0]):
        for k in range(codes.size):
            for row in range(root.shape[0]):
                for field in range(Seat.SIZE):
                    mine.v[row, field] = root[row, field]
            mine.v[seat_count(mine), Seat.COUNTED] = PLAYOUT_COUNTED_DEALS
            reseed(mine.rng, seed, first + i)
            place(mine, table[Seat.OWN], table[Seat.HAND], codes[k])
            out[i, k] = _finish(mine, theirs, table[Seat.OWN], mine.rng)


def can_respond(spot: Spot) -> bool:
    """Return whether all opponents of a spot play open hands."""
    return bool(spot.opponents) and not spot.hidden


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    rules = preset("pineapple")
    spot = parse_spot(rules, board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", opponents=["- / 4c 4d / 7c 7d 7h"])
    mine = seat_spot(spot, 1, 1)
    codes = placements(mine)[:1]
    respond(mine.v.copy(), mine, with_habits(mine, rules, Habits(6.0, 1.0)), codes, 1, 0, np.zeros((1, 1)))
