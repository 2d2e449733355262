"""The opponent distribution: boards that opponents may end with, as likely as the play of the evaluation makes them.

An opponent's hidden discards are drawn first. A card that would have served the board better than one that lies there
was hardly thrown away, so a card is drawn by how little a player who values boards as we do would have lost by
discarding it, whichever two cards of the board came with it. Then the cards to come are dealt from what is left, and
placed as the search's own playouts place them. An opponent in fantasyland gets all cards at once and sets them best.
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
from bromeliad.games.ofc.fantasyland.rows import make_gains
from bromeliad.games.ofc.fantasyland.solve import make_question, no_boards, search_hand
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.automaton import row_of_mask
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.scoring import Scored, score_board
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import Field, HandState
from bromeliad.games.ofc.values.heuristics import board_look, look_scale

__all__ = ["Habits", "as_own", "discard_weights", "hidden_discards", "opponent_banks", "play_on", "sample_bank"]

TEMPERATURE = 1.0
"""Points that a player may well lose by a discard: who would have lost so much did it e times less often."""

_COSTLIER = 12  # times that setting a fantasyland hand takes longer than playing a normal one
_CARDS = DECK_SIZE + 2
_STREAM = 1 << 40  # apart by so much are the numbers of samples of different opponents

Bank = NDArray[np.int64]  # [board, offset in Scored]


class Habits(NamedTuple):
    """What opponents seem to go by where they place cards, as far as it is not what we go by."""

    foul_cost: float
    fantasyland: float  # worth of fantasyland to them, as a multiple of ours


def opponent_banks(
    spot: Spot, count: int, seed: int, *, inferred: bool = True, habits: Habits | None = None
) -> list[Bank]:
    """Return boards that each opponent of a spot may end with, scored; one board where the opponent has finished.

    Parameters
    ----------
    count
        Boards of an opponent who is still playing; a fantasyland hand, which costs more, gets a part of them.
    inferred
        Draw hidden discards by what they would have been worth; else all unseen cards are equally likely.
    habits
        What the opponents go by; by default what we go by.
    """
    banks = []
    for number, board in enumerate(spot.opponents):
        if board.is_complete:
            banks.append(_scored([board.masks], spot, 0))
        else:
            banks.append(sample_bank(spot, board, count, seed, number * _STREAM, inferred=inferred, habits=habits))
    for number, cards in enumerate(spot.hidden):
        banks.append(_fantasyland_bank(spot, cards, max(1, count // _COSTLIER), seed + number + 1))
    return banks


def _scored(boards: list[tuple[int, int, int]], spot: Spot, fantasyland: int) -> Bank:
    state = spot.to_state()
    out = np.zeros((len(boards), Scored.SIZE), np.int64)
    for masks, row in zip(boards, out, strict=True):
        seen = int64(masks[0] | masks[1] | masks[2] | spot.opponents_open.mask)
        score_board(state.tables, *masks, fantasyland, seen, row)
    return out


# --- hands that are played openly ---------------------------------------------------------------------------------


def hidden_discards(spot: Spot, board: PlayerArrangement) -> int:
    """Return how many cards an opponent has discarded by the time that a board has so many cards."""
    placed = discarded = 0
    for street in spot.rules.streets:
        if placed < board.cards.size:
            placed += street.place
            discarded += street.deal - street.place
    return discarded


def as_own(spot: Spot, board: PlayerArrangement, habits: Habits | None = None) -> Spot:
    """Return the opponent's hand before the next deal; what is unseen to us is what may come."""
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
    """Return boards that an opponent with an unfinished board may end with; each depends on the seed and its number."""
    root = as_own(spot, board, habits).to_search_state()
    weights = discard_weights(root) if inferred and hidden_discards(spot, board) else np.ones(_CARDS)
    out = np.zeros((count, Scored.SIZE), np.int64)
    scratch = np.zeros(OfcGame(spot.rules).info.max_actions, np.int64)
    _complete(root, clone(root), weights, hidden_discards(spot, board), scratch, new_rng(seed), seed, first, out)
    return out


@kernel
def _draw_discard(rng: Rng, deck: int, weights: Floats) -> int:
    """Return one card of the deck as a mask, drawn by weights of at most 1."""
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
    """Play a board to its end again and again, and score the ends."""
    v = state.v
    for i in range(out.shape[0]):
        reseed(rng, seed, first + i)
        copy_into(state, root)
        for _ in range(discards):
            v[Field.DECK] &= ~_draw_discard(rng, v[Field.DECK], weights)
        play_on(state, actions, rng, out[i])


def discard_weights(root: HandState) -> NDArray[np.float64]:
    """Return how likely each unseen card is among the hidden discards of a board, the likeliest having 1."""
    weights = np.zeros(_CARDS)
    _weigh(root, weights)
    highest = weights.max()
    return weights / highest if highest > 0.0 else np.ones(_CARDS)


@kernel
def _weigh(state: HandState, weights: Floats) -> None:
    """Write into ``weights`` how readily each unseen card was discarded; the mean over pairs of cards on the board."""
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
    """Return the best look of the board without the cards p and q, with x and one of them placed anew."""
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
            room = v[Field.FREE + other] + int64((v[Field.MASK + other] & ~without) >> p & 1)
            room += int64((v[Field.MASK + other] & ~without) >> q & 1)
            if room <= int64(other == row):
                continue
            for card in (p, q):
                s0, s1, s2 = put_in_row(hands, r0, r1, r2, other, card)
                best = max(best, board_look(state, stage, scale, s0, s1, s2))
    return best


# --- fantasyland --------------------------------------------------------------------------------------------------


def _fantasyland_bank(spot: Spot, cards: int, count: int, seed: int) -> Bank:
    """Return boards of a hidden fantasyland hand, each the best for its royalties and its stay."""
    hands = _deal(spot.unseen, cards, count, seed)
    first = tuple(CardSet(next(hands)))
    alone = replace(spot, board=PlayerArrangement.empty(), cards=first, opponents=(), hidden=(), objective="solo")
    question = make_question(replace(alone, fantasyland=True, dead=CardSet()))
    gains = make_gains(question)
    boards = []
    for hand in _deal(spot.unseen, cards, count, seed):
        found = no_boards(1)
        search_hand(question, gains, CardSet(hand), found)
        top, middle, back = (int(mask) for mask in found.boards[found.slot[0]])
        boards.append((top, middle, back))
    return _scored(boards, spot, cards)


def _deal(deck: CardSet, cards: int, count: int, seed: int) -> Iterator[int]:
    """Yield hands of so many cards."""
    values = np.array([card.value for card in deck], np.int64)
    rng = np.random.default_rng(seed)
    mask = partial(np.bitwise_or.reduce, dtype=np.int64)
    for _ in range(count):
        hand = int(mask(int64(1) << rng.choice(values, cards, replace=False)))
        yield hand ^ (3 << DECK_SIZE) if hand >> DECK_SIZE == 2 else hand  # of two jokers the first comes first


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    spot = parse_spot(
        preset("pineapple"), board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", opponents=["- / 4c 4d Js / 7c 7d 7h Ts"]
    )
    opponent_banks(spot, 2, 1)
