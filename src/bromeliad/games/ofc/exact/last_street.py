"""Values of the last street: every placement fills the board, so its value is known at once.

Against opponents, a placement is settled with all their possible final boards (:mod:`.replies`). Values are exact if
the opponents have finished or all their deals are listed.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, JOKERS
from bromeliad.core.game import apply, copy_into, legal_actions
from bromeliad.core.jit import int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.exact.replies import Replies, ReplyContext, best_replies, finished_board
from bromeliad.games.ofc.exact.settlement import POINTS, Part, square_error
from bromeliad.games.ofc.hands.placements import count_placements
from bromeliad.games.ofc.rules.rule_tables import Flag
from bromeliad.games.ofc.rules.scoring import Scored, score_board
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.hand_state import Field, HandState, board_value

MAX_PLACEMENTS = 2_000_000  # maximum number that is listed: fantasyland with 14 cards has half of it


@dataclass(frozen=True)
class Versus:
    """Values of my boards against opponents, one row per board; errors are 0 if all opponents are exact."""

    parts: NDArray[np.float64]  # [board, offset in Part] of all opponents together
    parts_stderr: NDArray[np.float64]  # [board, the first POINTS of Part]
    stderr: NDArray[np.float64]  # [board] of the value
    loss_stderr: NDArray[np.float64]  # [board] of its loss compared with the best board, given the same deals
    exact: bool

    @property
    def value(self) -> NDArray[np.float64]:
        """The value of each board."""
        value: NDArray[np.float64] = self.parts[:, :POINTS].sum(axis=1)
        return value

    @classmethod
    def pooled(cls, rounds: "Sequence[Versus]") -> "Versus":
        """Return the means over equal rounds of independent samples.

        A board may be compared with another best board in each round, so the error of its loss is the largest of any
        round.
        """
        count = len(rounds)
        parts = np.mean([one.parts for one in rounds], axis=0)
        of_parts = np.sqrt(np.sum([one.parts_stderr**2 for one in rounds], axis=0)) / count
        of_value = np.sqrt(np.sum([one.stderr**2 for one in rounds], axis=0)) / count
        of_loss = np.max([one.loss_stderr for one in rounds], axis=0) / math.sqrt(count)
        of_loss[int(np.argmax(parts[:, :POINTS].sum(axis=1)))] = 0.0
        return cls(parts, of_parts, of_value, of_loss, exact=False)

    def ordered(self, order: NDArray[np.int64]) -> "Versus":
        """Return the boards in another order."""
        errors = self.parts_stderr[order], self.stderr[order], self.loss_stderr[order]
        return Versus(self.parts[order], *errors, self.exact)


@dataclass(frozen=True)
class LastStreet:
    """The placements of a last street and their results, best first."""

    codes: NDArray[np.int64]  # the placement codes
    value: NDArray[np.float64]  # in points, of the spot's objective
    foul: NDArray[np.float64]  # 1 if the board fouls
    royalties: NDArray[np.float64]
    cards: NDArray[np.float64]  # fantasyland cards of the next hand, 0 for none
    versus: Versus | None  # values against opponents, under that objective


class _Listed(NamedTuple):
    """Placements in the order of the kernel's list."""

    codes: NDArray[np.int64]
    value: NDArray[np.float64]  # of the solo objective
    foul: NDArray[np.float64]
    royalties: NDArray[np.float64]
    cards: NDArray[np.float64]
    boards: NDArray[np.int64]  # [placement, offset in Scored]; empty under the solo objective


@kernel
def _evaluate_all(state: HandState, work: HandState, out: _Listed) -> int:
    """Fill ``out`` for every placement of a last street; return their number."""
    count = legal_actions(state, out.codes)
    for i in range(count):
        copy_into(work, state)
        apply(work, out.codes[i])
        out.value[i], out.foul[i], out.royalties[i], out.cards[i] = board_value(work)
        if out.boards.shape[0]:
            v = work.v
            top, middle, back = v[Field.MASK], v[Field.MASK + 1], v[Field.MASK + 2]
            seen = v[Field.SEEN] | top | middle | back
            score_board(state.tables, top, middle, back, v[Field.FANTASYLAND], seen, out.boards[i])
    return count


def solve_last_street(
    spot: Spot,
    opponents: Sequence[Replies] | None = None,
    goes_by: NDArray[np.float64] | None = None,
    more: Iterable[Sequence[Replies]] = (),
) -> LastStreet:
    """Return the value of every placement, best first.

    Parameters
    ----------
    opponents
        Under *versus*, the possible final boards of each opponent; by default their boards, which must be full.
    more
        Further samples of the same opponents; asked for only if not all of them are exact.
    goes_by
        The worth of fantasyland by which the opponents choose, by number of cards; the spot's by default.
    """
    state = spot.to_state()
    listed, count = _list_placements(spot, state)
    value, foul, versus = listed.value[:count], listed.foul[:count], None
    if spot.objective == "versus":
        met = opponents or [finished_board(spot, state.tables, board) for board in spot.opponents]
        context, boards = reply_context(spot, state, goes_by), listed.boards[:count]
        versus = meet_opponents(context, boards, met)
        if not versus.exact:
            versus = Versus.pooled([versus, *(meet_opponents(context, boards, others) for others in more)])
        value = versus.value
    order = np.lexsort((foul, -value))  # of equal values, those without a foul first
    return LastStreet(
        listed.codes[order],
        value[order],
        foul[order],
        listed.royalties[order],
        listed.cards[order],
        versus.ordered(order) if versus else None,
    )


def _list_placements(spot: Spot, state: HandState) -> tuple[_Listed, int]:
    """Return all placements and their number."""
    free = [int(count) for count in state.v[Field.FREE : Field.FREE + 3]]
    size = count_placements(len(spot.cards), free[0], free[1], free[2], sum(free))
    if size > MAX_PLACEMENTS:
        raise UnsupportedError(
            "{count} placements are too many to list: this version lists up to {limit}",
            count=size,
            limit=MAX_PLACEMENTS,
        )
    boards = np.zeros((size if spot.objective == "versus" else 0, Scored.SIZE), np.int64)
    value, foul, royalties, cards = np.zeros((4, size))
    listed = _Listed(np.zeros(size, np.int64), value, foul, royalties, cards, boards)
    return listed, int(_evaluate_all(state, state._replace(v=state.v.copy()), listed))


def reply_context(spot: Spot, state: HandState, goes_by: NDArray[np.float64] | None = None) -> ReplyContext:
    """Return the context of settlements in a spot."""
    worth = state.worth if goes_by is None else goes_by
    fantasyland = int(state.v[Field.FANTASYLAND])
    seen = spot.opponents_open.mask
    return ReplyContext(state.tables, state.worth, worth, int64(seen), int64(fantasyland), np.zeros(4, np.int64))


def meet_opponents(context: ReplyContext, boards: NDArray[np.int64], opponents: Sequence[Replies]) -> Versus:
    """Return the values of my scored boards against opponents, each of whom replies best to each board."""
    parts = np.zeros((len(boards), Part.SIZE))
    for replies in opponents:
        for i, board in enumerate(boards):
            parts[i] += replies.weights @ _meet(context, board, replies)
    best = int(np.argmax(parts[:, :POINTS].sum(axis=1)))
    squares = np.zeros((len(boards), POINTS + 2))  # squared standard errors of the points, the value and the loss
    for replies in opponents:
        if not replies.exact:
            squares += _square_errors(context, boards, best, replies)
    squares[best, -1] = 0.0
    errors = np.sqrt(squares)
    exact = all(replies.exact for replies in opponents)
    return Versus(parts, errors[:, :POINTS], errors[:, POINTS], errors[:, POINTS + 1], exact)


def _square_errors(
    context: ReplyContext, boards: NDArray[np.int64], best: int, replies: Replies
) -> NDArray[np.float64]:
    """Return the squared errors of each board due to a sampled opponent; board by board, to save memory."""
    of_best = _meet(context, boards[best], replies)[:, :POINTS].sum(axis=1)
    squares = []
    for board in boards:
        points = _meet(context, board, replies)[:, :POINTS]
        value = points.sum(axis=1)
        squares.append(square_error(context.tables, np.column_stack((points, value, value - of_best))))
    return np.array(squares)


def meet_boards(
    spot: Spot, boards: Sequence[tuple[int, int, int]], opponents: Sequence[Replies] | None = None
) -> Versus:
    """Return the values of my boards, given as masks of rows, against opponents; by default those of the spot."""
    state = spot.to_state()
    context = reply_context(spot, state)
    scored = np.zeros((len(boards), Scored.SIZE), np.int64)
    for masks, out in zip(boards, scored, strict=True):
        top, middle, back = map(int64, masks)
        seen = context.seen | top | middle | back
        score_board(state.tables, top, middle, back, context.fantasyland, seen, out)
    met = opponents or [finished_board(spot, state.tables, board) for board in spot.opponents]
    return meet_opponents(context, scored, met)


def _meet(context: ReplyContext, board: NDArray[np.int64], replies: Replies) -> NDArray[np.float64]:
    """Return [deal, offset in Part] the parts of a board's settlement with an opponent after each deal."""
    parts, gains = np.zeros((len(replies.choices), Part.SIZE)), np.zeros(len(replies.boards))
    mine, theirs = board.copy(), replies.boards
    if not context.tables.flags[Flag.MAY_COPY_SEEN]:
        theirs = theirs.copy()  # they are scored again for this board of mine
    best_replies(context, mine, theirs, int64(replies.fantasyland), replies.choices, gains, parts)
    return parts


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.exact.replies import list_deals
    from bromeliad.games.ofc.rules.files import preset

    board = "Qd Qh / 9c 9s 4h 4d / As Ac Jd 7h 7d"
    theirs = "2c 3d / 6h 6d Th Td / Ks Kd Kh 3c 3h"
    spot = parse_spot(preset("pineapple"), cards="Kc 8d 3s", board=board, opponents=[theirs])
    weights = np.ones(DECK_SIZE + JOKERS)
    solve_last_street(spot, [list_deals(spot, spot.to_state().tables, spot.opponents[0], 0, weights)])
