"""The one path from a question to an answer: make a plan, run its method, label every number."""

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bromeliad.core.budget import Cancel, OnProgress, Progress
from bromeliad.core.jit import is_interpreting
from bromeliad.core.kernel_cache import ensure
from bromeliad.errors import InputError
from bromeliad.logs import log_event
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.entries import (
    book_actions,
    exact_actions,
    fantasyland_actions,
    last_street_actions,
    searched_actions,
    searched_so_far,
)
from bromeliad.solving.entry import lead
from bromeliad.solving.plan import FILLED, Plan, plan
from bromeliad.solving.request import SolveRequest

if TYPE_CHECKING:
    from bromeliad.games.ofc.exact.earlier_streets import ExactValues
    from bromeliad.games.ofc.opponents.versus import VersusSpot
    from bromeliad.search import SearchParams

SPLIT_SHARE = 0.1
"""Share of a search's time that is spent on splitting EVs into their parts."""

_BETWEEN = 0.05  # seconds between two progress reports of a count: reporting must not cost more than counting
_LEAST = 0.1  # least share of the time for the player's own hand, however long it took to sample the opponents
_SHORTEST = 0.001  # least seconds for a search


@dataclass(frozen=True)
class _Found:
    """The result of a method: the placements, best first, and how they were found."""

    actions: tuple[ActionAnswer, ...]
    method: str
    stop_reason: str
    threads: int = 1
    simulations: int = 0
    confidence: float = 1.0
    line: tuple[str, ...] = ()


def solve(question: SolveRequest | Plan, on_progress: OnProgress | None = None, cancel: Cancel | None = None) -> Answer:
    """Return every placement with its value.

    Parameters
    ----------
    on_progress
        Called from this thread while a longer method runs; its actions are preliminary entries of the answer.
    cancel
        Checked regularly; once cancelled, the answer is the best so far, with stop reason ``cancelled``.

    Raises
    ------
    InputError
        If the request is invalid, or this version cannot answer it.
    """
    planned = plan(question)
    if is_interpreting():
        planned.spot.to_state()  # loads the tables
    else:
        ensure(planned.kernels)
    spot, seed, start = planned.spot, planned.request.seed, time.perf_counter()  # compiling and loading do not count
    log_event("solve started", rules=spot.rules.name, street=spot.street, objective=spot.objective, seed=seed)
    found = _find(planned, on_progress, cancel or Cancel())
    best = found.actions[0].ev
    elapsed = time.perf_counter() - start
    ended = {"method": found.method, "reason": found.stop_reason, "simulations": found.simulations}
    log_event("solve finished", value=best, seconds=elapsed, **ended)
    if best is None:
        raise InputError("no answer was found in this time: give more time")
    return Answer(
        game="ofc",
        rules=spot.rules.name,
        street=spot.street,
        objective=spot.objective,
        foul_cost=spot.foul_cost,
        fantasyland_worth=dict(spot.fantasyland_worth),
        seed=seed,
        threads=found.threads,
        elapsed_s=elapsed,
        simulations=found.simulations,
        method=found.method,
        stop_reason=found.stop_reason,
        value=best,
        confidence=found.confidence,
        line=found.line,
        opponent_values=planned.opponent_values,
        best=found.actions[0],
        actions=found.actions,
    )


def _find(planned: Plan, on_progress: OnProgress | None, cancel: Cancel) -> _Found:
    """Answer by the plan's method."""
    if planned.method == "book":
        return _in_book(planned)
    if planned.method == "table":
        return _at_table(planned, on_progress, cancel)
    if planned.meets_opponents:
        return _against(planned, on_progress, cancel)
    if planned.method == "fantasyland":
        from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland

        return _Found(
            fantasyland_actions(planned.spot, solve_fantasyland(planned.spot, planned.listed)), "exact", "exact"
        )
    if planned.method == "last street":
        from bromeliad.games.ofc.exact.last_street import solve_last_street

        return _Found(last_street_actions(planned.spot, solve_last_street(planned.spot)), "exact", "exact")
    if planned.method == "search":
        return _search(planned, on_progress, cancel, planned.budget.seconds)
    values, reason = _count(planned, on_progress, cancel, planned.budget.seconds)
    valued = values.done / len(values.codes)  # below 1 if the run was cut short
    return _Found(exact_actions(planned.spot, values), "exact", reason, planned.threads, confidence=valued)


def _in_book(planned: Plan) -> _Found:
    """Return the book's answer; placements that are not in the book have no EV."""
    actions = book_actions(planned.spot, planned.book)
    apart = [action for action in actions if action.ev != actions[0].ev]  # symmetric placements are worth the same
    playouts = sum({item.ev: item.visits for item in planned.book}.values())
    return _Found(actions, "book", "book", simulations=playouts, confidence=lead((actions[0], *apart)))


def _against(planned: Plan, on_progress: OnProgress | None, cancel: Cancel) -> _Found:
    """Answer a spot against opponents whose boards are listed or sampled.

    Before the last street, the methods are those of the solo objective, with the settlement against these boards as the
    value of a finished board.
    """
    from bromeliad.solving import versus

    if planned.method in FILLED:
        if planned.method == "fantasyland":
            actions = versus.fantasyland_against(planned)
        else:
            actions = versus.last_street_against(planned, on_progress, cancel)
        how = "exact" if actions[0].exact else "sampled opponents"
        return _Found(actions, how, _last_reason(planned, how, cancel), confidence=lead(actions))
    start, seconds, seed = time.perf_counter(), planned.budget.seconds, planned.request.seed
    against = versus.opponents_of(planned)
    how = "exact" if against.is_certain else "sampled opponents"
    left = None if seconds is None else max(seconds - (time.perf_counter() - start), _LEAST * seconds)
    if planned.method == "search":
        return _search(planned, on_progress, cancel, left, against)
    values, reason = _count(planned, on_progress, cancel, left, against)
    actions = versus.counted_against(against, values, seed, cancel.within(_share(seconds, SPLIT_SHARE)))
    return _Found(actions, how, how if reason == "exact" else reason, planned.threads, confidence=lead(actions))


def _last_reason(planned: Plan, how: str, cancel: Cancel) -> str:
    """Return why the work on a full board ended."""
    again = planned.method != "fantasyland" and planned.budget.seconds is not None and not planned.request.early_stop
    if how == "exact" or not again:
        return how
    return "cancelled" if cancel() else "time"


def _at_table(planned: Plan, on_progress: OnProgress | None, cancel: Cancel) -> _Found:
    """Search with playouts of all players' hands."""
    from bromeliad.solving.table import TableSearch

    search = TableSearch(planned)
    reason = search.run(on_progress, cancel)
    confidence = search.halving.confidence
    return _Found(search.entries(), "halving", reason, planned.threads, search.simulations, confidence)


def _share(seconds: float | None, share: float) -> float | None:
    """Return a share of a time limit; None if the budget is a number of simulations."""
    return None if seconds is None else max(share * seconds, _SHORTEST)


def _count(
    planned: Plan,
    on_progress: OnProgress | None,
    cancel: Cancel,
    seconds: float | None,
    against: "VersusSpot | None" = None,
) -> "tuple[ExactValues, str]":
    """Count all future deals, against opponents if they are given; return the means and the stop reason."""
    reported = -math.inf

    def progress(values: "ExactValues") -> None:
        nonlocal reported
        if time.perf_counter() - reported > _BETWEEN:
            reported = time.perf_counter()
            report(values)

    def report(values: "ExactValues") -> None:
        if on_progress is not None:
            known = tuple(action for action in exact_actions(planned.spot, values) if action.ev is not None)
            on_progress(Progress(values.done / len(values.codes), _so_far(planned, against, known)))

    from bromeliad.games.ofc.exact.earlier_streets import solve_exact

    state, codes = against.state if against else planned.state, planned.codes
    ended = cancel.within(seconds)  # only now: on a new machine, ordering the placements compiles kernels
    values = solve_exact(planned.spot, planned.threads, progress, ended, state=state, codes=codes)
    if values.done == len(values.codes):
        return values, "exact"
    report(values)
    return values, "cancelled" if cancel() else "time"


def _so_far(planned: Plan, against: "VersusSpot | None", actions: tuple[ActionAnswer, ...]) -> tuple[ActionAnswer, ...]:
    """Return preliminary entries, with the same labels as those of the final answer."""
    if against is None:
        return actions
    from bromeliad.solving.versus import with_opponents_error

    return with_opponents_error(planned, against, actions)


def _search(
    planned: Plan,
    on_progress: OnProgress | None,
    cancel: Cancel,
    seconds: float | None,
    against: "VersusSpot | None" = None,
) -> _Found:
    """Search, and split the EVs into their parts in the time reserved for that."""
    from bromeliad.games.ofc.search_spot import example_line, search_spot
    from bromeliad.solving.versus import searched_against

    def progress(state: Progress) -> None:
        if on_progress is not None:
            actions = _so_far(planned, against, searched_so_far(planned.spot, state.actions))
            on_progress(replace(state, actions=actions))

    params = _search_params(planned).but(seconds=_share(seconds, 1.0 - SPLIT_SHARE))
    state = planned.state
    if against is not None:
        params, state = params.but(prune_bounds=False), against.state  # the bounds hold for the solo objective only
    result = search_spot(planned.spot, params, on_progress=progress, cancel=cancel, state=state)
    ended = cancel.within(_share(seconds, SPLIT_SHARE))
    if against is not None:
        actions = searched_against(planned, against, result, ended)
    else:
        actions = searched_actions(planned, result, ended)
    return _Found(
        actions,
        "halving" if planned.policy == "halving" else "mcts",
        result.stop_reason,
        planned.threads,
        result.simulations,
        result.confidence,
        example_line(planned.spot, planned.state, result.best, planned.request.seed),
    )


def _search_params(planned: Plan) -> "SearchParams":
    """Return the search parameters; a tree search uses the exploration weight and temperature of the rules, if any."""
    from bromeliad.games.ofc.search_spot import default_params

    request, settings = planned.request, planned.spot.rules.mcts
    params = default_params(simulations=planned.budget.simulations, threads=planned.threads, seed=request.seed)
    if request.memory is not None:
        params = params.but(memory_mb=request.memory)
    if not request.early_stop:
        params = params.but(early_stop="never")
    if planned.policy == "halving":
        return params
    params = params.but(root_policy="tree", policy=planned.policy)
    if settings is None:
        return params
    return params.but(temperature=settings.temperature, **{f"{planned.policy}_c": settings.exploration_weight})
