"""Exact values of the last street: every placement fills the board, so every value is known outright."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import apply, copy_into, legal_actions
from bromeliad.core.jit import Ints, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.hands.placements import count_placements
from bromeliad.games.ofc.rules.rule_tables import Flag, Tables
from bromeliad.games.ofc.rules.scoring import Scored, is_scoop, score_board, settle
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.hand_state import Field, HandState, board_value

__all__ = ["LastStreet", "solve_last_street"]

MAX_PLACEMENTS = 2_000_000  # what is listed outright: fantasyland with 14 cards has half of it


class LastStreet(NamedTuple):
    """One entry an action: what it is and everything that it leads to."""

    codes: NDArray[np.int64]  # the placement codes
    value: NDArray[np.float64]  # in points, of the spot's objective
    foul: NDArray[np.float64]  # 1 if the board fouls
    royalties: NDArray[np.float64]
    cards: NDArray[np.float64]  # fantasyland cards of the next hand, 0 for none
    row_points: NDArray[np.float64]  # versus: points of the three rows, all opponents together
    scoops: NDArray[np.float64]  # versus: the share of opponents who are scooped


@kernel
def _evaluate_all(
    state: HandState, work: HandState, opponents: Ints, mine: Ints, points: Ints, answer: LastStreet
) -> int:
    """Fill ``answer`` for every placement of a last street; ``opponents`` are scored boards. Return their number."""
    count = legal_actions(state, answer.codes)
    worth = state.worth
    opponent_tables = opponents.shape[0]
    for i in range(count):
        copy_into(work, state)
        apply(work, answer.codes[i])
        value, fouled, royalties, cards = board_value(work)
        answer.foul[i] = fouled
        answer.royalties[i] = royalties
        answer.cards[i] = cards
        if opponent_tables:
            v = work.v
            open_cards = v[Field.SEEN] | v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2]
            score_board(
                state.tables,
                v[Field.MASK],
                v[Field.MASK + 1],
                v[Field.MASK + 2],
                v[Field.FANTASYLAND],
                open_cards,
                mine,
            )
            value = worth[cards]
            answer.row_points[i] = 0.0
            answer.scoops[i] = 0.0
            for j in range(opponent_tables):
                if not state.tables.flags[Flag.MAY_COPY_SEEN]:
                    _score_again(state.tables, opponents[j], open_cards)
                value += settle(state.tables, mine, opponents[j], points) - worth[opponents[j, Scored.NEXT_CARDS]]
                answer.row_points[i] += points[0] + points[1] + points[2]
                answer.scoops[i] += 1.0 / opponent_tables if is_scoop(state.tables, mine, opponents[j]) else 0.0
        answer.value[i] = value
    return count


@kernel
def _score_again(tables: Tables, scored: Ints, seen: int) -> None:
    """Score an opponent's board anew: what its jokers may stand for depends on the cards that lie open now."""
    score_board(tables, scored[Scored.MASK], scored[Scored.MASK + 1], scored[Scored.MASK + 2], 0, seen, scored)


def _scored_opponents(spot: Spot, state: HandState) -> NDArray[np.int64]:
    """Return the finished boards of the opponents, scored; none under the solo objective."""
    boards = spot.opponents if spot.objective == "versus" else ()
    scored = np.zeros((len(boards), Scored.SIZE), np.int64)
    for board, out in zip(boards, scored, strict=True):
        score_board(state.tables, *board.masks, 0, spot.opponents_open.mask, out)
    return scored


def solve_last_street(spot: Spot) -> LastStreet:
    """Return the exact value of every placement, best first; opponents' boards must be full under *versus*."""
    state = spot.to_state()
    free = [int(count) for count in state.v[Field.FREE : Field.FREE + 3]]
    size = count_placements(len(spot.cards), free[0], free[1], free[2], sum(free))
    if size > MAX_PLACEMENTS:
        raise UnsupportedError(
            "{count} placements are too many to list: this version lists up to {limit}",
            count=size,
            limit=MAX_PLACEMENTS,
        )
    work = state._replace(v=state.v.copy())
    opponents = _scored_opponents(spot, state)
    mine, points = np.zeros(Scored.SIZE, np.int64), np.zeros(4, np.int64)
    answer = LastStreet(np.zeros(size, np.int64), *(np.zeros(size) for _ in LastStreet._fields[1:]))
    count = _evaluate_all(state, work, opponents, mine, points, answer)
    order = np.lexsort((answer.foul[:count], -answer.value[:count]))  # of equal values those that do not foul first
    return LastStreet(answer.codes[order], *(array[order] for array in answer[1:]))


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset

    board = "Qd Qh / 9c 9s 4h 4d / As Ac Jd 7h 7d"
    opponents = ["2c 3d 5s / 6h 6d Th Td 9d / Ks Kd Kh 3c 3h"]
    solve_last_street(parse_spot(preset("pineapple"), cards="Kc 8d 3s", board=board, opponents=opponents))
