"""The plan of a question: everything that follows from a request, worked out once and passed to all who answer it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Budget
from bromeliad.core.machine import cores
from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.book.file import BookEntry
from bromeliad.games.ofc.book.shelf import look_up
from bromeliad.games.ofc.exact.earlier_streets import WORTH_ORDERING, exact_cost, placement_codes
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import HandState
from bromeliad.solving.request import DEFAULT_TIME, SearchPolicy, SolveRequest

__all__ = ["Method", "Plan", "method_for", "plan"]

Method = Literal["book", "fantasyland", "last street", "exact", "search"]

REPRODUCIBLE_COST = 60.0
"""Seconds of one thread that an exact answer may cost where the budget is a number of simulations."""

DEFAULT_TOP = 10
"""Arrangements of a fantasyland hand that are listed if the request does not say how many."""

_FILLED = ("fantasyland", "last street")  # methods for decisions that fill the board

_KERNELS: dict[Method, tuple[str, ...]] = {
    "book": (),
    "fantasyland": ("bromeliad.games.ofc.fantasyland.solve",),
    "last street": ("bromeliad.games.ofc.exact.last_street",),
    "exact": ("bromeliad.games.ofc.exact.earlier_streets",),
    "search": ("bromeliad.games.ofc.search_spot",),
}
_OPPONENT_KERNELS = ("bromeliad.games.ofc.opponents.sampling", "bromeliad.games.ofc.opponents.versus")


@dataclass(frozen=True)
class Plan:
    """How a question is answered.

    Attributes
    ----------
    spot
        The checked decision.
    method
        Who answers: the opening book, an exact method or a search.
    policy
        The way of searching, where it is a search.
    budget
        What the answer may cost: seconds or simulations.
    cost
        About how many seconds of one thread an exact answer takes; 0 where no deal is to come.
    book
        What the opening book says, if it answers.
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
        """Whether opponents count who have to be sampled, or who are met before the last street."""
        spot = self.spot
        finished = not spot.hidden and all(board.is_complete for board in spot.opponents)
        return spot.objective == "versus" and not (finished and self.method in _FILLED)

    @property
    def is_immediate(self) -> bool:
        """Whether the answer costs no more than looking it up: in a book, or full boards and nobody to be sampled."""
        return self.method == "book" or (self.method in _FILLED and not self.meets_opponents)

    @property
    def kernels(self) -> tuple[str, ...]:
        """The warm-ups of the kernels that will run."""
        return (*_KERNELS[self.method], *(_OPPONENT_KERNELS if self.meets_opponents else ()))

    @property
    def listed(self) -> int:
        """How many arrangements of a fantasyland hand are listed."""
        return self.request.top or DEFAULT_TOP

    @cached_property
    def state(self) -> HandState:
        """The spot as kernels see it; whoever plays on it takes a copy. Learned values only where they are of use."""
        searches = self.method == "search" or self.meets_opponents or self.cost >= WORTH_ORDERING
        return self.spot.to_search_state() if searches else self.spot.to_state()

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The codes of all placements, in the order in which they are valued."""
        return placement_codes(self.spot, self.state, self.cost)

    def without_book(self) -> "Plan":
        """Return how the solver itself answers: for those who want a deeper answer than a book's."""
        return _plan(self.request.without_book(), self.spot) if self.method == "book" else self


def plan(question: SolveRequest | Plan) -> Plan:
    """Return the plan of a question, or the plan itself: nothing is derived twice, and nothing costly is begun.

    Raises
    ------
    InputError
        If the request is wrong, or asks for what this version cannot answer.
    """
    return question if isinstance(question, Plan) else _plan(question, question.to_spot())


def _plan(request: SolveRequest, spot: Spot) -> Plan:
    """Choose the method, by a book only if nobody says how long to search."""
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
    if method == "search" and not spot.cards:
        raise UnsupportedError(
            "an exact mean before the deal of street {street} takes longer than this: give --cards, or more --time",
            street=spot.street,
        )
    return Plan(request, spot, method, policy, budget, threads, cost)


def method_for(spot: Spot, seconds: float | None, threads: int) -> tuple[Method, float]:
    """Return how a spot is answered, and the seconds of one thread that counting all deals to come takes.

    Parameters
    ----------
    seconds
        What the answer may take; None where the budget is a number of simulations: then the machine must not matter.
    """
    if spot.in_fantasyland:
        return "fantasyland", 0.0
    if spot.cards and spot.is_last_street:
        return "last street", 0.0
    cost = exact_cost(spot)
    at_once = min(threads, cores()) if spot.cards else 1  # a board by itself is one piece of work
    affordable = REPRODUCIBLE_COST if seconds is None else seconds * at_once
    return "exact" if cost <= affordable else "search", cost
