"""The learned value of a hand against an opponent, by both boards.

The value of my board after a placement has three parts: the solo value of my board, less the solo value of the
opponent's board (the tables of :mod:`.learned`), plus the output of a small network for the two boards together.

The network's *inputs* are classes. Twelve belong to each board: the class of every row, the live cards for it, the high
cards that lead to fantasyland, and the board's *prospects*, which are its probabilities of a foul and of fantasyland.
Four belong to both boards: which player's row is ahead and by how much, and the prospects of both. One is the kind of
opponent: one who acts after me, one who acts before me, or one in fantasyland, whose board is hidden.

Each input has a row of numbers. The sum of the rows is the first layer, as in Nasu, "Efficiently updatable
neural-network-based evaluation functions for computer shogi", 2018: the opponent's part of it is summed once per
decision. There is a network for each street; against several opponents the values are added.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE
from bromeliad.core.jit import float32, int64, kernel
from bromeliad.games.ofc.hands.automaton import JOKER_RANK, row_place
from bromeliad.games.ofc.hands.row_classes import (
    CARDS,
    CATEGORY,
    FIRST_RANK,
    MULTIPLE,
    NEEDED,
    SECOND_RANK,
    SINGLE,
    row_classes,
)
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.values.learned import (
    HIGH,
    IMPROVING,
    LIVE,
    PAIRING,
    RANKS,
    TERMS,
    WILD,
    Learned,
    board_classes,
    count_cards,
    empty_learned,
    held_ranks,
    learned_terms,
    live_ranks,
    live_suit,
    row_live,
)

Singles = NDArray[np.float32]

ACTS_AFTER, ACTS_BEFORE, HIDDEN = 0, 1, 2
"""Kinds of opponents; from HIDDEN on, there is one for each number of fantasyland cards."""

COUNTED_DEALS = 4
"""With at most this number of deals left, the solo values below a network in training are means over all next deals."""

WIDTH = 32
"""Units of each of the two hidden layers."""

BOARD_INPUTS = 12
"""Inputs of one board."""

MEETINGS = 4
"""Inputs of both boards together."""

KIND = 2 * BOARD_INPUTS + MEETINGS
"""The input for the kind of opponent, after those of my board, of the opponent's board and of both."""

INPUTS = KIND + 1
"""Inputs of one value."""

_KINDS = HIDDEN + 6  # fantasyland hands have 13 to 17 cards
_BOARD, _MEETING, _KIND, _STREET = range(BOARD_INPUTS, BOARD_INPUTS + 4)  # entries of VersusLearned.starts
_LEADS = 45  # distinct leads of a row over another
_SIZES = 6  # numbers of cards of a row
_LEVELS = 16  # of a board's probability of a foul, and of fantasyland
_JOINT = (_LEVELS // 2) ** 2 * (_LEVELS // 4) ** 2  # prospects of both boards, in coarser levels

# Places of a street's layers in VersusLearned.layers.
BIAS = 0  # of the first layer
DENSE = WIDTH  # [unit of the first layer, unit of the second]
DENSE_BIAS = DENSE + WIDTH * WIDTH
OUT = DENSE_BIAS + WIDTH  # [unit of the second layer]
OUT_BIAS = OUT + WIDTH
LAYERS = OUT_BIAS + 1
"""Entries of a street's layers."""

FIRST, SECOND, MINE, THEIRS = range(4)
"""Rows of a network's scratch: both layers, the sum of my inputs, then the sum of each opponent's inputs."""


class VersusLearned(NamedTuple):
    """A learned evaluation of two boards, for kernels; empty arrays if there is none."""

    solo: Learned  # the solo value of a board
    prospects: Singles  # [weight of the solo tables, 0] probability of a foul, [weight, 1] of fantasyland
    held_hands: NDArray[np.int64]  # [place of a row] the hand that it holds so far
    starts: NDArray[np.int64]  # first rows of inputs: mine, both boards', kinds'; then the rows of a street
    rows: Singles  # [street * rows of a street + row, unit] what an input adds to the first layer
    layers: Singles  # [street, entry]
    counted: int  # with at most this number of deals left, solo values are means over all next deals


def empty_versus() -> VersusLearned:
    """Return an evaluation without weights."""
    nothing, none = np.zeros((0, WIDTH), np.float32), np.zeros(0, np.int64)
    return frozen(VersusLearned(empty_learned(), nothing, none, none, nothing, nothing, 0))


def frozen(values: VersusLearned) -> VersusLearned:
    """Return the same evaluation with read-only arrays, for which the kernels that only read are compiled."""

    def view(array: NDArray[Any]) -> Any:
        fixed = array.view()
        fixed.setflags(write=False)
        return fixed

    solo = Learned(view(values.solo.map), view(values.solo.weights))
    arrays = {name: view(field) for name, field in values._asdict().items() if isinstance(field, np.ndarray)}
    return values._replace(solo=solo, **arrays)


def input_starts(rules: RuleSet) -> NDArray[np.int64]:
    """Return :attr:`VersusLearned.starts` for a rule set."""
    classes = row_classes(rules.jokers.count > 0)
    fine, coarse = classes.fine, classes.coarse
    sizes = [
        fine,
        fine,
        classes.top_states,
        coarse * LIVE,
        coarse * LIVE,
        coarse * IMPROVING * PAIRING,
        coarse * IMPROVING * PAIRING,
        classes.front * PAIRING,
        coarse * LIVE,
        coarse * LIVE,
        classes.outline * HIGH**3 * WILD,
        _LEVELS**2,
    ]
    board = sum(sizes)
    meetings = 3 * _LEADS * _SIZES**2 + _JOINT
    starts = np.array([*np.cumsum([0, *sizes]), 2 * board, 2 * board + meetings, 2 * board + meetings + _KINDS])
    starts.setflags(write=False)
    return starts


def new_versus(
    rules: RuleSet,
    solo: Learned,
    parts: NDArray[np.float32],
    worth: Mapping[int, float],
    rows: Singles,
    layers: Singles,
    counted: int = COUNTED_DEALS,
) -> VersusLearned:
    """Return an evaluation of two boards.

    Parameters
    ----------
    solo, parts
        The solo weights that the network was trained with, summed and in the parts of a file (see :mod:`.weights`).
    worth
        The worth of fantasyland in their training, by number of cards.
    counted
        The number of deals left up to which next deals were counted in the network's training.
    """
    mean = np.float32(sum(worth.values()) / max(len(worth), 1)) or np.float32(1.0)
    prospects = np.stack([parts[:, 1], parts[:, 2] / mean], axis=1)[: solo.weights.size]
    held_hands, starts = row_classes(rules.jokers.count > 0).held_hands, input_starts(rules)
    return VersusLearned(solo, prospects.copy(), held_hands, starts, rows, layers, counted)


def versus_shapes(rules: RuleSet) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the shapes of :attr:`VersusLearned.rows` and :attr:`VersusLearned.layers`."""
    streets = len(rules.streets) - 1
    return (streets * int(input_starts(rules)[_STREET]), WIDTH), (streets, LAYERS)


@kernel(inline=True)
def kind_input(values: VersusLearned, stage: int, kind: int) -> int:
    """Return the input row of a kind of opponent after my street ``stage``."""
    return stage * values.starts[_STREET] + values.starts[_KIND] + kind


@kernel(inline=True)
def hidden_kind(cards: int) -> int:
    """Return the kind of an opponent in fantasyland with this number of cards."""
    return int64(HIDDEN + min(max(cards - 12, 0), _KINDS - HIDDEN - 1))


@kernel
def board_prospects(
    values: VersusLearned, placed: int, scale: float, top: int, middle: int, back: int, deck: int
) -> int:
    """Return the levels of a board's probabilities of a foul and of fantasyland, as one number."""
    if placed == 0:
        return int64(0)
    terms = learned_terms(values.solo, placed - 1, scale, top, middle, back, deck)
    fouls, entries = float32(0.0), float32(0.0)
    for i in range(TERMS):
        fouls += values.prospects[terms[i], 0]
        entries += values.prospects[terms[i], 1]
    return _level(fouls) * _LEVELS + _level(entries)


@kernel(inline=True)
def _level(share: float) -> int:
    return min(max(int64(share * _LEVELS), 0), _LEVELS - 1)


@kernel(inline=True)
def _lead(mine: int, theirs: int) -> int:
    """Return the lead of one held hand over another and both numbers of cards, as one number."""
    ahead = (mine >> CATEGORY & 15) - (theirs >> CATEGORY & 15)
    lead = ahead + 9 - int64(ahead > 0)  # 18 levels of another category
    if ahead == 0:
        ranks = (mine >> FIRST_RANK & 15) - (theirs >> FIRST_RANK & 15)
        kickers = (mine >> SECOND_RANK & 15) - (theirs >> SECOND_RANK & 15)
        lead = ranks + 31 + int64(ranks > 0) - int64(ranks < 0)  # 27 levels of the same one
        if ranks == 0:
            lead += int64(kickers > 0) - int64(kickers < 0)
    return (lead * _SIZES + (mine >> CARDS & 7)) * _SIZES + (theirs >> CARDS & 7)


@kernel(inline=True)
def meeting_inputs(
    values: VersusLearned,
    stage: int,
    mine: tuple[int, int, int],
    theirs: tuple[int, int, int],
    prospects: int,
    their_prospects: int,
) -> tuple[int, int, int, int]:
    """Return the input rows that depend on both boards, given the rows of cards and the prospects of each."""
    held = values.held_hands
    base, each = stage * values.starts[_STREET] + values.starts[_MEETING], _LEADS * _SIZES * _SIZES
    fouls, entries = prospects // _LEVELS, prospects % _LEVELS
    their_fouls, their_entries = their_prospects // _LEVELS, their_prospects % _LEVELS
    joint = ((fouls // 2 * (_LEVELS // 2) + their_fouls // 2) * (_LEVELS // 4) + entries // 4) * (_LEVELS // 4)
    return (
        base + _lead(held[row_place(mine[0])], held[row_place(theirs[0])]),
        base + each + _lead(held[row_place(mine[1])], held[row_place(theirs[1])]),
        base + 2 * each + _lead(held[row_place(mine[2])], held[row_place(theirs[2])]),
        base + 3 * each + joint + their_entries // 4,
    )


@kernel(inline=True)
def board_inputs(
    values: VersusLearned,
    stage: int,
    theirs: int,
    scale: float,
    top: int,
    middle: int,
    back: int,
    deck: int,
    prospects: int,
) -> tuple[int, ...]:
    """Return the input rows of a board.

    Parameters
    ----------
    stage
        The street that I have placed, from 0.
    theirs
        0 for my board, 1 for the opponent's.
    scale
        From :func:`.learned.learned_scale`.
    deck
        The cards that I have not seen.
    prospects
        From :func:`board_prospects`.
    """
    m, at = values.solo.map, values.starts
    base = stage * at[_STREET] + theirs * at[_BOARD]
    front, outline, fine_b, coarse_b, fine_c, coarse_c = board_classes(m, top, middle, back)
    holds_a, holds_b, holds_c = held_ranks(m, top), held_ranks(m, middle), held_ranks(m, back)
    cards = deck & ((int64(1) << DECK_SIZE) - 1)
    high = (
        live_ranks(cards, 1 << (JOKER_RANK - 3), scale, HIGH) * (HIGH * HIGH)
        + live_ranks(cards, 1 << (JOKER_RANK - 2), scale, HIGH) * HIGH
        + live_ranks(cards, 1 << (JOKER_RANK - 1), scale, HIGH)
    )
    pairing = live_ranks(cards, (holds_a >> SINGLE | holds_a >> MULTIPLE) & RANKS, scale, PAIRING)
    return (
        base + at[0] + fine_c,
        base + at[1] + fine_b,
        base + at[2] + (top & 0xFFFF),
        base + at[3] + coarse_c * LIVE + live_suit(cards, back, scale),
        base + at[4] + coarse_b * LIVE + live_suit(cards, middle, scale),
        base + at[5] + coarse_c * (IMPROVING * PAIRING) + row_live(cards, holds_c, scale),
        base + at[6] + coarse_b * (IMPROVING * PAIRING) + row_live(cards, holds_b, scale),
        base + at[7] + front * PAIRING + pairing,
        base + at[8] + coarse_c * LIVE + live_ranks(cards, holds_c >> NEEDED & RANKS, scale, LIVE),
        base + at[9] + coarse_b * LIVE + live_ranks(cards, holds_b >> NEEDED & RANKS, scale, LIVE),
        base + at[10] + (outline * HIGH * HIGH * HIGH + high) * WILD + min(count_cards(deck >> DECK_SIZE), WILD - 1),
        base + at[11] + prospects,
    )


@kernel(inline=True)
def set_row(row: Singles, out: Singles) -> None:
    """Copy a row of numbers."""
    for k in range(out.size):
        out[k] = row[k]


@kernel(inline=True)
def add_row(row: Singles, out: Singles) -> None:
    """Add a row of numbers to a sum."""
    for k in range(out.size):  # loops over sizes are vectorised; those over a constant are unrolled instead, 4 × slower
        out[k] += row[k]


@kernel
def add_inputs(values: VersusLearned, inputs: tuple[int, ...], out: Singles) -> None:
    """Add the rows of inputs to a sum."""
    for i in range(len(inputs)):
        add_row(values.rows[inputs[i]], out)


@kernel
def run_network(values: VersusLearned, stage: int, hidden: Singles) -> float:
    """Return the output of a street's network for the sums of inputs in ``hidden[FIRST]``, before they are rectified.

    Both layers are left rectified in ``hidden[FIRST]`` and ``hidden[SECOND]``.
    """
    layer, first, second = values.layers[stage], hidden[FIRST], hidden[SECOND]
    width, zero = first.size, float32(0.0)
    for k in range(width):
        first[k] = max(first[k], zero)
    set_row(layer[DENSE_BIAS:OUT], second)
    for i in range(width):
        dense, unit = layer[DENSE + i * WIDTH : DENSE + (i + 1) * WIDTH], first[i]
        for k in range(width):
            second[k] += unit * dense[k]
    total, weights = layer[OUT_BIAS], layer[OUT:OUT_BIAS]
    for k in range(width):
        second[k] = max(second[k], zero)
        total += second[k] * weights[k]
    return total


def empty_scratch(opponents: int) -> Singles:
    """Return the scratch of a network against some opponents."""
    return np.zeros((THEIRS + opponents, WIDTH), np.float32)
