"""The front of a fantasyland hand: the boards that can be best against some opponents.

A board dominates another if each of its rows is at least as strong and it stays in fantasyland if the other does.
Royalties grow with strength, so it settles at least as well against any opponents' boards. The best reply is therefore
among the boards that no other board dominates: about sixty of the million ways to set 14 cards.

Backs are tried strongest first. A board with a weaker back is new only if its top is stronger than the top of every
earlier board whose middle is at least as strong. A table has the strongest of these tops by the middle's strength.
"""

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.games.ofc.fantasyland.rows import BACK, MIDDLE, TOP, Candidates, list_sets, pick, strength_range
from bromeliad.games.ofc.fantasyland.search import row_limits
from bromeliad.games.ofc.hands.automaton import hand_types, strength_at_most
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import STAY, Tables, rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board
from bromeliad.games.ofc.spot import Spot, parse_spot

_MOST = 1 << 14  # most boards before the final comparison; a hand has hundreds
_ANY, _STAYING = 0, 1  # rows of the table: all boards so far, and those that stay in fantasyland
_TOPS = (0, 1, 3)  # categories of a top row: high card, pair, three of a kind


def has_front(spot: Spot) -> bool:
    """Return whether a stronger row is never worse, so that dominated boards can be left out.

    This is true if points and royalties grow with strength, the worth of a stay is not negative, suits break no ties,
    and jokers may copy every card.
    """
    rules = spot.rules
    points = rules.scoring.row_points
    pays = min(points.top, points.middle, points.back, rules.scoring.scoop, rules.fantasyland.bonus) >= 0
    copies = rules.jokers.count == 0 or rules.jokers.may_copy_seen
    worth = min((value for _, value in spot.fantasyland_worth), default=0.0) >= 0.0
    return pays and copies and worth and not rules.order.suits_break_ties and _royalties_grow(rules)


def answers_last(spot: Spot) -> bool:
    """Return whether opponents in fantasyland set their hands last, as the best reply to the boards that they see."""
    return spot.rules.fantasyland.commit == "last" and has_front(spot)


def _royalties_grow(rules: RuleSet) -> bool:
    tables, kinds = rule_tables(rules), hand_types()
    of_three = [strength for strength, kind in enumerate(kinds) if kind is not None and kind.category in _TOPS]
    rows = (tables.royalty[TOP, of_three], tables.royalty[MIDDLE], tables.royalty[BACK])
    used = rows if rules.order.low_middle is None else (rows[TOP], rows[MIDDLE][: tables.low.max() + 1], rows[BACK])
    return all(bool((np.diff(row) >= 0).all()) and row.min() >= 0 for row in used)


def front_boards(rules: RuleSet, hand: CardSet) -> NDArray[np.int64]:
    """Return all boards of a fantasyland hand that no other board dominates, as [board, offset in ``Scored``].

    Of equal boards, one is kept. If every board fouls, one of them is returned. The result is complete only for spots
    that :func:`has_front` accepts.
    """
    tables = rule_tables(rules)
    threes, fives = list_sets(tables.hands, hand)
    low = rules.order.low_middle is not None
    tops, backs = _strongest_first(tables, threes, low=False), _strongest_first(tables, fives, low=False)
    middles = _strongest_first(tables, fives, low=True) if low else backs
    stairs = np.zeros((2, len(hand_types()) + 1), np.int64)
    boards = np.zeros((_MOST, Scored.SIZE), np.int64)
    count = _climb(tables, tops, middles, backs, int64(hand.size), stairs, boards)
    if count == 0:
        cards = hand.to_list()
        any_board = PlayerArrangement.of(cards[:3], cards[3:8], cards[8:13])
        score_board(tables, *any_board.masks, hand.size, hand.mask, boards[0])
        return boards[:1].copy()
    assert count <= _MOST
    kept = np.zeros(count, np.int64)
    return boards[kept[: _undominated(boards[:count], kept)]]


def _strongest_first(tables: Tables, sets: Candidates, *, low: bool) -> Candidates:
    """Return the sets of cards that can be a row, strongest first; ``low`` rates them as low middles."""
    _rate(tables, sets, low)
    order = np.argsort(-sets.best, kind="stable")
    return pick(sets, order[sets.best[order] > 0])


@kernel
def _rate(tables: Tables, sets: Candidates, low: bool) -> None:
    """Write the greatest and the least strength of each row."""
    for i in range(len(sets.row)):
        sets.best[i], sets.floor[i] = strength_range(tables, sets.row[i], low)


@kernel(inline=True)
def _at_most(tables: Tables, rows: Candidates, i: int, limit: int) -> int:
    """Return the greatest strength of a row that is at most ``limit``, 0 if there is none."""
    if rows.best[i] <= limit:
        return rows.best[i]
    if rows.floor[i] > limit:
        return int64(0)
    return strength_at_most(tables.hands, rows.row[i], limit)


@kernel(internal=True)
def _strongest_top(tables: Tables, tops: Candidates, used: int, limit: int) -> tuple[int, int]:
    """Return the strength and the cards of the strongest top up to ``limit`` without ``used`` cards, (0, 0) if none."""
    best, mask = int64(0), int64(0)
    for t in range(len(tops.mask)):
        if tops.best[t] <= best:
            break
        if tops.mask[t] & used:
            continue
        strength = _at_most(tables, tops, t, limit)
        if strength > best:
            best, mask = strength, tops.mask[t]
    return best, mask


@kernel(inline=True)
def _raise_stairs(stairs: Ints, middle: int, top: int) -> None:
    """Record a board: boards with a middle up to this strength now need a stronger top."""
    at = middle
    while at >= 0 and stairs[at] < top:
        stairs[at] = top
        at -= 1


@kernel
def _climb(
    tables: Tables, tops: Candidates, middles: Candidates, backs: Candidates, cards: int, stairs: Ints, out: Ints
) -> int:
    """Write the boards that no earlier board dominates; return their number, or one more than ``out`` holds.

    Parameters
    ----------
    stairs
        [any or staying, strength] the strongest top of the boards so far whose middle has at least this strength.
    """
    marks, count, first = tables.marks, 0, 0
    for b in range(len(backs.mask)):
        back, strength = backs.mask[b], backs.best[b]
        middle_limit, _ = row_limits(tables.flags, strength, int64(0))
        highest, _ = _strongest_top(tables, tops, back, strength)
        while first < len(middles.mask) and middles.floor[first] > middle_limit:
            first += 1  # too strong for this back and for all that follow
        for m in range(first, len(middles.mask)):
            if middles.mask[m] & back:
                continue
            middle = _at_most(tables, middles, m, middle_limit)
            if middle == 0:
                continue
            stays = marks[STAY + BACK, strength] or marks[STAY + MIDDLE, middle]
            _, limit = row_limits(tables.flags, strength, middle)
            bound = min(highest, limit)
            if bound <= stairs[_STAYING if stays or marks[STAY, bound] else _ANY, middle]:
                if middles.best[m] <= middle_limit:
                    break  # a weaker middle would need a stronger top, and has none
                continue
            top, mask = _strongest_top(tables, tops, back | middles.mask[m], limit)
            stays |= marks[STAY, top]
            if top <= stairs[_STAYING if stays else _ANY, middle]:
                continue
            if count == out.shape[0]:
                return count + 1
            score_board(tables, mask, middles.mask[m], back, cards, int64(0), out[count])
            count += 1
            _raise_stairs(stairs[_ANY], middle, top)
            if stays:
                _raise_stairs(stairs[_STAYING], middle, top)
    return count


@kernel(inline=True)
def _dominates(one: Ints, two: Ints) -> bool:
    """Return whether one scored board dominates another."""
    at = Scored.STRENGTH
    rows = one[at] >= two[at] and one[at + 1] >= two[at + 1] and one[at + 2] >= two[at + 2]
    return rows and (one[Scored.NEXT_CARDS] > 0 or two[Scored.NEXT_CARDS] == 0)


@kernel
def _undominated(boards: Ints, kept: Ints) -> int:
    """Write the indices of the boards that no other dominates, of equal boards the first; return their number."""
    count = 0
    for i in range(boards.shape[0]):
        best = True
        for k in range(boards.shape[0]):
            if k != i and _dominates(boards[k], boards[i]) and (k < i or not _dominates(boards[i], boards[k])):
                best = False
                break
        if best:
            kept[count] = i
            count += 1
    return count


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    rules = preset("pineapple")
    spot = parse_spot(rules, cards="As Ah Ad Kc Kd Qs Qh Js Jd Tc 9s 9h 8d 4c", fantasyland=True)
    front_boards(rules, CardSet.from_cards(spot.cards))
