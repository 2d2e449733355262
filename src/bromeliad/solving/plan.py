"""The plan of a question: everything that follows from a request, worked out once and used by every method.

Modules of methods are imported where they are needed: the opening book answers sooner than all of them are loaded.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Budget
from bromeliad.core.machine import cores
from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.book.file import BookEntry
from bromeliad.games.ofc.book.shelf import look_up
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import HandState
from bromeliad.solving.answer import OpponentValues
from bromeliad.solving.request import DEFAULT_TIME, SearchPolicy, SolveRequest

if TYPE_CHECKING:
    from bromeliad.games.ofc.opponents.sampling import Habits

Method = Literal["book", "fantasyland", "last street", "exact", "search", "table"]

REPRODUCIBLE_COST = 60.0
"""Seconds on one thread that an exact answer may cost if the budget is a number of simulations."""

DEFAULT_TOP = 10
"""Number of arrangements of a fantasyland hand that are listed by default."""

FILLED = ("fantasyland", "last street")
"""Methods for decisions that fill the board."""

_KERNELS: dict[Method, tuple[str, ...]] = {
    "book": (),
    "fantasyland": ("bromeliad.games.ofc.fantasyland.solve",),
    "last street": ("bromeliad.games.ofc.exact.last_street",),
    "exact": ("bromeliad.games.ofc.exact.earlier_streets",),
    "search": ("bromeliad.games.ofc.search_spot",),
    "table": ("bromeliad.games.ofc.opponents.playouts", "bromeliad.games.ofc.opponents.sampling"),
}
_OPPONENT_KERNELS = (
    "bromeliad.games.ofc.opponents.sampling",
    "bromeliad.games.ofc.opponents.endings",
    "bromeliad.games.ofc.opponents.versus",
)
_FRONT_KERNELS = "bromeliad.games.ofc.fantasyland.front"


@dataclass(frozen=True)
class Plan:
    """How a question is answered.

    Attributes
    ----------
    spot
        The checked decision.
    method
        How to answer: from the opening book, exactly, by a search of the player's own hand, or by a search that plays
        all hands at the table.
    policy
        How a search chooses actions.
    budget
        What the answer may cost: seconds or simulations.
    cost
        Estimated seconds on one thread for an exact answer; 0 if no deal is to come.
    book
        The entries of the opening book, if it answers.
    """

    request: SolveRequest
    spot: Spot
    method: Method
    policy: SearchPolicy
    budget: Budget
    threads: int
    cost: float = 0.0
    book: tuple[BookEntry, ...] = ()

    @cached_property
    def meets_opponents(self) -> bool:
        """Whether the objective is *versus*, and an opponent is unfinished or the placement does not fill the board."""
        return self.spot.objective == "versus" and not (self._all_finished and self.method in FILLED)

    @property
    def _all_finished(self) -> bool:
        """Whether all opponents have finished, with open boards."""
        return not self.spot.hidden and all(board.is_complete for board in self.spot.opponents)

    @property
    def opponent_values(self) -> OpponentValues | None:
        """The values by which unfinished opponents play on; None on the last street, and if no opponent plays on."""
        if self.method == "table":
            return "both boards"
        played_on = self.meets_opponents and self.method not in FILLED and not self._all_finished
        return "own board" if played_on else None

    @property
    def is_immediate(self) -> bool:
        """Whether the answer costs almost nothing: it is in the book, or fills the board without sampled opponents."""
        return self.method == "book" or (self.method in FILLED and not self.meets_opponents)

    @property
    def is_tiny(self) -> bool:
        """Whether kernels answer in milliseconds even as plain Python: a normal last street, finished opponents."""
        return self.method == "last street" and not self.meets_opponents

    @property
    def habits(self) -> "Habits | None":
        """The objective by which opponents place cards, if the request has a model of them."""
        from bromeliad.games.ofc.opponents.sampling import Habits

        return None if self.request.opponent_model is None else Habits(*self.request.opponent_model)

    @property
    def kernels(self) -> tuple[str, ...]:
        """The modules whose kernels will run."""
        sampled = self.meets_opponents and self.method != "table"
        return (*_KERNELS[self.method], *(_OPPONENT_KERNELS if sampled else ()), *self._front_kernels())

    def _front_kernels(self) -> tuple[str, ...]:
        """Return the module of the kernels that list the boards of an opponent in fantasyland, if they are used."""
        if not self.spot.hidden:
            return ()
        from bromeliad.games.ofc.fantasyland.front import answers_last

        return (_FRONT_KERNELS,) if answers_last(self.spot) else ()

    @property
    def listed(self) -> int:
        """Number of arrangements of a fantasyland hand to list."""
        return self.request.top or DEFAULT_TOP

    @cached_property
    def state(self) -> HandState:
        """The spot as kernels see it, with learned values only if they are used. Copy it before playing on."""
        from bromeliad.games.ofc.exact.earlier_streets import WORTH_ORDERING

        against = self.meets_opponents and self.method not in FILLED
        searches = self.method == "search" or against or self.cost >= WORTH_ORDERING
        return self.spot.to_search_state() if searches else self.spot.to_state()

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The codes of all placements, in the order of their evaluation."""
        from bromeliad.games.ofc.exact.earlier_streets import placement_codes

        return placement_codes(self.spot, self.state, self.cost)

    def without_book(self) -> "Plan":
        """Return the plan without the opening book, for a deeper answer than the book's."""
        return _plan(self.request.without_book(), self.spot) if self.method == "book" else self


def plan(question: SolveRequest | Plan) -> Plan:
    """Return the plan of a question, or the given plan: nothing is derived twice. Planning is cheap.

    Raises
    ------
    InputError
        If the request is invalid, or this version cannot answer it.
    """
    return question if isinstance(question, Plan) else _plan(question, question.to_spot())


def _plan(request: SolveRequest, spot: Spot) -> Plan:
    """Choose the method; the book answers only if neither a time nor a number of simulations is given."""
    settings, simulations = spot.rules.mcts, request.simulations
    if settings is not None and request.time is None and simulations is None:
        simulations = settings.simulation_count
    policy = request.policy or ("halving" if settings is None else "puct")
    threads = request.threads or cores()
    budget = Budget(None if simulations else request.time or DEFAULT_TIME, simulations)
    asks_book = request.book and request.time is None and simulations is None
    if asks_book and (book := look_up(spot)):
        return Plan(request, spot, "book", policy, budget, threads, book=book)
    method, cost = method_for(spot, budget.seconds, threads)
    if method not in FILLED and policy == "halving" and _is_played_at_table(request, spot):
        return Plan(request, spot, "table", policy, budget, threads)
    if method == "search" and not spot.cards:
        raise UnsupportedError(
            "the exact mean before the deal of street {street} takes longer than allowed: give the cards"
            " dealt, or more time",
            street=spot.street,
        )
    return Plan(request, spot, method, policy, budget, threads, cost)


def _is_played_at_table(request: SolveRequest, spot: Spot) -> bool:
    """Return whether a search plays out all hands; models of opponents are for open hands."""
    if spot.objective != "versus" or not spot.cards or (request.opponent_model is not None and spot.hidden):
        return False
    from bromeliad.games.ofc.opponents.playouts import can_seat

    return can_seat(spot)


def method_for(spot: Spot, seconds: float | None, threads: int) -> tuple[Method, float]:
    """Return the method for a spot, and the estimated seconds on one thread for counting all future deals.

    Parameters
    ----------
    seconds
        Time limit of the answer; None if the budget is a number of simulations, so that the machine does not matter.
    """
    if spot.in_fantasyland:
        return "fantasyland", 0.0
    if spot.cards and spot.is_last_street:
        return "last street", 0.0
    from bromeliad.games.ofc.exact.earlier_streets import exact_cost

    cost = exact_cost(spot)
    at_once = min(threads, cores()) if spot.cards else 1  # a board without cards to place is one task
    affordable = REPRODUCIBLE_COST if seconds is None else seconds * at_once
    return "exact" if cost <= affordable else "search", cost
