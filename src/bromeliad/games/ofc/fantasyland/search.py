"""Branch and bound over fantasyland boards: the most promising middles first, then the backs and tops that fit them.

The best back and the best top that fit a middle bound the value of all boards with that middle. Few middles survive
this bound. A board is missed only if it beats the worst of the ``k`` boards kept by at most ``EPSILON``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.games.ofc.fantasyland.heap import Found, keep_board, make_heap, sift_down, worst_kept
from bromeliad.games.ofc.fantasyland.rows import BACK, MIDDLE, TIE, TOP, Candidates, Gains, Question
from bromeliad.games.ofc.hands.automaton import strength_at_most
from bromeliad.games.ofc.rules.rule_tables import STAY, Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle
from bromeliad.games.ofc.values.hand_state import FOUL_COST

EPSILON = TIE / 10  # larger than rounding errors
ANY_STRENGTH = 1 << 30
FIRST_JOKER, SECOND_JOKER = 1 << 52, 1 << 53


class Search(NamedTuple):
    """The input, the scratch arrays and the results of a search."""

    question: Question
    gains: Gains
    tops: Candidates
    middles: Candidates
    backs: Candidates
    reach: NDArray[np.int64]  # [i] the greatest strength among the backs from i on
    under: NDArray[np.float64]  # [strength] the greatest key of a top whose least strength is at most this
    twins: bool  # two jokers in hand: of boards that differ only in which joker is where, one is listed
    bounds: NDArray[np.float64]  # scratch: the middles' bounds, negated, as a heap
    order: NDArray[np.int64]  # scratch: the middles in that heap
    found: Found


@kernel(internal=True)
def judge_board(question: Question, top: int, middle: int, back: int) -> float:
    """Return the value of a board in points, and score it into ``question.mine``."""
    tables, worth, mine = question.tables, question.worth, question.mine
    score_board(tables, top, middle, back, question.cards, question.seen | top | middle | back, mine)
    if len(question.opponents) == 0:
        return -worth[FOUL_COST] if mine[Scored.FOUL] else mine[Scored.ROYALTIES] + worth[mine[Scored.NEXT_CARDS]]
    value = worth[mine[Scored.NEXT_CARDS]] * len(question.opponents)  # the worth counts once per opponent
    for theirs in question.opponents:
        value += settle(tables, mine, theirs, question.points) - worth[theirs[Scored.NEXT_CARDS]]
    return value


# --- bounds ------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def _capped(
    tables: Tables, gains: Gains, row: int, candidates: Candidates, i: int, limit: int
) -> tuple[int, float, float]:
    """Return the strength, value and key of a candidate that may not exceed ``limit``; strength 0 if it always does."""
    if candidates.best[i] <= limit:
        return candidates.best[i], candidates.value[i], candidates.key[i]
    if candidates.floor[i] > limit:
        return int64(0), -np.inf, -np.inf
    strength = strength_at_most(tables.hands, candidates.row[i], limit)
    value = gains.ceiling[row, strength]
    return strength, value, value + gains.stay * tables.marks[STAY + row, strength]


@kernel(inline=True)
def row_limits(flags: Ints, back: int, middle: int) -> tuple[int, int]:
    """Return the greatest legal strengths of the middle and the top; a low middle is compared with no other row."""
    if flags[Flag.LOW_MIDDLE]:
        return int64(ANY_STRENGTH), back - flags[Flag.STRICT]
    return back - flags[Flag.STRICT], middle - flags[Flag.STRICT]


@kernel(inline=True)
def _back_fits(back: int, middle: int, twins: bool) -> bool:
    """Return whether back and middle share no card and, of two boards with swapped jokers, belong to the listed one."""
    if back & middle:
        return False
    alone = twins and middle & FIRST_JOKER and not middle & SECOND_JOKER
    return not alone or back & SECOND_JOKER != 0


@kernel(inline=True)
def _top_fits(top: int, used: int, twins: bool) -> bool:
    """Return whether the top shares no card with the other rows and has no first joker while the second is unused."""
    if top & used:
        return False
    return not (twins and top & FIRST_JOKER and not (top | used) & SECOND_JOKER)


@kernel(inline=True)
def _scoop(gains: Gains, wins: int) -> float:
    return gains.scoop * ((wins & 1) + (wins >> 1 & 1) + (wins >> 2 & 1))


@kernel(internal=True)
def _best_top(search: Search, m: int) -> tuple[float, float]:
    """Return the greatest key and the greatest value of a top that fits a middle."""
    tops, used = search.tops, search.middles.mask[m]
    _, limit = row_limits(search.question.tables.flags, int64(ANY_STRENGTH), search.middles.best[m])
    key, value = -np.inf, -np.inf
    for t in range(len(tops.mask)):
        if tops.key[t] <= value:
            break
        if not tops.mask[t] & used:
            _, own_value, own_key = _capped(search.question.tables, search.gains, TOP, tops, t, limit)
            key, value = max(key, own_key), max(value, own_value)
    return key, value


@kernel(internal=True)
def _best_back(search: Search, m: int) -> tuple[float, float]:
    """Return the greatest key and value of a back that fits a middle, each plus the middle's value before that back."""
    middles, backs = search.middles, search.backs
    key, value = -np.inf, -np.inf
    for b in range(len(backs.mask)):
        limit, _ = row_limits(search.question.tables.flags, search.reach[b], int64(0))
        if backs.key[b] + middles.value[m] <= value or middles.floor[m] > limit:
            break
        if _back_fits(backs.mask[b], middles.mask[m], search.twins):
            limit, _ = row_limits(search.question.tables.flags, backs.best[b], int64(0))
            _, middle_value, _ = _capped(search.question.tables, search.gains, MIDDLE, middles, m, limit)
            key, value = max(key, backs.key[b] + middle_value), max(value, backs.value[b] + middle_value)
    return key, value


@kernel(internal=True)
def _bound(search: Search, m: int) -> float:
    """Return an upper bound of the value of all boards with a middle; -inf if all of them foul."""
    gains, middles = search.gains, search.middles
    top_key, top_value = _best_top(search, m)
    if top_value == -np.inf:
        return -np.inf
    back_key, back_value = _best_back(search, m)
    bound = back_value + top_value + gains.stay  # the stay is paid once, however many rows stay
    if middles.key[m] == middles.value[m]:
        bound = min(bound, back_key + top_key)
    return gains.sure + bound + _scoop(gains, gains.wins[MIDDLE, middles.best[m]])


@kernel(internal=True)
def _fill_heap(search: Search) -> None:
    """Put every middle into the heap, as ``~m``, with a rough bound: the best back plus the best top that may fit."""
    bounds, gains, middles = search.bounds, search.gains, search.middles
    for m in range(len(bounds)):
        _, limit = row_limits(search.question.tables.flags, int64(len(search.under)), middles.best[m])
        top = search.under[min(limit, len(search.under) - 1)]
        rest = gains.sure + search.backs.key[0] + _scoop(gains, gains.wins[MIDDLE, middles.best[m]])
        bounds[m] = -(rest + top + middles.key[m]) if middles.best[m] else np.inf  # the smallest is at the root
        search.order[m] = ~m
    make_heap(bounds, search.order, len(bounds))


# --- search ------------------------------------------------------------------------------------------------------


@kernel
def search_boards(search: Search) -> int:
    """Put the best boards into ``search.found``; return the number of boards judged.

    A middle reaches the root of the heap twice: as ``~m`` it gets its real bound, as ``m`` it is searched.
    """
    bounds, order = search.bounds, search.order
    _fill_heap(search)
    size = len(bounds)
    judged = 0
    while size > 0 and -bounds[0] > worst_kept(search.found) + EPSILON:
        if order[0] < 0:
            order[0] = ~order[0]
            bounds[0] = -_bound(search, order[0])
        else:
            judged += _search_middle(search, order[0])
            size -= 1
            bounds[0], order[0] = bounds[size], order[size]
        sift_down(bounds, order, 0, size)
    _add_fouls(search)
    return judged


@kernel(internal=True)
def _search_middle(search: Search, m: int) -> int:
    """Search the boards with one middle; return the number of boards judged."""
    gains, middles, backs = search.gains, search.middles, search.backs
    top_key, top_value = _best_top(search, m)
    most = gains.sure + middles.key[m] + top_key + _scoop(gains, gains.wins[MIDDLE, middles.best[m]])
    judged = 0
    for b in range(len(backs.mask)):
        bar = worst_kept(search.found) + EPSILON
        if backs.key[b] + most <= bar:
            break
        if not _back_fits(backs.mask[b], middles.mask[m], search.twins):
            continue
        limit, _ = row_limits(search.question.tables.flags, backs.best[b], int64(0))
        strength, value, key = _capped(search.question.tables, search.gains, MIDDLE, middles, m, limit)
        if strength == 0:
            continue
        wins = gains.wins[MIDDLE, strength] & gains.wins[BACK, backs.best[b]]
        stays = key > value or backs.key[b] > backs.value[b]
        paid = gains.sure + value + backs.value[b] + (gains.stay if stays else 0.0)
        if paid + (top_value if stays else top_key) + _scoop(gains, wins) > bar:
            judged += _search_tops(search, middles.mask[m], strength, b, wins, stays, paid)
    return judged


@kernel(internal=True)
def _search_tops(search: Search, middle: int, strength: int, b: int, wins: int, stays: bool, paid: float) -> int:
    """Search the tops for a middle and a back, which together pay ``paid``; return the number of boards judged."""
    gains, tops = search.gains, search.tops
    back = search.backs.mask[b]
    _, limit = row_limits(search.question.tables.flags, search.backs.best[b], strength)
    most = paid + _scoop(gains, wins)
    judged = 0
    for t in range(len(tops.mask)):
        bar = worst_kept(search.found) + EPSILON
        if most + tops.key[t] <= bar:
            break
        if not _top_fits(tops.mask[t], middle | back, search.twins):
            continue
        own, value, key = _capped(search.question.tables, search.gains, TOP, tops, t, limit)
        if own == 0 or paid + (value if stays else key) + _scoop(gains, wins & gains.wins[TOP, own]) <= bar:
            continue
        judged += 1
        mine = search.question.mine
        points = judge_board(search.question, tops.mask[t], middle, back)
        points += TIE * (mine[Scored.STRENGTH] + mine[Scored.STRENGTH + 1] + mine[Scored.STRENGTH + 2])
        if points > bar and not mine[Scored.FOUL]:
            keep_board(search.found, points, tops.mask[t], middle, back)
    return judged


@kernel(internal=True)
def _add_fouls(search: Search) -> None:
    """Keep fouled boards as long as they beat the worst board kept; all fouled boards have the same value."""
    tops, middles, backs = search.tops.mask, search.middles.mask, search.backs.mask
    for m in range(len(middles)):
        for b in range(len(backs) - 1, -1, -1):  # weak backs first: they are the most likely to foul
            if not _back_fits(backs[b], middles[m], search.twins):
                continue
            for t in range(len(tops)):
                if not _top_fits(tops[t], middles[m] | backs[b], search.twins):
                    continue
                value = judge_board(search.question, tops[t], middles[m], backs[b])
                if search.question.mine[Scored.FOUL]:
                    if value <= worst_kept(search.found):
                        return
                    keep_board(search.found, value, tops[t], middles[m], backs[b])
