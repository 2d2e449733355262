"""The opponent distribution: final boards of opponents, sampled by simulating the rest of their hands.

First the opponent's hidden discards are drawn. An opponent rarely discards a card that would have improved the board
more than a card that was placed. So the probability of a discard depends on how little a player with our evaluation
would have lost by it, averaged over the two cards of the board that may have been dealt with it. Then the remaining
streets are dealt from the rest of the deck and placed as the search's playouts place them. An opponent in fantasyland
is dealt all cards at once and sets them best.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, CardSet
from bromeliad.core.game import CHANCE, TERMINAL, apply, clone, copy_into, playout_action, sample_chance, to_play
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, below, new_rng, reseed, uniform
from bromeliad.games.ofc.exact.pairs import put_in_row
from bromeliad.games.ofc.fantasyland.front import front_boards
from bromeliad.games.ofc.fantasyland.rows import make_gains
from bromeliad.games.ofc.fantasyland.solve import make_question, no_boards, search_hand
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.automaton import row_of_mask
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.scoring import Scored, score_board
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import Field, HandState
from bromeliad.games.ofc.values.heuristics import board_look, look_scale

TEMPERATURE = 1.0
"""Softmax temperature in points: a loss of this size makes a discard e times less likely."""

_COSTLIER = 12  # setting a fantasyland hand takes this many times longer than playing a normal one
_CARDS = DECK_SIZE + 2
_FEWEST_CARDS = 14  # in fantasyland: finding the front takes as long as setting the hand; each further card doubles it

STREAM = 1 << 40
"""The distance between the first sample numbers of two opponents."""

Bank = NDArray[np.int64]  # [board, offset in Scored]


class Habits(NamedTuple):
    """The objective by which opponents seem to place cards, if it differs from ours."""

    foul_cost: float
    fantasyland: float  # worth of fantasyland to them, as a multiple of ours


def opponent_banks(
    spot: Spot, count: int, seed: int, *, inferred: bool = True, habits: Habits | None = None
) -> list[Bank]:
    """Return scored final boards of each opponent of a spot; a finished opponent has one.

    Parameters
    ----------
    count
        The number of boards for an opponent who is still playing. Fantasyland hands cost more, so fewer are sampled.
    inferred
        Draw hidden discards by how little was lost with them; otherwise all unseen cards are equally likely.
    habits
        The opponents' objective; ours by default.
    """
    banks = []
    for number, board in enumerate(spot.opponents):
        if board.is_complete:
            banks.append(_scored([board.masks], spot, 0))
        else:
            banks.append(sample_bank(spot, board, count, seed, number * STREAM, inferred=inferred, habits=habits))
    for number, cards in enumerate(spot.hidden):
        banks.append(fantasyland_bank(spot, cards, fantasyland_hands(count), seed + number + 1))
    return banks


def _scored(boards: list[tuple[int, int, int]], spot: Spot, fantasyland: int) -> Bank:
    state = spot.to_state()
    out = np.zeros((len(boards), Scored.SIZE), np.int64)
    for masks, row in zip(boards, out, strict=True):
        seen = int64(masks[0] | masks[1] | masks[2] | spot.opponents_open.mask)
        score_board(state.tables, *masks, fantasyland, seen, row)
    return out


# --- open hands -------------------------------------------------------------------------------------------------


def hidden_discards(spot: Spot, board: PlayerArrangement) -> int:
    """Return the number of cards that an opponent with this board has discarded."""
    placed = discarded = 0
    for street in spot.rules.streets:
        if placed < board.cards.size:
            placed += street.place
            discarded += street.deal - street.place
    return discarded


def as_own(spot: Spot, board: PlayerArrangement, habits: Habits | None = None) -> Spot:
    """Return the opponent's hand before the next deal, as a spot whose deck is the cards that we have not seen."""
    others = CardSet.deck(spot.rules.jokers.count) - spot.unseen - board.cards
    own = replace(
        spot, board=board, cards=(), dead=others, opponents=(), hidden=(), objective="solo", fantasyland=False
    )
    if habits is None:
        return own
    worth = tuple((cards, habits.fantasyland * value) for cards, value in spot.fantasyland_worth)
    return replace(own, foul_cost=habits.foul_cost, fantasyland_worth=worth)


def sample_bank(
    spot: Spot,
    board: PlayerArrangement,
    count: int,
    seed: int,
    first: int = 0,
    *,
    inferred: bool = True,
    habits: Habits | None = None,
) -> Bank:
    """Return final boards of an opponent with an unfinished board; each depends on the seed and its number."""
    root = as_own(spot, board, habits).to_search_state()
    weights = card_weights(spot, board, inferred=inferred, habits=habits)
    out = np.zeros((count, Scored.SIZE), np.int64)
    scratch = np.zeros(OfcGame(spot.rules).info.max_actions, np.int64)
    _complete(root, clone(root), weights, hidden_discards(spot, board), scratch, new_rng(seed), seed, first, out)
    return out


def card_weights(
    spot: Spot, board: PlayerArrangement, *, inferred: bool = True, habits: Habits | None = None
) -> NDArray[np.float64]:
    """Return the weight of each card among an opponent's hidden discards; equal weights unless ``inferred``."""
    if not inferred or not hidden_discards(spot, board):
        return np.ones(_CARDS)
    return discard_weights(as_own(spot, board, habits).to_search_state())


@kernel
def draw_discard(rng: Rng, deck: int, weights: Floats) -> int:
    """Return a random card of the deck as a mask; its probability is proportional to its weight, at most 1."""
    while True:
        card = below(rng, _CARDS)
        if deck >> card & 1 and uniform(rng) < weights[card]:
            return int64(1) << card


@kernel
def play_on(state: HandState, actions: Ints, rng: Rng, out: Ints) -> None:
    """Play a hand to its end as playouts do, and score the board into ``out``."""
    while True:
        mover = to_play(state)
        if mover == TERMINAL:
            break
        if mover == CHANCE:
            apply(state, sample_chance(state, rng))
        else:
            apply(state, playout_action(state, actions, rng))
    v = state.v
    top, middle, back = v[Field.MASK], v[Field.MASK + 1], v[Field.MASK + 2]
    score_board(state.tables, top, middle, back, v[Field.FANTASYLAND], top | middle | back | v[Field.SEEN], out)


@kernel
def _complete(
    root: HandState,
    state: HandState,
    weights: Floats,
    discards: int,
    actions: Ints,
    rng: Rng,
    seed: int,
    first: int,
    out: Ints,
) -> None:
    """Play a board to its end once per row of ``out``, and score the final boards."""
    v = state.v
    for i in range(out.shape[0]):
        reseed(rng, seed, first + i)
        copy_into(state, root)
        for _ in range(discards):
            v[Field.DECK] &= ~draw_discard(rng, v[Field.DECK], weights)
        play_on(state, actions, rng, out[i])


def discard_weights(root: HandState) -> NDArray[np.float64]:
    """Return the weight of each unseen card among the hidden discards of a board; the highest weight is 1."""
    weights = np.zeros(_CARDS)
    _weigh(root, weights)
    highest = weights.max()
    return weights / highest if highest > 0.0 else np.ones(_CARDS)


@kernel
def _weigh(state: HandState, weights: Floats) -> None:
    """Write how readily a player would have discarded each unseen card: a mean over pairs of cards on the board."""
    v = state.v
    stage = v[Field.STREET] - 1
    scale = look_scale(state, stage)
    actual = board_look(state, stage, scale, v[Field.ROW], v[Field.ROW + 1], v[Field.ROW + 2])
    board = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2]
    for x in range(_CARDS):
        if not v[Field.DECK] >> x & 1:
            continue
        total, pairs = 0.0, 0
        for p in range(_CARDS):
            if not board >> p & 1:
                continue
            for q in range(p + 1, _CARDS):
                if board >> q & 1:
                    lost = max(_best_with(state, stage, scale, x, p, q) - actual, 0.0)
                    total += math.exp(-lost / TEMPERATURE)
                    pairs += 1
        weights[x] = total / max(pairs, 1)


@kernel
def _best_with(state: HandState, stage: int, scale: float, x: int, p: int, q: int) -> float:
    """Return the best look of the board if x had been placed instead of p or q, each anywhere."""
    v, hands = state.v, state.tables.hands
    without = ~(int64(1) << p | int64(1) << q)
    masks = v[Field.MASK] & without, v[Field.MASK + 1] & without, v[Field.MASK + 2] & without
    top, middle, back = row_of_mask(hands, masks[0]), row_of_mask(hands, masks[1]), row_of_mask(hands, masks[2])
    best = -1e300
    for row in range(3):
        free = v[Field.FREE + row] + int64((v[Field.MASK + row] & ~without) >> p & 1)
        free += int64((v[Field.MASK + row] & ~without) >> q & 1)
        if free == 0:
            continue
        r0, r1, r2 = put_in_row(hands, top, middle, back, row, x)
        for other in range(3):
            left = v[Field.FREE + other] + int64((v[Field.MASK + other] & ~without) >> p & 1)
            left += int64((v[Field.MASK + other] & ~without) >> q & 1)
            if left <= int64(other == row):
                continue
            for card in (p, q):
                s0, s1, s2 = put_in_row(hands, r0, r1, r2, other, card)
                best = max(best, board_look(state, stage, scale, s0, s1, s2))
    return best


# --- fantasyland --------------------------------------------------------------------------------------------------


def fantasyland_hands(count: int) -> int:
    """Return the number of hidden fantasyland hands that take as long to sample as ``count`` open hands."""
    return max(1, count // _COSTLIER)


def fantasyland_bank(spot: Spot, cards: int, count: int, seed: int) -> Bank:
    """Return boards of sampled fantasyland hands, each set best for its royalties and the stay."""
    hands = deal_fantasyland(spot.unseen, cards, count, seed)
    first = tuple(CardSet(next(hands)))
    alone = replace(spot, board=PlayerArrangement.empty(), cards=first, opponents=(), hidden=(), objective="solo")
    question = make_question(replace(alone, fantasyland=True, dead=CardSet()))
    gains = make_gains(question)
    boards = []
    for hand in deal_fantasyland(spot.unseen, cards, count, seed):
        found = no_boards(1)
        search_hand(question, gains, CardSet(hand), found)
        top, middle, back = (int(mask) for mask in found.boards[found.slot[0]])
        boards.append((top, middle, back))
    return _scored(boards, spot, cards)


def fantasyland_fronts(spot: Spot, cards: int, count: int, seed: int) -> list[Bank]:
    """Return the fronts of sampled fantasyland hands that are set after seeing the other boards.

    Each front begins with the boards that are worth most by themselves. The hands are the first of those that
    :func:`fantasyland_bank` sets. The more cards, the fewer hands, because larger fronts cost more.
    """
    worth = spot.to_state().worth
    fronts = []
    for hand in deal_fantasyland(spot.unseen, cards, max(1, count >> max(cards - _FEWEST_CARDS, 0)), seed):
        front = front_boards(spot.rules, CardSet(hand))
        alone = front[:, Scored.ROYALTIES] + worth[front[:, Scored.NEXT_CARDS]]
        fronts.append(front[np.argsort(-alone, kind="stable")])
    return fronts


def deal_fantasyland(deck: CardSet, cards: int, count: int, seed: int) -> Iterator[int]:
    """Yield random fantasyland hands as masks."""
    values = np.array([card.value for card in deck], np.int64)
    rng = np.random.default_rng(seed)
    mask = partial(np.bitwise_or.reduce, dtype=np.int64)
    for _ in range(count):
        hand = int(mask(int64(1) << rng.choice(values, cards, replace=False)))
        yield hand ^ (3 << DECK_SIZE) if hand >> DECK_SIZE == 2 else hand  # joker 1 is dealt before joker 2


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    spot = parse_spot(
        preset("pineapple"), board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", opponents=["- / 4c 4d Js / 7c 7d 7h Ts"]
    )
    opponent_banks(spot, 2, 1)
