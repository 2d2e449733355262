"""Hands that measure the worth of fantasyland: a fantasyland hand and two normal ones from one deck, settled.

A normal player plays the solo objective at little cost: exactly on the last two streets, before that by heuristics. A
player in fantasyland sets the cards for royalties and the stay. No player looks at the others' cards.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, Card, CardSet
from bromeliad.core.game import apply, clone, copy_into
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, new_rng
from bromeliad.evaluation.play import EXACT, choose, max_actions, shuffle
from bromeliad.games.ofc.fantasyland.rows import make_gains
from bromeliad.games.ofc.fantasyland.solve import make_question, no_boards, search_hand
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, RuleSet
from bromeliad.games.ofc.rules.rule_tables import Tables, rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import Field, HandState

NORMALS = 2  # normal players: each settles with the player in fantasyland and with the other
Boards = NDArray[np.int64]  # [hand, row] card masks


class Deals(NamedTuple):
    """The deals of some rounds."""

    fantasyland: NDArray[np.int64]  # [round, card] of the largest fantasyland hand; smaller ones take its first cards
    normal: NDArray[np.int64]  # [player, round, street] card masks


class _Settled(NamedTuple):
    """Offsets into the settlement of two boards."""

    TOTAL: int = 0  # points that the first gets from the second
    POINTS: int = 1  # of these, the points for rows and scoop
    MINE: int = 2  # three entries: fouled, royalties, fantasyland cards of the next hand
    THEIRS: int = 5  # the same three entries of the second
    SIZE: int = 8


Settled = _Settled()
FOUL, ROYALTIES, NEXT_CARDS = range(3)


# --- deals -------------------------------------------------------------------------------------------------------


def deal_rounds(rules: RuleSet, size: int, count: int, seed: int, first: int = 0) -> Deals:
    """Return the deals of rounds, starting with number ``first``, with a fantasyland hand of ``size`` cards.

    A round depends only on the seed and its number.
    """
    order = shuffle(rules.deck_size, count, seed, first)
    each = rules.cards_per_player
    players = [_jokers_in_order(order[:, player * each : (player + 1) * each]) for player in range(NORMALS)]
    rest = _jokers_in_order(order[:, NORMALS * each : NORMALS * each + size])
    return Deals(rest, np.stack([_streets(rules, cards) for cards in players]))


def _jokers_in_order(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one player's cards with jokers numbered in the order of the deal, as the solvers require."""
    joker = cards >= DECK_SIZE
    return np.where(joker, DECK_SIZE - 1 + joker.cumsum(axis=1), cards)


def _streets(rules: RuleSet, cards: NDArray[np.int64]) -> NDArray[np.int64]:
    starts = np.cumsum([0, *(street.deal for street in rules.streets[:-1])])
    streets: NDArray[np.int64] = np.bitwise_or.reduceat(int64(1) << cards, starts, axis=1)
    return streets


# --- play --------------------------------------------------------------------------------------------------------


@kernel
def _play(root: HandState, state: HandState, deals: Ints, actions: Ints, rng: Rng, out: Ints) -> None:
    """Play hands to the end, each from ``root`` with its own deals, and write their rows."""
    for i in range(deals.shape[0]):
        copy_into(state, root)
        for street in range(deals.shape[1]):
            apply(state, deals[i, street])
            apply(state, choose(state, EXACT, actions, rng))
        for row in range(3):
            out[i, row] = state.v[Field.MASK + row]


def play_normally(root: HandState, deals: NDArray[np.int64]) -> Boards:
    """Return the finished boards of normal hands; ``root`` is the search state before the first deal."""
    out = np.zeros((len(deals), len(ROW_SIZES)), np.int64)
    _play(root, clone(root), deals, max_actions(root), new_rng(1), out)
    return out


def set_fantasyland(spot: Spot, hands: NDArray[np.int64]) -> Boards:
    """Return the best boards of fantasyland hands [hand, card] under the objective of ``spot``, which has no board."""
    cards = tuple(Card(int(card)) for card in hands[0])
    question = make_question(replace(spot, cards=cards, fantasyland=True))
    gains = make_gains(question)
    out = np.zeros((len(hands), len(ROW_SIZES)), np.int64)
    for i, mask in enumerate((int64(1) << hands).sum(axis=1)):
        found = no_boards(1)
        search_hand(question, gains, CardSet(int(mask)), found)
        out[i] = found.boards[0]
    return out


# --- settlement --------------------------------------------------------------------------------------------------


@kernel
def _settle(
    tables: Tables, mine: Ints, theirs: Ints, cards: int, one: Ints, two: Ints, points: Ints, out: Ints
) -> None:
    """Score and settle pairs of open boards; the first of each pair had ``cards`` fantasyland cards."""
    for i in range(mine.shape[0]):
        seen = int64(0)
        for row in range(3):
            seen |= mine[i, row] | theirs[i, row]
        score_board(tables, mine[i, 0], mine[i, 1], mine[i, 2], cards, seen, one)
        score_board(tables, theirs[i, 0], theirs[i, 1], theirs[i, 2], 0, seen, two)
        out[i, Settled.TOTAL] = settle(tables, one, two, points)
        out[i, Settled.POINTS] = points[0] + points[1] + points[2] + points[3]
        for at, scored in ((Settled.MINE, one), (Settled.THEIRS, two)):
            out[i, at + FOUL] = scored[Scored.FOUL]
            out[i, at + ROYALTIES] = scored[Scored.ROYALTIES]
            out[i, at + NEXT_CARDS] = scored[Scored.NEXT_CARDS]


def settle_boards(tables: Tables, mine: Boards, theirs: Boards, cards: int) -> NDArray[np.int64]:
    """Return the settlements (offsets: :data:`Settled`) of pairs of boards.

    ``cards`` is the number of fantasyland cards of the first of each pair, 0 for a normal hand.
    """
    out = np.zeros((len(mine), Settled.SIZE), np.int64)
    one, two = np.zeros(Scored.SIZE, np.int64), np.zeros(Scored.SIZE, np.int64)
    _settle(tables, mine, theirs, cards, one, two, np.zeros(4, np.int64), out)
    return out


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    rules = preset("pineapple")
    spot = parse_spot(rules)
    deals = deal_rounds(rules, 14, 1, 1)
    normal = play_normally(spot.to_search_state(), deals.normal[0])
    settle_boards(rule_tables(rules), set_fantasyland(spot, deals.fantasyland), normal, 14)
