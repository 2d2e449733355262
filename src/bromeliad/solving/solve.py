"""The one path from a question to an answer: check it, pick the method, run it, label every number."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bromeliad.core.jit import JIT
from bromeliad.core.kernel_cache import ensure
from bromeliad.core.machine import cores
from bromeliad.errors import InputError, UnsupportedError
from bromeliad.games.ofc.book.shelf import look_up
from bromeliad.games.ofc.exact.earlier_streets import ExactValues, exact_cost, solve_exact
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.spot import Spot
from bromeliad.logs import log_event
from bromeliad.solving.answer import ActionAnswer, Answer, Snapshot
from bromeliad.solving.entries import (
    book_actions,
    exact_actions,
    fantasyland_actions,
    last_street_actions,
    lead,
    searched_actions,
    searched_so_far,
)
from bromeliad.solving.request import DEFAULT_TIME, SolveRequest

if TYPE_CHECKING:
    from bromeliad.games.ofc.opponents.versus import VersusSpot

__all__ = ["OnProgress", "check_request", "is_immediate", "kernels_for", "method_for", "solve"]

OnProgress = Callable[[Snapshot], None]
"""Told how far the work is, from the thread that asked for it."""

REPRODUCIBLE_COST = 60.0
"""Seconds of one thread that an exact answer may cost where no time is given, but a number of simulations."""

DEFAULT_TOP = 10
"""Arrangements of a fantasyland hand that are listed if the request does not say how many."""

SPLIT_SHARE = 0.1
"""Share of a search's time that goes into splitting EVs into their parts."""

_BETWEEN = 0.05  # seconds between two reports of how far a count is: telling must not cost more than counting


@dataclass(frozen=True)
class _Found:
    """What a method found: the placements, best first, and how."""

    actions: tuple[ActionAnswer, ...]
    method: str
    stop_reason: str
    threads: int = 1
    simulations: int = 0
    confidence: float = 1.0
    line: tuple[str, ...] = ()


def solve(
    request: SolveRequest, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] = lambda: False
) -> Answer:
    """Return every placement with its value.

    Parameters
    ----------
    on_progress
        Called from this thread while a longer method runs.
    cancelled
        Asked now and then; once true, the answer is the best so far and its stop reason ``cancelled``.

    Raises
    ------
    InputError
        If the request is wrong, or asks for what this version cannot answer.
    """
    spot = check_request(request)
    start = time.perf_counter()
    log_event("solve started", rules=spot.rules.name, street=spot.street, objective=spot.objective, seed=request.seed)
    found = _find(spot, request, on_progress, cancelled)
    best = found.actions[0].ev
    elapsed = time.perf_counter() - start
    ended = {"method": found.method, "reason": found.stop_reason, "simulations": found.simulations}
    log_event("solve finished", value=best, seconds=elapsed, **ended)
    if best is None:
        raise InputError("nothing was found in this time: give more")
    return Answer(
        game="ofc",
        rules=spot.rules.name,
        street=spot.street,
        objective=spot.objective,
        foul_cost=spot.foul_cost,
        fantasyland_worth=dict(spot.fantasyland_worth),
        seed=request.seed,
        threads=found.threads,
        elapsed_s=elapsed,
        simulations=found.simulations,
        method=found.method,
        stop_reason=found.stop_reason,
        value=best,
        confidence=found.confidence,
        line=found.line,
        best=found.actions[0],
        actions=found.actions,
    )


def check_request(request: SolveRequest) -> Spot:
    """Return the spot of a request that this version can answer; raise before anything costly is begun."""
    spot = request.to_spot()
    method = _method(spot, request)
    if method == "search" and not spot.cards:
        raise UnsupportedError(
            "an exact mean before the deal of street {street} takes longer than this: give --cards, or more --time",
            street=spot.street,
        )
    return spot


def is_immediate(request: SolveRequest) -> bool:
    """Say whether an answer costs no more than looking it up: in a book, or full boards and nobody to be sampled."""
    spot = check_request(request)
    method = _method(spot, request)
    return method == "book" or (method in ("fantasyland", "last street") and not _meets_players(spot, method))


def _threads(request: SolveRequest) -> int:
    return request.threads or cores()


def _budget(request: SolveRequest) -> float:
    return request.time or DEFAULT_TIME


def method_for(spot: Spot, seconds: float | None, threads: int) -> str:
    """Say how a spot is answered: ``fantasyland``, ``last street``, ``exact`` or ``search``.

    Parameters
    ----------
    seconds
        What the answer may take; None where the budget is a number of simulations: then the machine must not matter.
    """
    if spot.in_fantasyland:
        return "fantasyland"
    if spot.cards and spot.is_last_street:
        return "last street"
    at_once = min(threads, cores()) if spot.cards else 1  # a board by itself is one piece of work
    affordable = REPRODUCIBLE_COST if seconds is None else seconds * at_once
    return "exact" if exact_cost(spot) <= affordable else "search"


def _method(spot: Spot, request: SolveRequest) -> str:
    """Say how a request is answered: by a book only if nobody says how long to search."""
    if request.book and request.time is None and request.simulations is None and look_up(spot):
        return "book"
    return method_for(spot, _budget(request) if request.simulations is None else None, _threads(request))


_KERNELS: dict[str, tuple[str, ...]] = {
    "book": (),
    "fantasyland": ("bromeliad.games.ofc.fantasyland.solve",),
    "last street": ("bromeliad.games.ofc.exact.last_street",),
    "exact": ("bromeliad.games.ofc.exact.earlier_streets",),
    "search": ("bromeliad.games.ofc.search_spot",),
}


def kernels_for(request: SolveRequest) -> tuple[str, ...]:
    """Return the modules whose kernels the method for a request needs."""
    spot = check_request(request)
    method = _method(spot, request)
    if _meets_players(spot, method):
        return (*_KERNELS[method], "bromeliad.games.ofc.opponents.sampling", "bromeliad.games.ofc.opponents.versus")
    return _KERNELS[method]


def _meets_players(spot: Spot, method: str) -> bool:
    """Say whether opponents count who have to be sampled, or who are met before the last street."""
    finished = not spot.hidden and all(board.is_complete for board in spot.opponents)
    return spot.objective == "versus" and not (finished and method in ("fantasyland", "last street"))


def _find(spot: Spot, request: SolveRequest, on_progress: OnProgress | None, cancelled: Callable[[], bool]) -> _Found:
    method = _method(spot, request)
    if method == "book":
        return _find_in_book(spot)
    if _meets_players(spot, method):
        return _find_against(spot, method, request, on_progress, cancelled)
    if method == "fantasyland":
        from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland

        return _Found(fantasyland_actions(spot, solve_fantasyland(spot, request.top or DEFAULT_TOP)), "exact", "exact")
    if method == "last street":
        return _Found(last_street_actions(spot, solve_last_street(spot)), "exact", "exact")
    if method == "search":
        return _search(spot, request, on_progress, cancelled, _budget(request))

    values, reason = _count(spot, request, on_progress, cancelled, _budget(request))
    valued = values.done / len(values.codes)  # of a run that was cut short: how much of the choice is known
    return _Found(exact_actions(spot, values), "exact", reason, _threads(request), confidence=valued)


def _find_in_book(spot: Spot) -> _Found:
    """Return what the book knows; placements that it does not hold have no EV."""
    entries = look_up(spot)
    actions = book_actions(spot, entries)
    apart = [action for action in actions if action.ev != actions[0].ev]  # symmetric placements are worth the same
    playouts = sum({item.ev: item.visits for item in entries}.values())
    return _Found(actions, "book", "book", simulations=playouts, confidence=lead((actions[0], *apart)))


def _count(
    spot: Spot,
    request: SolveRequest,
    on_progress: OnProgress | None,
    cancelled: Callable[[], bool],
    seconds: float,
    against: "VersusSpot | None" = None,
) -> tuple[ExactValues, str]:
    """Count all deals to come, against opponents if they are given; return the means and why it ended."""
    told = -math.inf

    def progress(values: ExactValues) -> None:
        nonlocal told
        if time.perf_counter() - told > _BETWEEN:
            told = time.perf_counter()
            tell(values)

    def tell(values: ExactValues) -> None:
        if on_progress is not None:
            known = tuple(action for action in exact_actions(spot, values) if action.ev is not None)
            on_progress(Snapshot(values.done / len(values.codes), _so_far(against, known)))

    if JIT:
        ensure(_KERNELS["exact"])  # whatever has to be compiled or loaded is not counted as solving
    state = against.state if against else None
    values = solve_exact(spot, _threads(request), progress, _until(request, seconds, cancelled), state)
    if values.done == len(values.codes):
        return values, "exact"
    tell(values)
    return values, "cancelled" if cancelled() else "time"


def _so_far(against: "VersusSpot | None", actions: tuple[ActionAnswer, ...]) -> tuple[ActionAnswer, ...]:
    """Return what is known while the work goes on, labelled as what will be known at its end."""
    if against is None:
        return actions
    from bromeliad.solving.versus import with_opponents_error

    return with_opponents_error(against, actions)


def _find_against(
    spot: Spot, method: str, request: SolveRequest, on_progress: OnProgress | None, cancelled: Callable[[], bool]
) -> _Found:
    """Sample the opponents' boards, then do as if alone, by what boards get from these."""
    from bromeliad.games.ofc.opponents.versus import bank_size, sample_opponents
    from bromeliad.solving import versus as entries

    if JIT:
        ensure(kernels_for(request))
    start, seconds = time.perf_counter(), _budget(request)
    count = bank_size(None if request.simulations else seconds)
    inferred = request.discards == "inferred"
    against = sample_opponents(spot, count, request.seed, inferred=inferred, habits=request.opponent_model)
    how = "exact" if against.is_certain else "sampled opponents"
    if method == "fantasyland":
        actions = entries.fantasyland_against(against, request.top or DEFAULT_TOP)
        return _Found(actions, "sampled opponents", how, confidence=lead(actions))
    if method == "last street":
        actions = entries.last_street_against(against)
        return _Found(actions, how, how, confidence=lead(actions))
    left = entries.seconds_left(start, seconds)
    if method == "search":
        return _search(spot, request, on_progress, cancelled, left, against)
    values, reason = _count(spot, request, on_progress, cancelled, left, against)
    ended = _until(request, SPLIT_SHARE * seconds, cancelled)
    actions = entries.counted_against(against, values, request.seed, ended)
    reason = how if reason == "exact" else reason
    return _Found(actions, how, reason, _threads(request), confidence=lead(actions))


def _until(request: SolveRequest, seconds: float, cancelled: Callable[[], bool]) -> Callable[[], bool]:
    """Return what says whether to end: so many seconds from now, unless simulations are the budget, or on request."""
    deadline = None if request.simulations else time.perf_counter() + seconds
    return lambda: cancelled() or (deadline is not None and time.perf_counter() > deadline)


def _search(
    spot: Spot,
    request: SolveRequest,
    on_progress: OnProgress | None,
    cancelled: Callable[[], bool],
    seconds: float,
    against: "VersusSpot | None" = None,
) -> _Found:
    """Search, leaving a part of the time for the split of the EVs."""
    from bromeliad.games.ofc.search_spot import default_params, example_line, search_spot
    from bromeliad.search import Cancel, Progress
    from bromeliad.solving.versus import searched_against

    cancel = Cancel()
    if cancelled():
        cancel.cancel()

    def progress(state: Progress) -> None:
        if cancelled():
            cancel.cancel()
        if on_progress is not None:
            actions = _so_far(against, searched_so_far(spot, state.actions))
            on_progress(Snapshot(state.fraction, actions, state.simulations))

    limit = None if request.simulations else seconds * (1.0 - SPLIT_SHARE)
    threads = _threads(request)
    params = default_params(simulations=request.simulations, seconds=limit, threads=threads, seed=request.seed)
    if request.memory is not None:
        params = params.but(memory_mb=request.memory)
    if against is not None:
        params = params.but(prune_bounds=False)  # bounds are of the solo objective
    state = against.state if against else None
    result = search_spot(spot, params, on_progress=progress, cancel=cancel, state=state)
    ended = _until(request, seconds * SPLIT_SHARE, cancelled)
    if against is not None:
        actions = searched_against(against, result, request.seed, ended)
    else:
        actions = searched_actions(spot, result, request.seed, ended)
    line = example_line(spot, result.best, request.seed)
    return _Found(actions, "mcts", result.stop_reason, threads, result.simulations, result.confidence, line)
