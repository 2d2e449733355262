"""Temporal-difference learning of the value of boards between deals, by solo play against the deck.

Hands are played greedily by the values learned so far. After each street, the value of the previous board moves towards
the value of the best board now. The value of the board before the last deal moves towards the mean of a few last deals,
each played out. Step sizes follow temporal coherence: a weight whose errors keep their sign moves fast, and a weight
whose errors cancel comes to rest. In half of the hands, the cards of one or two opponents are revealed street by
street, so that the learner also sees decks in which many cards are gone.

A board that greedy play never reaches is never learned and looks worthless. Quads among the first five cards, for
example, are so rare that greedy play would never collect them. So some placements are random, half of these among the
least known boards. As many hands start with cards of few ranks, of one suit, or of consecutive ranks.

Three parts are learned beside the value and with the same steps: royalties, the share of fouls, and the worth of
fantasyland. The value always equals the royalties, minus the foul cost times the share of fouls, plus the worth.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import apply, clone, copy_into, legal_actions, sample_chance
from bromeliad.core.jit import int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, below, draw_cards, new_rng, reseed, uniform
from bromeliad.games.ofc.values.hand_state import Field, HandState, rows_value
from bromeliad.games.ofc.values.heuristics import rows_after
from bromeliad.games.ofc.values.learned import (
    TERMS,
    Learned,
    count_cards,
    learned_layout,
    learned_scale,
    learned_terms,
    learned_value,
    stage_size,
)

PARTS = 3
"""Learned beside the value: royalties, fouls, worth of fantasyland."""

DRAWS = 8
"""Last deals that the target of one board averages."""

_ONE_SUIT = int64(0x1FFF)
_EVERY_SUIT = int64(1 | 1 << 13 | 1 << 26 | 1 << 39)  # the deuces


class Memory(NamedTuple):
    """The parts that are learned beside the value, and the errors that set the step sizes."""

    parts: NDArray[np.float32]  # [weight, part]
    errors: NDArray[np.float32]  # [weight, 0] sum of errors, [weight, 1] sum of their absolute values
    scratch: NDArray[np.int64]  # scratch: the terms of the last board, then placements
    target: NDArray[np.float64]  # scratch: value and parts that the last board moves towards


def new_memory(weights: int, placements: int) -> Memory:
    """Return the memory of a learner that knows nothing."""
    return Memory(
        np.zeros((weights, PARTS), np.float32),
        np.zeros((weights, 2), np.float32),
        np.zeros(TERMS + placements, np.int64),
        np.zeros(1 + PARTS),
    )


@kernel
def _move(learned: Learned, memory: Memory, rate: float) -> None:
    """Move the last board's value and parts towards the target."""
    weights, parts, errors = learned.weights, memory.parts, memory.errors
    value = 0.0
    royalties, fouls, worth = 0.0, 0.0, 0.0
    for i in range(TERMS):
        w = memory.scratch[i]
        value += weights[w]
        royalties += parts[w, 0]
        fouls += parts[w, 1]
        worth += parts[w, 2]
    error = memory.target[0] - value
    for i in range(TERMS):
        w = memory.scratch[i]
        size = errors[w, 1]
        step = rate / TERMS
        if size > 0.0:
            step *= abs(errors[w, 0]) / size
        weights[w] += step * error
        parts[w, 0] += step * (memory.target[1] - royalties)
        parts[w, 1] += step * (memory.target[2] - fouls)
        parts[w, 2] += step * (memory.target[3] - worth)
        errors[w, 0] += error
        errors[w, 1] += abs(error)


@kernel
def _aim_at_board(learned: Learned, memory: Memory, terms: tuple[int, ...]) -> None:
    """Set the target to the value and the parts of a board."""
    for k in range(1 + PARTS):
        memory.target[k] = 0.0
    for i in range(TERMS):
        memory.target[0] += learned.weights[terms[i]]
        for k in range(PARTS):
            memory.target[1 + k] += memory.parts[terms[i], k]


@kernel
def _aim_at_ends(state: HandState, memory: Memory, rng: Rng) -> None:
    """Set the target to the mean of a few last deals, each with its best placement."""
    v = state.v
    target, actions = memory.target, memory.scratch[TERMS:]
    for k in range(1 + PARTS):
        target[k] = 0.0
    board = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2] | v[Field.SEEN]
    for _ in range(DRAWS):
        v[Field.HAND] = sample_chance(state, rng)
        count = legal_actions(state, actions)
        best, best_fouled, best_royalties = -1e300, False, 0
        for i in range(count):
            top, middle, back = rows_after(state, actions[i])
            seen = board | v[Field.HAND]
            value, fouled, royalties, _ = rows_value(
                state.tables, state.worth, state.opponent_tables, top, middle, back, seen, v[Field.FANTASYLAND]
            )
            if value > best:
                best, best_fouled, best_royalties = value, fouled, royalties
        target[0] += best / DRAWS
        target[1] += best_royalties / DRAWS
        target[2] += best_fouled / DRAWS
        target[3] += (0.0 if best_fouled else best - best_royalties) / DRAWS
    v[Field.HAND] = 0


@kernel
def _turn_up(state: HandState, rng: Rng, opponents: int, street: int) -> None:
    """Remove the cards that opponents place on a street from the deck, while enough remain for later deals."""
    v, streets = state.v, state.streets
    later = 0
    for i in range(v[Field.STREET], streets.size // 2):
        later += streets[2 * i]
    deck = v[Field.DECK]
    for _ in range(opponents * streets[2 * street + 1]):
        if count_cards(deck) > later:
            deck &= ~draw_cards(rng, deck, 1)
    v[Field.DECK] = deck


@kernel
def rare_cards(deck: int, count: int, rng: Rng) -> int:
    """Return cards of two ranks, of one suit, of five consecutive ranks, or of such ranks in one suit.

    Return 0 if the deck has too few of them.
    """
    kind, cards = below(rng, 4), int64(-1)
    if kind == 0:
        cards = _EVERY_SUIT << below(rng, 13) | _EVERY_SUIT << below(rng, 13)
    if kind >= 2:
        low = below(rng, 10) - 1  # -1: the ace below the deuce
        cards = _EVERY_SUIT << (low if low >= 0 else 12)
        for rank in range(low + 1, low + 5):
            cards |= _EVERY_SUIT << rank
    if kind % 2 == 1:
        cards &= _ONE_SUIT << 13 * below(rng, 4)
    cards &= deck
    return draw_cards(rng, cards, count) if count_cards(cards) >= count else int64(0)


@kernel
def _rare_deal(state: HandState, rng: Rng) -> int:
    """Return a rare first deal, or an ordinary one if the deck has too few cards for it."""
    cards = rare_cards(state.v[Field.DECK], state.streets[2 * state.v[Field.STREET]], rng)
    return cards if cards else sample_chance(state, rng)


@kernel
def _least_known(state: HandState, memory: Memory, count: int, stage: int, scale: float, rng: Rng) -> int:
    """Return the index of the placement whose board has most untouched weights; ties are broken at random."""
    v = state.v
    best, best_fresh, equals = 0, -1, 0
    for i in range(count):
        top, middle, back = rows_after(state, memory.scratch[TERMS + i])
        terms = learned_terms(state.learned, stage, scale, top, middle, back, v[Field.DECK])
        fresh = 0
        for k in range(TERMS):
            fresh += int64(memory.errors[terms[k], 1] == 0.0)
        if fresh > best_fresh:
            best, best_fresh, equals = i, fresh, 1
        elif fresh == best_fresh:
            equals += 1
            if below(rng, equals) == 0:
                best = i
    return best


@kernel
def _learn_hand(state: HandState, memory: Memory, rng: Rng, rate: float, explore: float) -> None:
    """Play one hand from a state that waits for a deal, and learn from it."""
    v, learned = state.v, state.learned
    actions = memory.scratch[TERMS:]
    rare = uniform(rng) < explore
    first = v[Field.STREET]
    opponents = max(below(rng, 4) - 1, 0)  # half of the hands have no opponent
    acts_last = below(rng, 2)
    while 2 * v[Field.STREET] + 2 < state.streets.size:
        stage = v[Field.STREET]
        if stage > 0 or acts_last:
            _turn_up(state, rng, opponents, stage + acts_last - 1)
        apply(state, _rare_deal(state, rng) if rare and stage == 0 else sample_chance(state, rng))
        deck = v[Field.DECK]
        scale = learned_scale(learned, stage, deck)
        count = legal_actions(state, actions)
        best, best_value = 0, -1e300
        for i in range(count):
            top, middle, back = rows_after(state, actions[i])
            value = learned_value(learned, stage, scale, top, middle, back, deck)
            if value > best_value:
                best, best_value = i, value
        top, middle, back = rows_after(state, actions[best])
        terms = learned_terms(learned, stage, scale, top, middle, back, deck)
        if stage > first:
            _aim_at_board(learned, memory, terms)
            _move(learned, memory, rate)
        if uniform(rng) < explore:
            best = below(rng, count) if below(rng, 2) else _least_known(state, memory, count, stage, scale, rng)
            top, middle, back = rows_after(state, actions[best])
            terms = learned_terms(learned, stage, scale, top, middle, back, deck)
        for i in range(TERMS):
            memory.scratch[i] = terms[i]
        apply(state, actions[best])
    _turn_up(state, rng, opponents, v[Field.STREET] + acts_last - 1)
    _aim_at_ends(state, memory, rng)
    _move(learned, memory, rate)


@kernel
def learn_hands(
    root: HandState,
    state: HandState,
    memory: Memory,
    rng: Rng,
    seed: int,
    first: int,
    count: int,
    rate: float,
    explore: float,
) -> None:
    """Learn from ``count`` hands, starting with number ``first``.

    Each hand depends on the seed, on its number and on what was learned before.
    """
    for i in range(count):
        reseed(rng, seed, first + i)
        copy_into(state, root)
        _learn_hand(state, memory, rng, rate, explore)


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    rules = preset("pineapple")
    layout = learned_layout(rules)
    size = (len(rules.streets) - 1) * stage_size(layout)
    state = parse_spot(rules).to_state()._replace(learned=Learned(layout, np.zeros(size, np.float32)))
    learn_hands(state, clone(state), new_memory(size, 1000), new_rng(1), 1, 0, 1, 1.0, 0.5)
