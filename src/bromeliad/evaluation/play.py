"""Hands played by kernels: seeded deals, simple levels of play, and paired playouts of a placement."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    apply,
    clone,
    copy_into,
    leaf_value,
    legal_actions,
    outcome,
    playout_action,
    sample_chance,
    score_actions,
    to_play,
)
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, below, new_rng, reseed
from bromeliad.evaluation import LEVELS
from bromeliad.games.ofc.luck.deals import LuckScratch, best_pair_in_deal, fill_looks, luck_scratch, mean_of_pairs
from bromeliad.games.ofc.values.hand_state import Field, HandState, board_value
from bromeliad.games.ofc.values.heuristics import board_promise, choose_by_look, exact_after, is_pair_street, rows_after

RANDOM, GUIDE, EVALUATION, GREEDY, EXACT = range(len(LEVELS))
_CHUNK = 1000  # shuffles per random stream
_REFINED = 2  # placements on the last street but one that a reference compares by their exact values

Deals = NDArray[np.int64]  # [hand, street] card masks


class _Played(NamedTuple):
    """Offsets into a hand's results."""

    VALUE: int = 0
    FOUL: int = 1
    ROYALTIES: int = 2
    FANTASYLAND: int = 3
    SIZE: int = 4


Played = _Played()


class Hands(NamedTuple):
    """Played hands."""

    results: NDArray[np.float64]  # [hand, offset in Played]
    codes: NDArray[np.int64]  # [hand, street] the placements made


@kernel
def choose(state: HandState, level: int, actions: Ints, rng: Rng) -> int:
    """Return the placement that a level of play makes."""
    if level == RANDOM:
        return actions[below(rng, legal_actions(state, actions))]
    exact = level == EXACT and is_pair_street(state, state.v[Field.STREET] + 1)
    if level == EVALUATION:
        return choose_by_look(state, actions, 1)
    if level != GUIDE and not exact:
        return playout_action(state, actions, rng)
    count = legal_actions(state, actions)
    best, best_value = actions[0], -1e300
    for i in range(count):
        if exact:
            value = exact_after(state, actions[i])
        else:
            top, middle, back = rows_after(state, actions[i])
            value = board_promise(state, top, middle, back)
        if value > best_value:
            best, best_value = actions[i], value
    return best


@kernel
def _play(
    root: HandState,
    state: HandState,
    deals: Ints,
    level: int,
    seed: int,
    first: int,
    actions: Ints,
    rng: Rng,
    codes: Ints,
    out: Floats,
) -> None:
    """Play hands to the end, each from ``root`` with its own deals."""
    for i in range(deals.shape[0]):
        copy_into(state, root)
        reseed(rng, seed, first + i)
        for street in range(deals.shape[1]):
            apply(state, deals[i, street])
            codes[i, street] = choose(state, level, actions, rng)
            apply(state, codes[i, street])
        value, fouled, royalties, cards = board_value(state)
        out[i, Played.VALUE] = value
        out[i, Played.FOUL] = fouled
        out[i, Played.ROYALTIES] = royalties
        out[i, Played.FANTASYLAND] = cards > 0


@kernel
def _rollouts(
    root: HandState,
    state: HandState,
    code: int,
    seed: int,
    first: int,
    refined: int,
    scratch: LuckScratch,
    later: LuckScratch,
    mean: float,
    rng: Rng,
    values: Floats,
    out: Floats,
) -> None:
    """Play on from a placement by heuristics; playouts with the same number draw the same cards.

    Unless ``mean`` is NaN, the luck of every deal but the last is taken off: the best look that it makes possible, less
    the mean over all deals. For the first deal, ``scratch`` has the looks and ``mean`` is their mean. The looks of
    later deals depend on the playout and are written to ``later``.
    """
    actions = scratch.actions
    for i in range(out.size):
        reseed(rng, seed, first + i)
        copy_into(state, root)
        apply(state, code)
        luck = 0.0
        if not np.isnan(mean):
            deck, deal = state.v[Field.DECK], sample_chance(state, rng)
            luck = best_pair_in_deal(deck, deal, scratch.pairs) - mean
            apply(state, deal)
        while True:
            if leaf_value(state, values):
                out[i] = values[0] - luck
                break
            mover = to_play(state)
            if mover == TERMINAL:
                out[i] = outcome(state, 0) - luck
                break
            if mover == CHANCE:
                deck, deal = state.v[Field.DECK], sample_chance(state, rng)
                if not np.isnan(mean) and 2 * state.v[Field.STREET] + 2 < state.streets.size:
                    usual = mean_of_pairs(fill_looks(state, later), later.pairs)
                    luck += best_pair_in_deal(deck, deal, later.pairs) - usual
                apply(state, deal)
            else:
                apply(state, choose_by_look(state, actions, refined))


@kernel
def score_repeatedly(state: HandState, codes: Ints, scores: Floats, times: int) -> None:
    """Score placements by heuristics ``times`` times, to measure the cost inside a kernel."""
    for _ in range(times):
        score_actions(state, codes, codes.size, scores)


def max_actions(state: HandState) -> NDArray[np.int64]:
    """Return a scratch array for the placements of any street."""
    return np.zeros(max(1000, 3 ** int(state.streets[::2].max())), np.int64)


def shuffle(cards: int, count: int, seed: int, first: int) -> Ints:
    """Return random orders [number, place] of this many cards, starting with number ``first``.

    An order depends only on the seed and its number.
    """
    chunks = range(first // _CHUNK, (first + count - 1) // _CHUNK + 1)
    orders = [np.random.default_rng([seed, chunk]).random((_CHUNK, cards)).argsort(axis=1) for chunk in chunks]
    return np.concatenate(orders)[first % _CHUNK :][:count]


def deal_hands(state: HandState, hands: int, seed: int, first: int = 0, seat: int = 0) -> Deals:
    """Return the deals of hands from the deck of ``state``, starting with number ``first``.

    A hand's deals depend only on the seed and its number, so every level of play gets the same cards. Seats get
    different cards of the same deck.
    """
    deck = np.array([card for card in range(64) if int(state.v[Field.DECK]) >> card & 1])
    sizes = state.streets[2 * int(state.v[Field.STREET]) :: 2]
    ends = np.cumsum(sizes)
    order = shuffle(deck.size, hands, seed, first)
    bits = int64(1) << _jokers_in_order(np.roll(deck[order], -seat * int(ends[-1]), axis=1))
    parts = [np.bitwise_or.reduce(bits[:, end - size : end], axis=1) for size, end in zip(sizes, ends, strict=True)]
    return np.stack(parts, axis=1)


def _jokers_in_order(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return decks in which the first of two jokers comes first, as the game deals them."""
    joker = cards >= DECK_SIZE
    both = joker.sum(axis=1, keepdims=True) == 2
    return np.where(joker & both, DECK_SIZE - 1 + joker.cumsum(axis=1), cards)


def play_hands(root: HandState, deals: Deals, level: str, seed: int, first: int = 0) -> Hands:
    """Play hands by one of :data:`LEVELS`."""
    hands = Hands(np.zeros((deals.shape[0], Played.SIZE)), np.zeros(deals.shape, np.int64))
    state, rng = clone(root), new_rng(seed)
    _play(root, state, deals, LEVELS.index(level), seed, first, max_actions(root), rng, hands.codes, hands.results)
    return hands


def rollouts(
    root: HandState, code: int, count: int, seed: int, first: int = 0, *, without_luck: bool = False
) -> NDArray[np.float64]:
    """Return the values of ``count`` hands played on from a placement; other placements get the same cards.

    Play is better than in the search's playouts: more placements are compared by exact values.

    Parameters
    ----------
    without_luck
        Take off the luck of each deal but the last, by looks. The expectation stays the same, and the scatter is
        several times smaller, but a playout takes longer. Ignored unless every deal to come but the last has three
        cards, of which two are placed.
    """
    out, state = np.zeros(count), clone(root)
    scratch, mean = luck_scratch(max_actions(root)), np.nan
    if without_luck:
        apply(state, int64(code))
        if _has_pairs(state):
            mean = mean_of_pairs(fill_looks(state, scratch), scratch.pairs)
    scratches = scratch, luck_scratch(scratch.actions)
    _rollouts(root, state, int64(code), seed, first, _REFINED, *scratches, mean, new_rng(seed), np.zeros(1), out)
    return out


def _has_pairs(state: HandState) -> bool:
    """Return whether at least two deals are to come, and two of three cards are placed in all of them but the last."""
    to_come = state.streets.reshape(-1, 2)[int(state.v[Field.STREET]) :]
    return len(to_come) > 1 and bool((to_come[:-1] == (3, 2)).all())


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    root = parse_spot(preset("pineapple")).to_search_state()
    deals = deal_hands(root, 1, 1)
    played = play_hands(root, deals, "random", 1)
    apply(root, deals[0, 0])
    rollouts(root, int(played.codes[0, 0]), 1, 1, without_luck=True)
