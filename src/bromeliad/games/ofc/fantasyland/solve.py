"""The best boards of a fantasyland hand, proven by bounds, without sampling.

The value of a board is its royalties plus the worth of a stay, or its points against known boards.
"""

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, CardSet
from bromeliad.core.jit import int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.errors import InputError
from bromeliad.games.ofc.fantasyland.heap import Found
from bromeliad.games.ofc.fantasyland.rows import (
    BACK,
    MIDDLE,
    TOP,
    Candidates,
    Gains,
    Question,
    best_first,
    list_sets,
    make_gains,
    pick,
    rate_rows,
)
from bromeliad.games.ofc.fantasyland.search import FIRST_JOKER, SECOND_JOKER, Search, judge_board, search_boards
from bromeliad.games.ofc.rules.rule_set import BOARD_SIZE, ROW_SIZES
from bromeliad.games.ofc.rules.rule_tables import Flag
from bromeliad.games.ofc.rules.scoring import Scored, is_scoop, score_board, settle
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.hand_state import Field

MOST_BOARDS = 100_000
"""The most boards that can be requested; a hand of 13 cards has fewer."""


class FantasylandAnswer(NamedTuple):
    """The best boards, best first: arrays with one entry per board."""

    top: NDArray[np.int64]  # rows and discards are card masks
    middle: NDArray[np.int64]
    back: NDArray[np.int64]
    discards: NDArray[np.int64]
    value: NDArray[np.float64]  # in points, by the spot's objective
    foul: NDArray[np.float64]  # 1 if the board fouls
    royalties: NDArray[np.float64]
    cards: NDArray[np.float64]  # fantasyland cards of the next hand, 0 for none
    row_points: NDArray[np.float64]  # versus: points of the three rows, summed over all opponents
    scoops: NDArray[np.float64]  # versus: the share of opponents who are scooped


def solve_fantasyland(spot: Spot, k: int) -> FantasylandAnswer:
    """Return the best ``k`` boards of a fantasyland hand, best first, or all if there are fewer.

    Boards that differ only in which joker is where count as one. Of equally good boards (to 0.00003 points), those with
    stronger rows come first. The answer is deterministic. It has fouled boards only if too few others are as good.

    Parameters
    ----------
    spot
        A spot in fantasyland; under the objective *versus*, the opponents' boards must be full.
    """
    if not 1 <= k <= MOST_BOARDS:
        raise InputError("the number of boards must be 1 to {most}, not {k}", most=MOST_BOARDS, k=k)
    found = no_boards(min(k, _count_boards(len(spot.cards))))
    question = make_question(spot)
    hand = CardSet.from_cards(spot.cards)
    if _opponents_depend_on_discards(question):
        # An opponent's joker may not copy our open cards, so every set of discards needs its own search.
        for discards in combinations(spot.cards, len(spot.cards) - BOARD_SIZE):
            placed = hand - CardSet.from_cards(discards)
            own_question = _with_opponents(spot, question, placed)
            search_hand(own_question, make_gains(own_question), placed, found)
    else:
        search_hand(question, make_gains(question), hand, found)
    return _answer(spot, question, hand, found)


def _count_boards(cards: int) -> int:
    top, middle, back = ROW_SIZES
    return comb(cards, BOARD_SIZE) * comb(BOARD_SIZE, top) * comb(middle + back, middle)


def make_question(spot: Spot) -> Question:
    """Return the data by which the boards of a spot are judged."""
    state = spot.to_state()
    boards = spot.opponents if spot.objective == "versus" else ()
    question = Question(
        tables=state.tables,
        worth=state.worth,
        opponents=np.zeros((len(boards), Scored.SIZE), np.int64),
        cards=int(state.v[Field.FANTASYLAND]),
        seen=spot.opponents_open.mask,
        mine=np.zeros(Scored.SIZE, np.int64),
        points=np.zeros(4, np.int64),
    )
    return _with_opponents(spot, question, CardSet())


def _with_opponents(spot: Spot, question: Question, placed: CardSet) -> Question:
    """Return the question with the opponents' boards scored as if these cards of ours were open."""
    scored = np.zeros_like(question.opponents)
    seen = int64(question.seen | placed.mask)
    for board, out in zip(spot.opponents, scored, strict=False):  # none to score under the solo objective
        score_board(question.tables, *board.masks, 0, seen, out)
    return question._replace(opponents=scored)


def _opponents_depend_on_discards(question: Question) -> bool:
    jokers = question.opponents[:, Scored.MASK : Scored.MASK + 3] & (FIRST_JOKER | SECOND_JOKER)
    return bool(jokers.any()) and not question.tables.flags[Flag.MAY_COPY_SEEN]


def no_boards(k: int) -> Found:
    """Return empty arrays for the best ``k`` boards."""
    return Found(np.zeros(k), np.zeros(k, np.int64), np.zeros((k, 3), np.int64), np.zeros(1, np.int64))


def search_hand(question: Question, gains: Gains, hand: CardSet, found: Found) -> int:
    """Put the best boards of a hand into ``found``; return the number of boards judged.

    Several hands can share one question and its ``gains``, the result of ``make_gains(question)``.
    """
    twins = hand.mask >> DECK_SIZE == 3
    threes, fives = list_sets(question.tables.hands, hand)
    # With two jokers in hand, a back with only the first equals a back with only the second.
    doubled = twins & (fives.mask & (FIRST_JOKER | SECOND_JOKER) == FIRST_JOKER)
    tops = _rated(question, gains, TOP, threes)
    middles = _rated(question, gains, MIDDLE, fives)
    backs = _rated(question, gains, BACK, pick(fives, ~doubled))
    search = Search(
        question=question,
        gains=gains,
        tops=tops,
        middles=middles,
        backs=backs,
        reach=np.ascontiguousarray(np.maximum.accumulate(backs.best[::-1])[::-1]),
        under=_keys_by_strength(tops, gains),
        twins=twins,
        bounds=np.empty(len(middles.mask)),
        order=np.empty(len(middles.mask), np.int64),
        found=found,
    )
    judged: int = search_boards(search)
    return judged


def _rated(question: Question, gains: Gains, row: int, candidates: Candidates) -> Candidates:
    """Return the candidates for one row of the board, rated, best first."""
    rate_rows(question.tables, gains, row, candidates)
    size = len(candidates.mask)
    counts = np.empty(gains.points.shape[1], np.int64)
    codes, work, order = (np.empty(size, np.int64) for _ in range(3))
    best_first(candidates, np.empty(size), codes, counts, work, order)
    return pick(candidates, order)


def _keys_by_strength(tops: Candidates, gains: Gains) -> NDArray[np.float64]:
    keys = np.full(gains.points.shape[1], -np.inf)
    np.maximum.at(keys, tops.floor, tops.key)
    return np.maximum.accumulate(keys)


@kernel
def _describe(question: Question, answer: FantasylandAnswer, start: int, end: int) -> None:
    """Fill in the value, royalties and other results of the boards ``start`` to ``end - 1``."""
    for i in range(start, end):
        answer.value[i] = judge_board(question, answer.top[i], answer.middle[i], answer.back[i])
        mine, points = question.mine, question.points
        answer.foul[i] = mine[Scored.FOUL]
        answer.royalties[i] = mine[Scored.ROYALTIES]
        answer.cards[i] = mine[Scored.NEXT_CARDS]
        for theirs in question.opponents:
            settle(question.tables, mine, theirs, points)
            answer.row_points[i] += points[0] + points[1] + points[2]
            answer.scoops[i] += is_scoop(question.tables, mine, theirs) / len(question.opponents)


def _answer(spot: Spot, question: Question, hand: CardSet, found: Found) -> FantasylandAnswer:
    count = int(found.size[0])
    boards = found.boards[found.slot[:count]]
    order = np.lexsort((*boards.T, -found.value[:count]))
    top, middle, back = (np.ascontiguousarray(row) for row in boards[order].T)
    answer = FantasylandAnswer(
        top, middle, back, hand.mask & ~(top | middle | back), *(np.zeros(count) for _ in FantasylandAnswer._fields[4:])
    )
    if not _opponents_depend_on_discards(question):
        _describe(question, answer, 0, count)
    else:
        for i in range(count):
            placed = CardSet(hand.mask & ~int(answer.discards[i]))
            _describe(_with_opponents(spot, question, placed), answer, i, i + 1)
    return answer


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    cards = "As Ah Ad Kc Kd Qs Qh Js Jd Tc 9s 9h 8d 4c"
    solve_fantasyland(parse_spot(preset("pineapple"), cards=cards, fantasyland=True), 2)
