"""Temporal-difference learning of the value of two boards: two seats play each other from one deck.

After a street, the value of a seat's board moves towards the value of that seat's best board on the next street, once
the other seat has placed its cards. After the last street but one, it moves towards the settlement. The seat that acts
last settles exactly; the seat before it settles against a sample of the other's last deals. Some hands are played
against the boards of fantasyland hands, which are dealt from the same deck and stay hidden.

The luck of the deals in between is taken off what a board moves towards: how much better than the mean over all deals a
seat's board is after its deal, by the solo value. It averages to zero, so it is a control variate.

The solo values of boards do not change. The network learns by gradient descent, one board at a time. Steps are divided
by the size of past gradients. For the rows of inputs this is their sum (Duchi, Hazan & Singer, "Adaptive subgradient
methods", JMLR 12, 2011), so that rare inputs learn as fast as common ones. For the layers it is a decaying mean
(Tieleman & Hinton, "RMSProp", 2012). Exploration and rare first deals work as in :mod:`.td`.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import float32, int64, kernel
from bromeliad.core.rng import Rng, below, reseed, uniform
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW
from bromeliad.games.ofc.opponents.seat_values import (
    best_by_value,
    counted_deals,
    deal_with_luck,
    kind_of,
    opponents_alone,
    prospects_of,
    their_inputs,
    value_alone,
    value_counted,
)
from bromeliad.games.ofc.opponents.seats import (
    CARDS,
    CODES,
    Banked,
    Seat,
    Seats,
    deal,
    list_cards,
    list_codes,
    masks_with,
    place,
    rows_with,
    seat_count,
    unseen_by,
)
from bromeliad.games.ofc.opponents.settling import choose_last, play_ends, score_finished, score_seat
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.values.learned import learned_scale
from bromeliad.games.ofc.values.versus_learned import (
    BIAS,
    BOARD_INPUTS,
    DENSE,
    DENSE_BIAS,
    FIRST,
    INPUTS,
    KIND,
    MEETINGS,
    OUT,
    OUT_BIAS,
    SECOND,
    WIDTH,
    Singles,
    add_row,
    board_inputs,
    board_prospects,
    kind_input,
    meeting_inputs,
    run_network,
    set_row,
)
from bromeliad.learning.td import rare_cards

LAST_DEALS = 8, 2
"""Last deals that one target averages: for the seat that acts last, and for the seat before it."""

ROW_RATE, LAYER_RATE = 0.03, 0.0005
"""Step sizes of the rows of inputs and of the layers, at the start of a run."""

_MEMORY = 0.999  # decay of the mean of squared gradients
_FIRST_SQUARE = 25.0  # initial sum of squares of a row: its first gradients make small steps
_FIRST_LAYER_SQUARE = 1.0  # initial mean of squares of a layer's entry: from 0, the first steps would silence units
_SMALL = 1e-6

LEARNING_MARGIN = 3.0
"""The margin while learning, which is faster with a smaller one than in play."""

TRIED = 2  # row of the scratch for a board that is only tried, not placed


class VersusMemory(NamedTuple):
    """The past gradients that set the step sizes, and the boards that wait for their targets."""

    row_squares: Singles  # [row of an input] sum of squared gradients
    layer_squares: Singles  # [street, entry] decaying mean of squared gradients
    inputs: NDArray[np.int64]  # scratch: [seat or TRIED, input] row of the input; negative for none
    stages: NDArray[np.int64]  # scratch: [seat or TRIED] street of the board
    base: NDArray[np.float64]  # scratch: [seat or TRIED] my solo value less the opponent's
    random: NDArray[np.int64]  # scratch: [seat] whether its last placement was random
    luck: NDArray[np.float64]  # scratch: [seat] the luck of its last deal
    slopes: Singles  # scratch: [layer, unit] derivatives; the last row begins with that of the output


def new_versus_memory(rows: int, layers: tuple[int, int]) -> VersusMemory:
    """Return the memory of a learner that knows only the solo values of boards."""
    return VersusMemory(
        np.full(rows, _FIRST_SQUARE, np.float32),
        np.full(layers, _FIRST_LAYER_SQUARE, np.float32),
        np.zeros((3, INPUTS), np.int64),
        np.zeros(3, np.int64),
        np.zeros(3),
        np.zeros(2, np.int64),
        np.zeros(2),
        np.zeros((3, WIDTH), np.float32),
    )


@kernel
def _note(seats: Seats, memory: VersusMemory, slot: int, seat: int, cards: int, code: int, unseen: int) -> None:
    """Record in ``slot`` the inputs of a seat's board after placing the listed cards, and both boards' solo values."""
    stage, rows = seats.v[seat, Seat.STREET], rows_with(seats, seat, cards, code)
    _note_inputs(seats, memory, slot, seat, rows, unseen)
    if counted_deals(seats, stage, unseen) > 0:
        masks = masks_with(seats, seat, cards, code)
        memory.base[slot] = value_counted(seats, seat, stage, rows, masks, unseen)
    else:
        scale = learned_scale(seats.values.solo, stage, unseen)
        memory.base[slot] = value_alone(seats, stage, scale, rows[0], rows[1], rows[2], unseen)
    memory.base[slot] -= opponents_alone(seats, seat, unseen)


@kernel
def _note_inputs(
    seats: Seats, memory: VersusMemory, slot: int, seat: int, rows: tuple[int, int, int], unseen: int
) -> None:
    """Record in ``slot`` the inputs of a seat's board with these rows."""
    stage = seats.v[seat, Seat.STREET]
    values, inputs, other = seats.values, memory.inputs[slot], 1 - seat
    scale = learned_scale(values.solo, stage, unseen)
    prospects = board_prospects(values, stage + 1, scale, rows[0], rows[1], rows[2], unseen)
    mine = board_inputs(values, stage, 0, scale, rows[0], rows[1], rows[2], unseen, prospects)
    for i in range(INPUTS):
        inputs[i] = -1
    for i in range(BOARD_INPUTS):
        inputs[i] = mine[i]
    inputs[KIND] = kind_input(values, stage, kind_of(seats, seat, other))
    memory.stages[slot] = stage
    row = seats.v[other]
    if row[Seat.HIDDEN] == 0:
        their_rows = row[Seat.ROW], row[Seat.ROW + 1], row[Seat.ROW + 2]
        their_prospects = prospects_of(seats, other, unseen)
        theirs = their_inputs(seats, other, stage, unseen, their_prospects)
        for i in range(BOARD_INPUTS):
            inputs[BOARD_INPUTS + i] = theirs[i]
        met = meeting_inputs(values, stage, rows, their_rows, prospects, their_prospects)
        for i in range(MEETINGS):
            inputs[2 * BOARD_INPUTS + i] = met[i]


@kernel(inline=True)
def _copy(memory: VersusMemory, slot: int, to: int) -> None:
    """Copy a recorded board to another slot."""
    for i in range(INPUTS):
        memory.inputs[to, i] = memory.inputs[slot, i]
    memory.stages[to], memory.base[to] = memory.stages[slot], memory.base[slot]


@kernel
def _run(seats: Seats, memory: VersusMemory, slot: int) -> float:
    """Return the value of a recorded board; leave the layers of the network in the scratch."""
    values, first, stage = seats.values, seats.hidden[FIRST], memory.stages[slot]
    set_row(values.layers[stage, BIAS : BIAS + WIDTH], first)
    for i in range(INPUTS):
        row = memory.inputs[slot, i]
        if row >= 0:
            add_row(values.rows[row], first)
    return memory.base[slot] + run_network(values, stage, seats.hidden)


@kernel(inline=True)
def _step(weights: Singles, squares: Singles, scale: float, slopes: Singles, rate: float) -> None:
    """Move some entries of the layers along their slopes, times ``scale``."""
    keep, fresh, small = float32(_MEMORY), float32(1.0 - _MEMORY), float32(_SMALL)
    for k in range(slopes.size):
        slope = scale * slopes[k]
        squares[k] = keep * squares[k] + fresh * slope * slope
        weights[k] += rate * slope / (float32(math.sqrt(squares[k])) + small)


@kernel
def _move(seats: Seats, memory: VersusMemory, seat: int, target: float, rate: float) -> None:
    """Move the value of a seat's last board towards a target, unless the other seat placed at random."""
    if memory.random[1 - seat]:
        return  # a blunder by the other seat says nothing about my board
    off = memory.slopes[2, :1]
    off[0] = target - _run(seats, memory, seat)
    layer, squares = seats.values.layers[memory.stages[seat]], memory.layer_squares[memory.stages[seat]]
    first, second = seats.hidden[FIRST], seats.hidden[SECOND]
    to_first, to_second = memory.slopes[0], memory.slopes[1]
    outwards = layer[OUT:OUT_BIAS]
    step, one, zero = float32(rate * LAYER_RATE), float32(1.0), float32(0.0)
    for k in range(to_second.size):
        slope = off[0] * outwards[k]
        to_second[k] = slope if second[k] > zero else zero
    for i in range(to_first.size):
        dense, total = layer[DENSE + i * WIDTH : DENSE + (i + 1) * WIDTH], zero
        for k in range(to_second.size):
            total += dense[k] * to_second[k]
        to_first[i] = total if first[i] > zero else zero
        _step(dense, squares[DENSE + i * WIDTH :], first[i], to_second, step)
    _step(outwards, squares[OUT:], off[0], second, step)
    _step(layer[OUT_BIAS:], squares[OUT_BIAS:], one, off, step)
    _step(layer[DENSE_BIAS:], squares[DENSE_BIAS:], one, to_second, step)
    _step(layer[BIAS:], squares[BIAS:], one, to_first, step)
    _move_rows(seats, memory, seat, float32(rate * ROW_RATE))


@kernel
def _move_rows(seats: Seats, memory: VersusMemory, seat: int, step: float) -> None:
    """Move the rows of a board's inputs."""
    slopes, size = memory.slopes[0], float32(0.0)
    for k in range(slopes.size):
        size += slopes[k] * slopes[k]
    for i in range(INPUTS):
        row = memory.inputs[seat, i]
        if row >= 0:
            memory.row_squares[row] += size / float32(WIDTH)
            share, weights = step / float32(math.sqrt(memory.row_squares[row])), seats.values.rows[row]
            for k in range(slopes.size):
                weights[k] += share * slopes[k]


@kernel
def _least_known(seats: Seats, memory: VersusMemory, seat: int, hand: int, unseen: int, rng: Rng) -> int:
    """Return the index of the placement whose board has most inputs never seen before; ties are broken at random."""
    count = list_codes(seats, seat, hand, seats.lists[CODES])
    cards = list_cards(hand, seats.lists[CARDS])
    best, best_fresh, equals = 0, -1, 0
    for i in range(count):
        _note_inputs(seats, memory, TRIED, seat, rows_with(seats, seat, cards, seats.lists[CODES, i]), unseen)
        fresh = 0
        for k in range(BOARD_INPUTS):
            fresh += int64(memory.row_squares[memory.inputs[TRIED, k]] == float32(_FIRST_SQUARE))
        if fresh > best_fresh:
            best, best_fresh, equals = i, fresh, 1
        elif fresh == best_fresh:
            equals += 1
            if below(rng, equals) == 0:
                best = i
    return best


@kernel
def _learn_street(
    seats: Seats, memory: VersusMemory, seat: int, hand: int, rng: Rng, rate: float, explore: float
) -> None:
    """Place a hand by the learned values, and learn the value of the board of the street before."""
    stage = seats.v[seat, Seat.STREET]
    unseen = unseen_by(seats, seat, hand)
    best = best_by_value(seats, seat, hand, unseen, LEARNING_MARGIN, False)
    cards = list_cards(hand, seats.lists[CARDS])
    if stage > 0:
        _note(seats, memory, TRIED, seat, cards, seats.lists[CODES, best], unseen)
        luck = memory.luck[seat] - memory.luck[1 - seat]
        _move(seats, memory, seat, _run(seats, memory, TRIED) - luck, rate)
    memory.random[seat] = int64(uniform(rng) < explore)
    if memory.random[seat]:
        best = below(rng, list_codes(seats, seat, hand, seats.lists[CODES]))
        if below(rng, 2) == 0:
            best = _least_known(seats, memory, seat, hand, unseen, rng)
    if stage > 0 and not memory.random[seat]:
        _copy(memory, TRIED, seat)
    else:
        _note(seats, memory, seat, seat, cards, seats.lists[CODES, best], unseen)
    place(seats, seat, hand, seats.lists[CODES, best])


@kernel
def clear_seats(seats: Seats) -> None:
    """Reset all seats to the time before the first deal."""
    v = seats.v
    for seat in range(seat_count(seats)):
        for i in range(Seat.SIZE):
            v[seat, i] = 0
        for row in range(3):
            v[seat, Seat.ROW + row] = EMPTY_ROW
            v[seat, Seat.FREE + row] = ROW_SIZES[row]
    table = v[seat_count(seats)]
    table[Seat.DECK] = table[Seat.ALL]


@kernel
def _first_deal(seats: Seats, rng: Rng) -> int:
    """Return a rare first hand, or an ordinary one if the deck has too few cards for it."""
    table = seats.v[seat_count(seats)]
    hand = rare_cards(table[Seat.DECK], seats.streets[0], rng)
    if hand == 0:
        return deal(seats, 0, rng)
    table[Seat.DECK] &= ~hand
    return hand


@kernel
def _deal(seats: Seats, memory: VersusMemory, seat: int, rng: Rng) -> int:
    """Deal a seat its next street, and record the luck of the deal."""
    hand, memory.luck[seat] = deal_with_luck(seats, seat, rng)
    return hand


@kernel
def _learn_hand(seats: Seats, memory: VersusMemory, rng: Rng, rate: float, explore: float, hidden: float) -> None:
    """Play one hand of two seats, and learn from it."""
    clear_seats(seats)
    v, table = seats.v, seats.v[seat_count(seats)]
    learners = 2
    memory.random[1] = 0
    memory.luck[0] = memory.luck[1] = 0.0
    if uniform(rng) < hidden:
        learners = 1
        sample = below(rng, seats.bank.shape[0])
        table[Seat.DRAWN] = 1 + sample
        table[Seat.DECK] &= ~seats.bank[sample, 0, Banked.CARDS]
        v[1, Seat.HIDDEN] = 1
        v[1, Seat.FANTASYLAND] = seats.bank[sample, 0, Banked.NUMBER]
    rare = uniform(rng) < explore
    for street in range(seats.streets.size // 2 - 1):
        for seat in range(learners):
            hand = _first_deal(seats, rng) if rare and street == 0 else _deal(seats, memory, seat, rng)
            _learn_street(seats, memory, seat, hand, rng, rate, explore)
    if learners == 1:
        score_finished(seats)
        _move(seats, memory, 0, play_ends(seats, seats, 0, LAST_DEALS[0], rng), rate)
        return
    _move(seats, memory, 0, play_ends(seats, seats, 0, LAST_DEALS[1], rng) + memory.luck[1], rate)
    hand = _deal(seats, memory, 0, rng)
    place(seats, 0, hand, seats.lists[CODES, choose_last(seats, 0, hand, rng)])
    score_seat(seats, 0)
    memory.random[0] = 0
    _move(seats, memory, 1, play_ends(seats, seats, 1, LAST_DEALS[0], rng) + memory.luck[0], rate)


@kernel
def learn_duels(
    seats: Seats,
    memory: VersusMemory,
    rng: Rng,
    seed: int,
    first: int,
    count: int,
    hands: int,
    rate: float,
    explore: float,
    hidden: float,
) -> None:
    """Learn from ``count`` hands, starting with number ``first``; steps shrink to zero towards hand ``hands``.

    Each hand depends on the seed, on its number and on what was learned before.
    """
    for i in range(count):
        reseed(rng, seed, first + i)
        _learn_hand(seats, memory, rng, rate * (1.0 - (first + i) / hands), explore, hidden)
