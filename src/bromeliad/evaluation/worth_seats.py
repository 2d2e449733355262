"""Hands of the measured worth of fantasyland that depend on both boards: normal ones, and fantasyland set last."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.core.game import clone
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, reseed
from bromeliad.evaluation.worth_hands import Boards
from bromeliad.games.ofc.fantasyland.front import answers_last, front_boards
from bromeliad.games.ofc.luck.decisions import own_cards
from bromeliad.games.ofc.opponents.playouts import hidden_bank
from bromeliad.games.ofc.opponents.seat_values import (
    MARGIN,
    choose_by_value,
)
from bromeliad.games.ofc.opponents.seats import (
    CODES,
    ENDS,
    PARTS,
    TOTALS,
    Seat,
    Seats,
    new_seats,
    place,
    seat_count,
    unseen_by,
)
from bromeliad.games.ofc.opponents.settling import choose_last, list_ends, score_finished
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.rules.rule_tables import Tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.weights import versus_for

_REPEATS = 16  # times that eight last deals or hidden hands are sampled for a choice on the last street
_HIDDEN_HANDS = 100  # sampled fantasyland hands that a normal player expects


class WorthSeats(NamedTuple):
    """Two seats before the deal: both normal, or a normal one against fantasyland hands of each size."""

    normal: Seats
    hidden: dict[int, Seats]


def seats_for_worth(spot: Spot, sizes: tuple[int, ...], seed: int) -> WorthSeats | None:
    """Return seats for hands under the rules and worths of ``spot``; None if there is no value of two boards."""
    state, values = spot.to_search_state(), versus_for(spot.rules, spot.fantasyland_worth)
    if not values.layers.size:
        return None
    hidden = {}
    for cards in sizes:
        known = dict(spot.fantasyland_worth)
        against = parse_spot(spot.rules, opponents=[f"fantasyland:{cards}"], fantasyland_worth=known)
        hidden[cards] = new_seats(state, 2, values, *hidden_bank(against, seed, _HIDDEN_HANDS))
        hidden[cards].v[1, Seat.HIDDEN], hidden[cards].v[1, Seat.FANTASYLAND] = 1, cards
        hidden[cards].v[2, Seat.DRAWN] = 1
    return WorthSeats(new_seats(state, 2, values), hidden)


@kernel
def _place_last(seats: Seats, seat: int, hand: int, rng: Rng) -> None:
    """Place a seat's last cards by the mean over many samples of what it cannot see."""
    count, means = list_ends(seats, seat, hand, seats.lists[CODES], seats.boards[ENDS:]), seats.real[PARTS]
    seats.v[seat_count(seats), Seat.DECK] = unseen_by(seats, seat, hand)
    score_finished(seats)
    for i in range(count):
        means[i] = 0.0
    for _ in range(_REPEATS):
        choose_last(seats, seat, hand, rng)
        for i in range(count):
            means[i] += seats.real[TOTALS, i]
    best = 0
    for i in range(1, count):
        if means[i] > means[best]:
            best = i
    place(seats, seat, hand, seats.lists[CODES, best])


@kernel
def _play(root: Ints, seats: Seats, deals: Ints, seed: int, first: int, out: Ints) -> None:
    """Play hands to the end, each with its own deals, and write the rows of every open seat.

    Parameters
    ----------
    root
        The table before the deal, in the form of ``seats.v``.
    deals
        [seat, hand, street] card masks
    first
        The number of the first hand. Samples depend on the seed and this number.
    out
        [seat, hand, row] card masks
    """
    v, last = seats.v, seats.streets.size // 2 - 1
    for i in range(deals.shape[1]):
        for row in range(root.shape[0]):
            for field in range(Seat.SIZE):
                v[row, field] = root[row, field]
        reseed(seats.rng, seed, first + i)
        deck = v[seat_count(seats), Seat.ALL]
        for street in range(last + 1):
            for seat in range(deals.shape[0]):
                hand = own_cards(deals[seat, i, street], deck)
                deck &= ~hand
                if street < last:
                    place(seats, seat, hand, choose_by_value(seats, seat, hand, MARGIN, False))
                else:
                    _place_last(seats, seat, hand, seats.rng)
        for seat in range(deals.shape[0]):
            for row in range(3):
                out[seat, i, row] = v[seat, Seat.MASK + row]


def play_seats(seats: Seats, deals: NDArray[np.int64], seed: int, first: int) -> NDArray[np.int64]:
    """Return the finished boards [seat, hand, row] of the open seats, given their deals [seat, hand, street]."""
    out = np.zeros((*deals.shape[:2], len(ROW_SIZES)), np.int64)
    _play(seats.v, clone(seats), deals, seed, first, out)
    return out


# --- fantasyland that is set last ---------------------------------------------------------------------------------


@kernel
def _best_answer(
    tables: Tables, worth: NDArray[np.float64], front: Ints, theirs: Ints, cards: Ints, points: Ints
) -> int:
    """Return the number of the board of a front that settles best against a finished board."""
    best, best_value = 0, -1e300
    score_board(tables, cards[0], cards[1], cards[2], 0, cards[0] | cards[1] | cards[2], theirs)
    for i in range(front.shape[0]):
        value = settle(tables, front[i], theirs, points) + worth[front[i, Scored.NEXT_CARDS]]
        if value > best_value:
            best, best_value = i, value
    return best


def answer_last(spot: Spot, hands: NDArray[np.int64], theirs: list[Boards]) -> list[Boards] | None:
    """Return the boards of fantasyland hands [hand, card] that answer the finished boards of each opponent best.

    None if the rules have such hands set before seeing other boards, or if the best answers are unknown under them.
    """
    if not answers_last(spot):
        return None
    state = spot.to_state()
    out = [np.zeros((len(hands), len(ROW_SIZES)), np.int64) for _ in theirs]
    scored, points = np.zeros(Scored.SIZE, np.int64), np.zeros(4, np.int64)
    for i, mask in enumerate((int64(1) << hands).sum(axis=1)):
        front = front_boards(spot.rules, CardSet(int(mask)))
        for boards, met in zip(out, theirs, strict=True):
            best = front[_best_answer(state.tables, state.worth, front, scored, met[i], points)]
            boards[i] = best[Scored.MASK : Scored.MASK + len(ROW_SIZES)]
    return out


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    spot = parse_spot(preset("pineapple"))
    found = seats_for_worth(spot, (14,), 1)
    assert found is not None
    deals = np.array(
        [[[31, 7 << 5, 7 << 8, 7 << 11, 7 << 14]], [[31 << 17, 7 << 22, 7 << 25, 7 << 28, 7 << 31]]], np.int64
    )
    boards = play_seats(found.normal, deals, 1, 0)
    play_seats(found.hidden[14], deals[:1], 1, 0)
    tables, points = spot.to_state().tables, np.zeros(4, np.int64)
    front = front_boards(spot.rules, CardSet((1 << 48) - (1 << 34)))
    scored = np.zeros(Scored.SIZE, np.int64)
    _best_answer(tables, spot.to_state().worth, front, scored, boards[0, 0], points)
