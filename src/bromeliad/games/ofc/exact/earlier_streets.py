"""Exact answers before the last street: their cost, and running them over all placements on threads."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from math import comb
from threading import local

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Cancel
from bromeliad.core.game import apply, clone, legal_actions, score_actions
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.machine import cores
from bromeliad.games.ofc.exact.expectation import Expected, listed, mean_eleven_cards, mean_nine_cards, nine_scratch
from bromeliad.games.ofc.exact.pairs import ExactContext
from bromeliad.games.ofc.hands.placements import count_placements
from bromeliad.games.ofc.rules.rule_set import Street
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values import heuristics  # noqa: F401 -- registers how placements are scored
from bromeliad.games.ofc.values.hand_state import Field, HandState

PAIR_STREET = Street(deal=3, place=2)
"""The kind of street that the pair matrix can value."""

WORTH_ORDERING = 0.5
"""From this cost on, in seconds of one thread, the best-looking placements are valued first: time may run out."""

# Seconds on one thread, measured; they only decide which method fits a time budget.
_PAIR_PASS = 1e-8  # one pass over a matrix, per pair of cards
_JOKER_PASS = 2.5  # times longer with jokers
_NO_COPY_PASS = 2000.0  # times longer if a joker may not copy a seen card: every card is tried for it
_LISTED_LEAF = 1e-7  # one board, if all draws are listed
_MARGIN = 2.0


@dataclass(frozen=True)
class ExactValues:
    """The exact means of placements; NaN for those that were not reached."""

    codes: NDArray[np.int64]
    means: NDArray[np.float64]  # [placement, offset in Expected]

    @property
    def done(self) -> int:
        """The number of placements that have been valued."""
        return int(np.isfinite(self.means[:, Expected.VALUE]).sum())


def exact_cost(spot: Spot) -> float:
    """Return an estimate of the seconds that the exact answer takes on one thread."""
    later = _later_streets(spot)
    unseen = spot.unseen.size
    street = spot.rules.streets[spot.street_index]
    actions = count_placements(street.deal, 3, 5, 5, street.place) if spot.cards else 1
    jokers = 1.0
    if spot.rules.jokers.count:
        jokers = _JOKER_PASS if spot.rules.jokers.may_copy_seen else _NO_COPY_PASS
    if all(s == PAIR_STREET for s in later) and len(later) <= 2:
        return _MARGIN * actions * jokers * (7.0 * comb(unseen, 2)) ** (len(later) - 1) * comb(unseen, 2) * _PAIR_PASS
    return _MARGIN * actions * _listed_leaves(later, unseen) * _LISTED_LEAF


def _listed_leaves(streets: tuple[Street, ...], unseen: int) -> float:
    leaves = 1.0
    for street in streets:
        leaves *= comb(unseen, street.deal) * count_placements(street.deal, 2, 3, 3, street.place)
        unseen -= street.deal
    return leaves


def _later_streets(spot: Spot) -> tuple[Street, ...]:
    """Return the streets that are dealt after this decision."""
    return spot.rules.streets[spot.street_index + bool(spot.cards) :]


class _Worker:
    """Values boards, with a scratch per thread."""

    def __init__(self, spot: Spot, state: HandState) -> None:
        v = state.v
        self.context = ExactContext(
            state.tables, state.worth, state.pay, state.opponent_tables, v[Field.SEEN], v[Field.FANTASYLAND]
        )
        later = _later_streets(spot)
        self.depth = len(later) if all(s == PAIR_STREET for s in later) and len(later) <= 2 else 0
        self.longest = max(count_placements(s.deal, 3, 5, 5, s.place) for s in spot.rules.streets)
        self._local = local()

    def value(self, state: HandState) -> NDArray[np.float64]:
        """Return the exact means of a board between streets."""
        v = state.v
        out = np.zeros(Expected.SIZE)
        rows = v[Field.ROW], v[Field.ROW + 1], v[Field.ROW + 2]
        free = v[Field.FREE], v[Field.FREE + 1], v[Field.FREE + 2]
        board = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2]
        if self.depth == 0:
            codes = np.zeros((len(state.streets) // 2, self.longest), np.int64)
            out[:] = listed(self.context, state.streets, v[Field.STREET], *rows, *free, board, v[Field.DECK], codes)
            return out
        if not hasattr(self._local, "scratch"):
            self._local.scratch = nine_scratch()
        scratch = self._local.scratch
        if self.depth == 1:
            mean_eleven_cards(self.context, *rows, free, board, v[Field.DECK], scratch.pairs, out)
        else:
            mean_nine_cards(self.context, *rows, free, board, v[Field.DECK], scratch, out)
        return out


def solve_exact(
    spot: Spot,
    threads: int | None = None,
    progress: Callable[[ExactValues], None] | None = None,
    cancel: Cancel | None = None,
    *,
    state: HandState | None = None,
    codes: NDArray[np.int64] | None = None,
) -> ExactValues:
    """Return the exact means of every placement of a spot before the last street.

    A spot without cards has one entry, with the code 0: the board's mean before the draw.

    Parameters
    ----------
    progress
        Called from this thread with the means so far, after each placement.
    cancel
        Checked between placements; once cancelled, the remaining means stay NaN.
    state, codes
        The state whose objective values boards, and the placements in the order of work. By default the spot's solo
        objective, and all placements, the best-looking first if they take long.
    """
    cost = exact_cost(spot) if codes is None else 0.0
    root = state or (spot.to_search_state() if cost >= WORTH_ORDERING else spot.to_state())
    order = placement_codes(spot, root, cost) if codes is None else codes
    ended = cancel or Cancel()
    worker = _Worker(spot, root)
    means = np.full((len(order), Expected.SIZE), np.nan)

    def work(index: int) -> int:
        if not ended():
            after = clone(root)
            if spot.cards:
                apply(after, order[index])
            means[index] = worker.value(after)
        return index

    with ThreadPoolExecutor(threads or cores()) as pool:
        futures: list[Future[int]] = [pool.submit(work, index) for index in range(len(order))]
        for _ in as_completed(futures):
            if progress is not None:
                progress(ExactValues(order, means))
    for future in futures:
        future.result()
    return ExactValues(order, means)


def placement_codes(spot: Spot, state: HandState, cost: float = 0.0) -> NDArray[np.int64]:
    """Return the codes of all placements, the best-looking first if they take long; the code 0 if there are no cards.

    Parameters
    ----------
    state
        The state of the spot; a state for searches if ``cost`` is at least ``WORTH_ORDERING``.
    cost
        The cost of the spot, from :func:`exact_cost`.
    """
    if not spot.cards:
        return np.zeros(1, np.int64)
    street = spot.rules.streets[spot.street_index]
    codes = np.zeros(count_placements(street.deal, 3, 5, 5, street.place), np.int64)
    codes = codes[: legal_actions(state, codes)]
    if cost < WORTH_ORDERING:
        return codes
    scores = np.zeros(len(codes))
    score_actions(state, codes, len(codes), scores)
    return codes[np.argsort(-scores, kind="stable")]


@warmup
def _warm_up() -> None:
    from bromeliad.core.cards import CardSet, parse_cards
    from bromeliad.games.ofc.rules.files import preset

    few = CardSet.from_cards(parse_cards("2c 3d 4s 5h 6c 7d 8s"))  # such a short deck takes no time
    boards = {
        "Qd / 9c 9s 4h / As Ac Ad": "pineapple",  # street 3: nine-card boards
        "Qd / 9c 9s 4h 4c / As Ac Ad Ks": "pineapple",  # street 4: eleven-card boards
        "Qd Qh / 9c 9s 4h / As Ac Ad Ks": "turbo",  # every draw listed
    }
    for board, rules in boards.items():
        cards = "" if rules == "turbo" else "Kc Jd Th"
        rest = parse_spot(preset(rules), board=board, cards=cards).unseen - few
        solve_exact(parse_spot(preset(rules), board=board, cards=cards, dead=str(rest)), threads=1)
        if rules != "turbo":
            spot = parse_spot(preset(rules), board=board, cards=cards)
            placement_codes(spot, spot.to_search_state(), WORTH_ORDERING)
