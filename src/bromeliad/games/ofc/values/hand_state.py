"""One player's hand: the state that the search and the exact solvers work on.

Chance deals a street, the player places it, and so on to the last street. The outcome is the value of the board:
royalties plus the worth of the next fantasyland, or minus the cost of a foul. Opponents whose boards count are tables.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    apply,
    copy_into,
    legal_actions,
    outcome,
    sample_chance,
    state_key,
    to_play,
)
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.rng import Rng, draw_cards
from bromeliad.games.ofc.exact.scratch import PairScratch, pair_scratch
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, add_card, best_strength, row_of_mask
from bromeliad.games.ofc.hands.placements import list_placements
from bromeliad.games.ofc.opponents.tables import OpponentTables, expected_scoop, no_opponents
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, RuleSet
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables, rule_tables
from bromeliad.games.ofc.rules.scoring import (
    board_royalties,
    is_reached,
    next_fantasyland,
    resolve_rows,
    resolve_without_copies,
)
from bromeliad.games.ofc.values.learned import Learned, empty_learned
from bromeliad.games.ofc.values.promise import PromiseTables, empty_promise_tables


class _Fields(NamedTuple):
    """Offsets into :attr:`HandState.v`."""

    ROW: int = 0  # three entries: the rows as automaton states
    MASK: int = 3  # three entries: the rows as card masks
    FREE: int = 6  # three entries: free places
    HAND: int = 9  # cards dealt and not yet placed, as a mask; 0 between streets
    DECK: int = 10  # cards that may still be dealt, as a mask
    STREET: int = 11  # streets placed so far
    SEEN: int = 12  # opponents' open cards, which a joker may not copy if the rules forbid it
    FANTASYLAND: int = 13  # cards of this fantasyland hand, 0 if normal; > 0 too if the first deal earned fantasyland
    SIZE: int = 14


Field = _Fields()
FOUL_COST = 18
"""Index of the cost of a foul in :attr:`HandState.worth`; lower indices are numbers of fantasyland cards."""

BoardValue = tuple[float, bool, int, int]
"""Value, fouled, royalties, next fantasyland cards."""

_KEY_MIX = np.uint64(0x9E3779B97F4A7C15)


class HandState(NamedTuple):
    """One player's hand; only ``v`` changes, the rest depends on the rules and the question."""

    v: NDArray[np.int64]
    tables: Tables
    streets: NDArray[np.int64]  # [2 * street] cards dealt, [2 * street + 1] cards placed
    worth: NDArray[np.float64]  # [cards] worth of fantasyland by number of cards, [FOUL_COST] cost of a foul
    pay: NDArray[np.float64]  # [row, strength] royalty, worth of fantasyland by this row, points from opponents
    opponent_tables: OpponentTables  # the opponents, if their boards count
    scratch: PairScratch  # for evaluating this state; a clone has its own
    promise: PromiseTables  # steers a search; empty if the state is not searched
    learned: Learned  # values boards in a search; if empty, the promise tables do


def solo_state(rules: RuleSet, streets: NDArray[np.int64], worth: NDArray[np.float64]) -> HandState:
    """Return the state before the first deal, without promise tables and learned values."""
    tables = rule_tables(rules)
    v = np.zeros(Field.SIZE, np.int64)
    v[Field.ROW : Field.ROW + 3] = EMPTY_ROW
    v[Field.FREE : Field.FREE + 3] = ROW_SIZES
    v[Field.DECK] = (1 << (DECK_SIZE + int(tables.flags[Flag.JOKERS]))) - 1
    for array in (streets, worth):
        array.setflags(write=False)
    pay = make_pay(rules, worth.tobytes())
    return HandState(
        v, tables, streets, worth, pay, no_opponents(), pair_scratch(), empty_promise_tables(), empty_learned()
    )


@lru_cache(maxsize=32)
def make_pay(rules: RuleSet, worth_bytes: bytes) -> NDArray[np.float64]:
    """Return the pay by row and strength under a rule set, given the bytes of the worths."""
    tables, worth = rule_tables(rules), np.frombuffer(worth_bytes)
    bonus = tables.flags[Flag.BONUS] * (tables.entry > 0)
    pay: NDArray[np.float64] = tables.royalty + bonus + np.where(tables.entry > 0, worth[tables.entry], 0.0)
    pay.setflags(write=False)
    return pay


@kernel(inline=True)
def put_card(state: HandState, card: int, row: int) -> None:
    """Put one card into a row."""
    v = state.v
    v[Field.ROW + row] = add_card(state.tables.hands, v[Field.ROW + row], card)
    v[Field.MASK + row] |= int64(1) << card
    v[Field.FREE + row] -= 1


@kernel(inline=True)
def place_code(state: HandState, code: int) -> None:
    """Place the cards in hand by a placement code; the others are discarded."""
    v = state.v
    hand = v[Field.HAND]
    card = 0
    while hand:
        if hand & 1:
            row = int64(code & 3)
            code >>= 2
            if row > 0:
                put_card(state, card, row - 1)
        hand >>= 1
        card += 1
    v[Field.HAND] = 0
    v[Field.STREET] += 1


@kernel
def rows_value(
    tables: Tables,
    worth: Floats,
    opponent_tables: OpponentTables,
    top: int,
    middle: int,
    back: int,
    seen: int,
    fantasyland: int,
) -> BoardValue:
    """Return (value, fouled, royalties, next fantasyland cards) of three full rows.

    ``seen`` has all open cards, including the board's own; ``fantasyland`` is as in ``Field``.
    """
    if seen >> DECK_SIZE and not tables.flags[Flag.MAY_COPY_SEEN]:
        fouled, a, b, c = resolve_without_copies(tables, top, middle, back, seen)
    else:
        fouled, a, b, c = resolve_rows(tables, top, middle, back)
    if fouled:
        return -worth[FOUL_COST], True, int64(0), int64(0)
    royalties = board_royalties(tables, a, b, c)
    cards = next_fantasyland(tables, a, b, c, fantasyland)
    if is_reached(tables, fantasyland, cards):
        royalties += tables.flags[Flag.BONUS]
    value = royalties + worth[cards]
    if opponent_tables.scoop.size:
        value += (
            opponent_tables.rows[0, a]
            + opponent_tables.rows[1, b]
            + opponent_tables.rows[2, c]
            + expected_scoop(opponent_tables, a, b, c)
        )
    return value, False, royalties, cards


@kernel(inline=True)
def board_value(state: HandState) -> BoardValue:
    """Return (value, fouled, royalties, next fantasyland cards) of a full board."""
    v = state.v
    seen = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2] | v[Field.SEEN]
    return rows_value(
        state.tables,
        state.worth,
        state.opponent_tables,
        v[Field.ROW],
        v[Field.ROW + 1],
        v[Field.ROW + 2],
        seen,
        v[Field.FANTASYLAND],
    )


@kernel(inline=True)
def copy_fields(target: Ints, source: Ints) -> None:
    """Copy the changing part of a hand (offsets: ``Field``)."""
    for i in range(Field.SIZE):
        target[i] = source[i]


@copy_into.register(HandState)
def _copy_into(target: HandState, source: HandState) -> None:
    copy_fields(target.v, source.v)


@to_play.register(HandState)
def _to_play(state: HandState) -> int:
    if state.v[Field.HAND] != 0:
        return 0
    if 2 * state.v[Field.STREET] == state.streets.size:
        return TERMINAL
    return CHANCE


@legal_actions.register(HandState)
def _legal_actions(state: HandState, actions: Ints) -> int:
    v = state.v
    street = v[Field.STREET]
    twins = v[Field.HAND] >> DECK_SIZE == 3
    deal, place = state.streets[2 * street], state.streets[2 * street + 1]
    return list_placements(deal, v[Field.FREE], v[Field.FREE + 1], v[Field.FREE + 2], place, twins, actions)


@apply.register(HandState)
def _apply(state: HandState, action: int) -> None:
    v = state.v
    if v[Field.HAND] == 0:
        v[Field.HAND] = action
        v[Field.DECK] &= ~action
        wanted = state.tables.flags[Flag.BY_FIRST_STREET]
        if wanted > 0 and v[Field.STREET] == 0:
            reached = best_strength(state.tables.hands, row_of_mask(state.tables.hands, action)) >= wanted
            v[Field.FANTASYLAND] = state.streets[0] if reached else 0
    else:
        place_code(state, action)


@sample_chance.register(HandState)
def _sample_chance(state: HandState, rng: Rng) -> int:
    deck = state.v[Field.DECK]
    drawn = draw_cards(rng, deck, state.streets[2 * state.v[Field.STREET]])
    if deck >> DECK_SIZE == 3 and drawn >> DECK_SIZE == 2:  # the first joker is dealt before the second
        drawn ^= int64(3) << DECK_SIZE
    return drawn


@outcome.register(HandState)
def _outcome(state: HandState, player: int) -> float:
    return np.float64(board_value(state)[0])


@kernel
def _hash(v: Ints) -> int:
    """Return a hash of the fields that determine all others."""
    key = np.uint64(v[Field.HAND] + 1 + (v[Field.FANTASYLAND] << (DECK_SIZE + 3))) * _KEY_MIX
    for i in (Field.MASK, Field.MASK + 1, Field.MASK + 2, Field.DECK, Field.SEEN):
        key = (key ^ np.uint64(v[i])) * _KEY_MIX
        key ^= key >> np.uint64(29)
    return int64(key)


@state_key.register(HandState)
def _state_key(state: HandState) -> int:
    return _hash(state.v)
