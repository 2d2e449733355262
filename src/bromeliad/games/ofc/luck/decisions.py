"""The worth of decisions at a table, compared with a baseline that plays every hand by the look of its own board.

The baseline ignores the other seats, so seats that start equal have an expected result of zero before the deal. The
result of a hand is then the luck of its deals plus what each decision wins or loses compared with the baseline's. This
module measures the second part: it plays hands on after the seat's decision and after the baseline's, with the same
cards for everybody.

Hands are arrays of states, one per seat (offsets: ``Field``). Each seat counts its own jokers, so its first joker is
always number one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.game import apply, clone
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, draw_cards, new_rng, reseed
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle
from bromeliad.games.ofc.values.hand_state import Field, HandState, copy_fields
from bromeliad.games.ofc.values.heuristics import choose_by_look

_LOOKED_AT = 1  # placements that the baseline considers on the street before the last: it goes by looks alone


class DecisionScratch(NamedTuple):
    """Scratch of one thread, for a number of seats."""

    actions: NDArray[np.int64]
    deals: NDArray[np.int64]  # [street] of the seat being played
    ends: NDArray[np.int64]  # [seat, offset in Field] finished hands
    scored: NDArray[np.int64]  # [seat, offset in Scored]
    points: NDArray[np.int64]


def decision_scratch(actions: NDArray[np.int64], streets: int, seats: int) -> DecisionScratch:
    """Return the scratch of one thread; ``actions`` must be long enough for the placements of any street."""
    ends, scored = np.zeros((seats, Field.SIZE), np.int64), np.zeros((seats, Scored.SIZE), np.int64)
    return DecisionScratch(actions, np.zeros(streets, np.int64), ends, scored, np.zeros(4, np.int64))


@kernel
def own_cards(deal: int, deck: int) -> int:
    """Return a deal with its joker numbered as a seat with this deck counts it."""
    jokers = deal >> DECK_SIZE
    if jokers == 0 or jokers == 3:
        return deal
    mine = deck >> DECK_SIZE
    return deal & ((int64(1) << DECK_SIZE) - 1) | (mine & -mine) << DECK_SIZE


@kernel
def decide(state: HandState, deal: int, code: int, scratch: DecisionScratch, after: Ints) -> None:
    """Write a hand after a deal into ``after``: [0] after the actual placement, [1] after the baseline's."""
    before = scratch.ends[0]
    copy_fields(before, state.v)
    apply(state, own_cards(deal, state.v[Field.DECK]))
    apply(state, choose_by_look(state, scratch.actions, _LOOKED_AT))
    copy_fields(after[1], state.v)
    copy_fields(state.v, before)
    apply(state, own_cards(deal, state.v[Field.DECK]))
    apply(state, code)
    copy_fields(after[0], state.v)


@kernel
def _deal_rest(state: HandState, undealt: int, rng: Rng, deals: Ints) -> int:
    """Deal the remaining streets of a hand; return the cards that are left."""
    for street in range(state.v[Field.STREET], state.streets.size // 2):
        deals[street] = draw_cards(rng, undealt, state.streets[2 * street])
        undealt &= ~deals[street]
    return undealt


@kernel
def _play_rest(state: HandState, scratch: DecisionScratch, end: Ints) -> None:
    """Play the remaining streets of a hand as the baseline does."""
    for street in range(state.v[Field.STREET], state.streets.size // 2):
        apply(state, own_cards(scratch.deals[street], state.v[Field.DECK]))
        apply(state, choose_by_look(state, scratch.actions, _LOOKED_AT))
    copy_fields(end, state.v)


@kernel
def _play_others(state: HandState, hands: Ints, seat: int, undealt: int, scratch: DecisionScratch, rng: Rng) -> int:
    """Play the hands of all seats but one to the end; return the cards that are left."""
    for other in range(hands.shape[0]):
        if other != seat:
            copy_fields(state.v, hands[other])
            undealt = _deal_rest(state, undealt, rng, scratch.deals)
            _play_rest(state, scratch, scratch.ends[other])
    return undealt


@kernel
def _score_ends(state: HandState, scratch: DecisionScratch) -> None:
    """Score the finished hands, with all cards open."""
    ends = scratch.ends
    seen = int64(0)
    for seat in range(ends.shape[0]):
        seen |= ends[seat, Field.MASK] | ends[seat, Field.MASK + 1] | ends[seat, Field.MASK + 2]
    for seat in range(ends.shape[0]):
        top, middle, back = ends[seat, Field.MASK], ends[seat, Field.MASK + 1], ends[seat, Field.MASK + 2]
        score_board(state.tables, top, middle, back, ends[seat, Field.FANTASYLAND], seen, scratch.scored[seat])


@kernel
def _add_pair(state: HandState, seat: int, other: int, weight: float, scratch: DecisionScratch, out: Floats) -> None:
    """Add the points that a seat wins from another, with the worth of their next fantasylands, to both results."""
    mine, theirs = scratch.scored[seat], scratch.scored[other]
    won = settle(state.tables, mine, theirs, scratch.points)
    won += state.worth[mine[Scored.NEXT_CARDS]] - state.worth[theirs[Scored.NEXT_CARDS]]
    out[seat] += weight * won
    out[other] -= weight * won


@kernel
def decision_worth(
    state: HandState,
    tables: Ints,
    undealt: Ints,
    seat: int,
    after: Ints,
    count: int,
    seed: int,
    first: int,
    scratch: DecisionScratch,
    rng: Rng,
    out: Floats,
) -> None:
    """Add to ``out`` [seat] the mean gain of each seat from a decision, compared with the baseline's.

    Parameters
    ----------
    tables
        [variant, seat, offset in Field] the hands of all seats. Variants are used in turn; there are several if hidden
        cards were sampled.
    undealt
        [variant] the cards that nobody has.
    after
        The two hands of the seat, from :func:`decide`.
    count
        The number of times that the hand is played to its end.
    first
        The number of the first playout. Random numbers depend on the seed and this number.
    """
    for i in range(count):
        reseed(rng, seed, first + i)
        variant = i % tables.shape[0]
        left = _play_others(state, tables[variant], seat, undealt[variant], scratch, rng)
        copy_fields(state.v, after[0])
        _deal_rest(state, left, rng, scratch.deals)
        for branch in range(2):
            copy_fields(state.v, after[branch])
            _play_rest(state, scratch, scratch.ends[seat])
            _score_ends(state, scratch)
            for other in range(scratch.ends.shape[0]):
                if other != seat:
                    _add_pair(state, seat, other, (1.0 - 2.0 * branch) / count, scratch, out)


@kernel
def start_worth(
    state: HandState,
    tables: Ints,
    undealt: Ints,
    count: int,
    seed: int,
    first: int,
    scratch: DecisionScratch,
    rng: Rng,
    out: Floats,
) -> None:
    """Add to ``out`` [seat] the mean result if the baseline plays all seats on; see :func:`decision_worth`."""
    for i in range(count):
        reseed(rng, seed, first + i)
        variant = i % tables.shape[0]
        _play_others(state, tables[variant], -1, undealt[variant], scratch, rng)
        _score_ends(state, scratch)
        for seat in range(scratch.ends.shape[0]):
            for other in range(seat + 1, scratch.ends.shape[0]):
                _add_pair(state, seat, other, 1.0 / count, scratch, out)


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    rules = preset("pineapple")
    state = parse_spot(rules, objective="solo").to_search_state()
    scratch, rng = decision_scratch(np.zeros(1000, np.int64), len(rules.streets), 2), new_rng(1)
    tables, undealt = np.stack([state.v, state.v])[None], state.v[Field.DECK : Field.DECK + 1].copy()
    after = np.zeros((2, Field.SIZE), np.int64)
    start_worth(state, tables, undealt, 1, 1, 0, scratch, rng, np.zeros(2))
    work = clone(state)
    work.v[:] = tables[0, 0]
    decide(work, int64(0b11111), int64(0b1111111111), scratch, after)
    decision_worth(work, tables, undealt & ~0b11111, 0, after, 1, 1, 0, scratch, rng, np.zeros(2))
