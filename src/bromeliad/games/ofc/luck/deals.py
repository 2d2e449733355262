"""The luck of a deal to a player without opponents: how much better the cards are than other possible deals.

Every board has a fixed value, and a deal is worth the value of its best placement. Its luck is this value less the mean
over all possible deals. For any player and any values, the luck of a street averages to zero, so it may be subtracted
from the result of a hand. The better the values, the closer the remainder is to the effect of play alone.

The mean is exact on the last street (the pair matrix), on the first street of a full deck (hands up to suits), if there
are few deals, and on streets that deal three cards and place two. On those streets the values ignore the discard, so
that pairs of cards can be tabulated. On other streets each hand draws its own sample. On the street before the last,
the best-looking placements are valued exactly; the mean difference between exact values and looks is sampled too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.game import apply, clone, copy_into, legal_actions, sample_chance
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, new_rng, reseed
from bromeliad.games.ofc.exact.expectation import first_draw, next_draw
from bromeliad.games.ofc.exact.pairs import put_in_row
from bromeliad.games.ofc.hands.canonical import canonical_weight
from bromeliad.games.ofc.rules.rule_tables import Flag
from bromeliad.games.ofc.values.hand_state import Field, HandState, rows_value
from bromeliad.games.ofc.values.heuristics import (
    best_refined,
    board_look,
    exact_leaf,
    is_pair_street,
    look_scale,
    rows_after,
)

LISTED = 1000
"""Up to this number, all deals are tried."""

SAMPLED = 300
"""Sampled deals behind a mean, if there are more deals and no table helps."""

CORRECTED = 20
"""Sampled deals behind the mean difference between exact values and looks, on the street before the last."""

_CARDS = DECK_SIZE + 2


class LuckScratch(NamedTuple):
    """Scratch of one thread."""

    actions: NDArray[np.int64]
    cards: NDArray[np.int64]  # of the deck, lowest first
    pairs: NDArray[np.float64]  # [i, j], i < j: the best look of a board with the cards i and j


def luck_scratch(actions: NDArray[np.int64]) -> LuckScratch:
    """Return the scratch of one thread; ``actions`` must be long enough for the placements of any street."""
    return LuckScratch(actions, np.zeros(_CARDS, np.int64), np.zeros((_CARDS, _CARDS)))


@kernel
def best_value(state: HandState, actions: Ints) -> float:
    """Return the value of the best placement of the cards in hand: exact on the last street, otherwise the look."""
    v = state.v
    stage = v[Field.STREET]
    last = 2 * stage + 2 == state.streets.size
    seen = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2] | v[Field.HAND] | v[Field.SEEN]
    scale = look_scale(state, stage)
    best = -1e300
    for i in range(legal_actions(state, actions)):
        top, middle, back = rows_after(state, actions[i])
        if last:
            value = rows_value(
                state.tables, state.worth, state.opponent_tables, top, middle, back, seen, v[Field.FANTASYLAND]
            )[0]
        else:
            value = board_look(state, stage, scale, top, middle, back)
        best = max(best, np.float64(value))
    return best


@kernel
def _is_refined(state: HandState) -> bool:
    """Return whether exact values are cheap after the next street of ``state``."""
    flags = state.tables.flags
    slow = flags[Flag.JOKERS] and not flags[Flag.MAY_COPY_SEEN]  # exact values take a thousand times longer
    return not slow and is_pair_street(state, state.v[Field.STREET] + 1)


@kernel
def _value_after(state: HandState, work: HandState, deal: int, refined: int, actions: Ints) -> float:
    """Return the value of the best placement of the next deal of ``state``.

    On the street before the last it is the best exact value of the ``refined`` best-looking placements.
    """
    copy_into(work, state)
    apply(work, deal)
    if _is_refined(state):
        return best_refined(work, actions, refined)[1]
    return best_value(work, actions)


@kernel
def _best_pair_look(state: HandState, stage: int, scale: float, x: int, y: int) -> float:
    """Return the best look of a board after placing the cards x and y."""
    v, hands = state.v, state.tables.hands
    best = -1e300
    for a in range(3):
        if v[Field.FREE + a] == 0:
            continue
        r0, r1, r2 = put_in_row(hands, v[Field.ROW], v[Field.ROW + 1], v[Field.ROW + 2], a, x)
        for b in range(3):
            if v[Field.FREE + b] > int64(a == b):
                top, middle, back = put_in_row(hands, r0, r1, r2, b, y)
                best = max(best, board_look(state, stage, scale, top, middle, back))
    return best


@kernel
def fill_looks(state: HandState, scratch: LuckScratch) -> int:
    """Write the best look after placing each pair into ``scratch.pairs``; return the number of cards."""
    v = state.v
    deck, stage = v[Field.DECK], v[Field.STREET]
    count = 0
    for card in range(_CARDS):
        if deck >> card & 1:
            scratch.cards[count] = card
            count += 1
    v[Field.DECK] = deck & ~first_draw(deck, 2)
    scale = look_scale(state, stage)  # depends only on the number of cards
    for i in range(count):
        for j in range(i + 1, count):
            x, y = scratch.cards[i], scratch.cards[j]
            v[Field.DECK] = deck & ~(int64(1) << x | int64(1) << y)
            scratch.pairs[i, j] = _best_pair_look(state, stage, scale, x, y)
    v[Field.DECK] = deck
    return count


@kernel
def mean_of_pairs(count: int, pairs: Floats) -> float:
    """Return the mean of the best pair in a deal, over all deals of three cards."""
    total = 0.0
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(j + 1, count):
                total += max(max(pairs[i, j], pairs[i, k]), pairs[j, k])
    return total / (count * (count - 1) * (count - 2) / 6.0)


@kernel
def best_pair_in_deal(deck: int, deal: int, pairs: Floats) -> float:
    """Return the value of the best pair in a deal of three cards."""
    i, j, k, place = -1, -1, -1, 0
    for card in range(_CARDS):
        if deal >> card & 1:
            i, j, k = j, k, place
        place += deck >> card & 1
    return max(max(pairs[i, j], pairs[i, k]), pairs[j, k])


@kernel
def _are_few(deck: int, size: int) -> bool:
    """Return whether there are so few deals of ``size`` cards that all can be tried."""
    cards = 0
    while deck:
        deck &= deck - 1
        cards += 1
    deals = 1.0
    for i in range(size):
        deals *= (cards - i) / (i + 1.0)
    return deals <= LISTED


@kernel
def _mean_value(state: HandState, work: HandState, refined: int, scratch: LuckScratch, rng: Rng) -> float:
    """Return the mean value of the best placement, over all deals or a sample of them."""
    deck, size = state.v[Field.DECK], state.streets[2 * state.v[Field.STREET]]
    total, deals = 0.0, 0
    if _are_few(deck, size):
        deal = first_draw(deck, size)
        while deal != 0:
            total += _value_after(state, work, deal, refined, scratch.actions)
            deals += 1
            deal = next_draw(deck, deal)
    else:
        for _ in range(SAMPLED):
            total += _value_after(state, work, sample_chance(state, rng), refined, scratch.actions)
            deals += 1
    return total / deals


@kernel
def _luck_by_pairs(state: HandState, work: HandState, deal: int, refined: int, scratch: LuckScratch, rng: Rng) -> float:
    """Return the luck of a deal of three cards of which two are placed, before the last street."""
    deck = state.v[Field.DECK]
    mean = mean_of_pairs(fill_looks(state, scratch), scratch.pairs)
    if not _is_refined(state):
        return best_pair_in_deal(deck, deal, scratch.pairs) - mean
    off = 0.0
    for _ in range(CORRECTED):
        other = sample_chance(state, rng)
        off += _value_after(state, work, other, refined, scratch.actions) - best_pair_in_deal(
            deck, other, scratch.pairs
        )
    return _value_after(state, work, deal, refined, scratch.actions) - (mean + off / CORRECTED)


@kernel
def deal_luck(state: HandState, work: HandState, deal: int, refined: int, scratch: LuckScratch, rng: Rng) -> float:
    """Return the luck of the next deal of ``state``, which comes from its deck."""
    street, streets = state.v[Field.STREET], state.streets
    if is_pair_street(state, street):
        mean = exact_leaf(state)
    elif streets[2 * street] == 3 and streets[2 * street + 1] == 2 and not _are_few(state.v[Field.DECK], 3):
        return _luck_by_pairs(state, work, deal, refined, scratch, rng)
    else:
        mean = _mean_value(state, work, refined, scratch, rng)
    return _value_after(state, work, deal, refined, scratch.actions) - mean


@kernel
def hand_luck(
    root: HandState,
    state: HandState,
    work: HandState,
    deals: Ints,
    codes: Ints,
    first_mean: float,
    refined: int,
    seed: int,
    number: int,
    scratch: LuckScratch,
    rng: Rng,
    out: Floats,
) -> None:
    """Write the luck of each street of hands into ``out`` [hand, street].

    Parameters
    ----------
    deals, codes
        [hand, street] the cards dealt, and the placements made.
    first_mean
        The mean value of the first street's deals; NaN if it is unknown.
    refined
        The number of best-looking placements on the street before the last that are valued exactly.
    number
        The number of the first hand. The samples of a hand depend on the seed and its number.
    """
    for i in range(deals.shape[0]):
        copy_into(state, root)
        reseed(rng, seed, number + i)
        for street in range(deals.shape[1]):
            if street == 0 and not np.isnan(first_mean):
                out[i, street] = _value_after(state, work, deals[i, street], refined, scratch.actions) - first_mean
            else:
                out[i, street] = deal_luck(state, work, deals[i, street], refined, scratch, rng)
            apply(state, deals[i, street])
            apply(state, codes[i, street])


@kernel
def first_street_sum(root: HandState, work: HandState, lowest: int, scratch: LuckScratch) -> tuple[float, float]:
    """Return (sum of best values, number) of the first street's deals with a given lowest card, from a full deck.

    Of deals that differ only in suits, or in which of the two jokers they have, one is valued and weighted.
    """
    bit = int64(1) << lowest
    deck = root.v[Field.DECK]
    above = deck & ~(bit | (bit - 1))
    total, number = 0.0, 0.0
    rest = first_draw(above, root.streets[0] - 1)
    while rest != 0:
        deal = rest | bit
        weight = np.float64(canonical_weight(deal))
        if deck >> DECK_SIZE == 3:
            jokers = deal >> DECK_SIZE
            weight *= 2.0 if jokers == 1 else 0.0 if jokers == 2 else 1.0
        if weight > 0.0:
            total += weight * _value_after(root, work, deal, 1, scratch.actions)
            number += weight
        rest = next_draw(above, rest)
    return total, number


def is_full_deck(root: HandState) -> bool:
    """Return whether a hand begins with a full deck: suits do not affect the value of its first deal."""
    cards = DECK_SIZE + int(root.tables.flags[Flag.JOKERS])
    return int(root.v[Field.STREET]) == 0 and int(root.v[Field.DECK]) == (1 << cards) - 1


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    root = parse_spot(preset("pineapple"), board="Qd / 9c 9s 4h / As Ac Ad 2c 2d").to_search_state()
    work, scratch = clone(root), luck_scratch(np.zeros(1000, np.int64))
    deals, codes = np.array([[7]], np.int64), np.array([[0b111001]], np.int64)
    hand_luck(root, clone(root), work, deals << 30, codes, np.nan, 1, 1, 0, scratch, new_rng(1), np.zeros((1, 1)))
    full = parse_spot(preset("pineapple")).to_search_state()
    first_street_sum(full, work, DECK_SIZE - 5, scratch)
