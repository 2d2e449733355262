"""How the search values a hand: the look of a board, playouts by looks, exact leaves, and bounds.

The look of a board is its learned value (:mod:`.learned`) if weights fit the rules. Otherwise it is a heuristic: the
expected pay of its rows less the risk of a foul, looked up in the promise tables (:mod:`.promise`). A playout ends at
eleven cards, where the exact mean is cheap.
"""

import math

import numpy as np

from bromeliad.core.game import (
    estimate,
    is_hopeless,
    leaf_value,
    legal_actions,
    phase,
    playout_action,
    score_actions,
    upper_bound,
    value_scale,
)
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.rng import Rng
from bromeliad.games.ofc.exact.expectation import eleven_value
from bromeliad.games.ofc.exact.pairs import ExactContext, put_in_row
from bromeliad.games.ofc.exact.scratch import KNOWN, SAVED, PairScratch
from bromeliad.games.ofc.hands.automaton import row_place
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.values.hand_state import FOUL_COST, Field, HandState, copy_fields, place_code, rows_value
from bromeliad.games.ofc.values.learned import learned_scale, learned_value
from bromeliad.games.ofc.values.promise import CEILING, EXPECTED_PAY, HIGHEST, LOWEST, MEAN, VARIANCE, PromiseTables

REFINED = 1
"""The number of best-looking placements that a playout compares by exact value, where those are cheap."""


@kernel(inline=True)
def _exceeds(mean: float, variance: float) -> float:
    """Return the probability that a normal variable with this mean and variance is positive."""
    if variance < 1.0:
        return 1.0 if mean > 0.0 else 0.0
    return 0.5 * math.erfc(-mean / math.sqrt(2.0 * variance))


@kernel(inline=True)
def foul_risk(tables: Tables, promise: PromiseTables, top: int, middle: int, back: int) -> float:
    """Return an estimate of the probability that a board with these rows fouls in the end."""
    a, b, c = row_place(top), row_place(middle), row_place(back)
    if tables.flags[Flag.LOW_MIDDLE]:
        above = _exceeds(promise[MEAN, a] - promise[MEAN + 2, c], promise[VARIANCE, a] + promise[VARIANCE + 2, c])
        return 1.0 - promise[MEAN + 1, b] * (1.0 - above)
    over_middle = _exceeds(promise[MEAN, a] - promise[MEAN + 1, b], promise[VARIANCE, a] + promise[VARIANCE + 1, b])
    over_back = _exceeds(
        promise[MEAN + 1, b] - promise[MEAN + 2, c], promise[VARIANCE + 1, b] + promise[VARIANCE + 2, c]
    )
    return 1.0 - (1.0 - over_middle) * (1.0 - over_back)


@kernel
def rows_promise(tables: Tables, promise: PromiseTables, foul_cost: float, top: int, middle: int, back: int) -> float:
    """Return the heuristic value of three rows: their expected pay, less the risk of a foul."""
    a, b, c = row_place(top), row_place(middle), row_place(back)
    pay = promise[EXPECTED_PAY, a] + promise[EXPECTED_PAY + 1, b] + promise[EXPECTED_PAY + 2, c]
    risk = foul_risk(tables, promise, top, middle, back)
    return (1.0 - risk) * pay - risk * foul_cost


@kernel
def board_promise(state: HandState, top: int, middle: int, back: int) -> float:
    """Return :func:`rows_promise` under the rules and the objective of a state."""
    return rows_promise(state.tables, state.promise, state.worth[FOUL_COST], top, middle, back)


@kernel
def rows_after(state: HandState, code: int) -> tuple[int, int, int]:
    """Return the three rows after a placement of the cards in hand."""
    v = state.v
    top, middle, back = v[Field.ROW], v[Field.ROW + 1], v[Field.ROW + 2]
    hand = v[Field.HAND]
    card = 0
    while hand:
        if hand & 1:
            row = int64(code & 3) - 1
            code >>= 2
            if row >= 0:
                top, middle, back = put_in_row(state.tables.hands, top, middle, back, row, card)
        hand >>= 1
        card += 1
    return top, middle, back


@kernel(inline=True)
def is_pair_street(state: HandState, street: int) -> bool:
    """Return whether this is the last street, and deals three cards of which two are placed."""
    streets = state.streets
    return 2 * street + 2 == streets.size and streets[2 * street] == 3 and streets[2 * street + 1] == 2


@kernel(inline=True)
def _known_mean(state: HandState) -> float:
    """Return the exact mean of this board if it was the last one valued, else NaN."""
    v, whole = state.v, state.scratch.whole
    for i in range(3):
        if whole[KNOWN, i] != v[Field.MASK + i]:
            return np.nan
    known = whole[KNOWN, 3] == v[Field.DECK] and whole[KNOWN, 4] == v[Field.SEEN]
    return state.scratch.real[KNOWN, 0] if known and whole[KNOWN, 5] == v[Field.FANTASYLAND] else np.nan


@kernel
def exact_leaf(state: HandState) -> float:
    """Return the exact mean of an eleven-card board before its last draw."""
    v, scratch = state.v, state.scratch
    value = _known_mean(state)
    if value == value:
        return value
    context = ExactContext(
        state.tables, state.worth, state.pay, state.opponent_tables, v[Field.SEEN], v[Field.FANTASYLAND]
    )
    board = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2]
    free = (v[Field.FREE], v[Field.FREE + 1], v[Field.FREE + 2])
    value = eleven_value(context, v[Field.ROW], v[Field.ROW + 1], v[Field.ROW + 2], free, board, v[Field.DECK], scratch)
    for i in range(3):
        scratch.whole[KNOWN, i] = v[Field.MASK + i]
    scratch.whole[KNOWN, 3] = v[Field.DECK]
    scratch.whole[KNOWN, 4] = v[Field.SEEN]
    scratch.whole[KNOWN, 5] = v[Field.FANTASYLAND]
    scratch.real[KNOWN, 0] = value
    return value


@leaf_value.register(HandState)
def _leaf_value(state: HandState, values: Floats) -> bool:
    v = state.v
    if v[Field.HAND] == 0 and is_pair_street(state, v[Field.STREET]):
        values[0] = exact_leaf(state)
        return True
    return False


@kernel(inline=True)
def look_scale(state: HandState, stage: int) -> float:
    """Return the scale of live cards for :func:`board_look`, the same for all boards after a street."""
    if state.learned.weights.size == 0 or stage < 0 or 2 * stage + 2 >= state.streets.size:
        return 0.0
    return learned_scale(state.learned, stage, state.v[Field.DECK])


@kernel
def board_look(state: HandState, stage: int, scale: float, top: int, middle: int, back: int) -> float:
    """Return the look of a board after street ``stage``; ``scale`` is from :func:`look_scale`."""
    if scale == 0.0:
        return board_promise(state, top, middle, back)
    return learned_value(state.learned, stage, scale, top, middle, back, state.v[Field.DECK])


@estimate.register(HandState)
def _estimate(state: HandState, player: int) -> float:
    v = state.v
    stage = v[Field.STREET] - 1
    scale = look_scale(state, stage)
    return board_look(state, stage, scale, v[Field.ROW], v[Field.ROW + 1], v[Field.ROW + 2])


@score_actions.register(HandState)
def _score_actions(state: HandState, actions: Ints, count: int, scores: Floats) -> None:
    stage = state.v[Field.STREET]
    scale = look_scale(state, stage)
    for i in range(count):
        top, middle, back = rows_after(state, actions[i])
        scores[i] = board_look(state, stage, scale, top, middle, back)


@kernel
def exact_after(state: HandState, code: int) -> float:
    """Return the exact mean of the eleven-card board after a placement."""
    saved = state.scratch.whole[SAVED]
    copy_fields(saved, state.v)
    place_code(state, code)
    value = exact_leaf(state)
    copy_fields(state.v, saved)
    return value


@kernel(inline=True)
def _keep_known(scratch: PairScratch, source: int, target: int) -> None:
    """Copy a known exact mean and its board: entry 0 is the last board valued, entry 1 the best so far."""
    for i in range(6):
        scratch.whole[KNOWN + target, i] = scratch.whole[KNOWN + source, i]
    scratch.real[KNOWN + target, 0] = scratch.real[KNOWN + source, 0]


@kernel(internal=True)
def _best_looking(state: HandState, actions: Ints, start: int, count: int, last: bool) -> None:
    """Move the best-looking of the actions from ``start`` on to ``start``; the best by value on the last street."""
    v = state.v
    seen = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2] | v[Field.HAND] | v[Field.SEEN]
    stage = v[Field.STREET]
    scale = look_scale(state, stage)
    best, best_value, best_fouled = start, -1e300, True
    for i in range(start, count):
        top, middle, back = rows_after(state, actions[i])
        fouled = False
        if last:
            value, fouled, _, _ = rows_value(
                state.tables, state.worth, state.opponent_tables, top, middle, back, seen, v[Field.FANTASYLAND]
            )
        else:
            value = board_look(state, stage, scale, top, middle, back)
        if value > best_value or (value == best_value and best_fouled and not fouled):
            best, best_value, best_fouled = i, value, fouled
    actions[start], actions[best] = actions[best], actions[start]


@kernel
def best_refined(state: HandState, actions: Ints, refined: int) -> tuple[int, float]:
    """Return the best of the ``refined`` best-looking placements on the street before the last, and its exact value."""
    count = legal_actions(state, actions)
    best, best_value = actions[0], -1e300
    for i in range(min(refined, count)):
        _best_looking(state, actions, i, count, False)
        value = exact_after(state, actions[i])
        if value > best_value:
            best, best_value = actions[i], value
            _keep_known(state.scratch, 0, 1)
    _keep_known(state.scratch, 1, 0)  # the playout asks for it next
    return best, best_value


@kernel
def choose_by_look(state: HandState, actions: Ints, refined: int) -> int:
    """Return the best-looking placement; where exact values are cheap, the best of ``refined`` such placements."""
    street = state.v[Field.STREET]
    if refined > 1 and is_pair_street(state, street + 1):
        return best_refined(state, actions, refined)[0]
    count = legal_actions(state, actions)
    _best_looking(state, actions, 0, count, 2 * street + 2 == state.streets.size)
    return actions[0]


@playout_action.register(HandState)
def _playout_action(state: HandState, actions: Ints, rng: Rng) -> int:
    return choose_by_look(state, actions, REFINED)


@upper_bound.register(HandState)
def _upper_bound(state: HandState, player: int) -> float:
    v, promise = state.v, state.promise
    total = 0.0
    for row in range(3):
        total += promise[CEILING + row, row_place(v[Field.ROW + row])]
    # parts that belong to no single row: the bonus of the first deal, and fantasyland by two rows at once
    flags = state.tables.flags
    if flags[Flag.BY_FIRST_STREET]:
        may_come = v[Field.STREET] == 0 and v[Field.HAND] == 0
        total += flags[Flag.BONUS] if may_come or v[Field.FANTASYLAND] > 0 else 0
    elif flags[Flag.ENTRY_BOTH]:
        total += max(state.worth[flags[Flag.ENTRY_BOTH]], 0.0)
    return max(total, -state.worth[FOUL_COST])


@is_hopeless.register(HandState)
def _is_hopeless(state: HandState, action: int) -> bool:
    """Return whether the board must foul after a placement."""
    if state.worth[FOUL_COST] < 0.0:  # then a foul may be the best result
        return False
    top, middle, back = rows_after(state, action)
    promise = state.promise
    if state.tables.flags[Flag.LOW_MIDDLE]:
        return (
            promise[HIGHEST + 1, row_place(middle)] == 0
            or promise[LOWEST, row_place(top)] > promise[HIGHEST + 2, row_place(back)]
        )
    return (
        promise[LOWEST + 1, row_place(middle)] > promise[HIGHEST + 2, row_place(back)]
        or promise[LOWEST, row_place(top)] > promise[HIGHEST + 1, row_place(middle)]
    )


@value_scale.register(HandState)
def _value_scale(state: HandState) -> float:
    return 10.0


@phase.register(HandState)
def _phase(state: HandState) -> int:
    return min(6 * state.v[Field.STREET] // state.streets.size, 2)  # thirds of the streets, of which there are size / 2
