"""The one path from a question to an answer: check it, pick the method, run it, label every number."""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.endgame import LastStreet, solve_last_street
from bromeliad.games.ofc.exact import ExactValues, exact_cost, solve_exact
from bromeliad.games.ofc.expectation import Expected
from bromeliad.games.ofc.moves import Action
from bromeliad.games.ofc.spot import Spot
from bromeliad.sessions.answer import ActionAnswer, Answer
from bromeliad.sessions.request import DEFAULT_TIME, SolveRequest

__all__ = ["OnProgress", "check_request", "kernels_for", "solve"]

OnProgress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""

REPRODUCIBLE_COST = 60.0
"""Seconds of one thread that an exact answer may cost where no time is given, but a number of simulations."""


@dataclass(frozen=True)
class _Found:
    """What a method found: the placements, best first, and how."""

    actions: tuple[ActionAnswer, ...]
    method: str
    stop_reason: str
    threads: int = 1
    simulations: int = 0


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
    found = _find(spot, request, on_progress, cancelled)
    return Answer(
        game="ofc",
        rules=spot.rules.name,
        street=spot.street,
        objective=spot.objective,
        foul_cost=spot.foul_cost,
        fantasyland_worth=dict(spot.fantasyland_worth),
        seed=request.seed,
        threads=found.threads,
        elapsed_s=time.perf_counter() - start,
        simulations=found.simulations,
        method=found.method,
        stop_reason=found.stop_reason,
        value=found.actions[0].ev,
        best=found.actions[0],
        actions=found.actions,
    )


def check_request(request: SolveRequest) -> Spot:
    """Return the spot of a request that this version can answer; raise before anything costly is begun."""
    spot = request.to_spot()
    if spot.in_fantasyland:
        raise UnsupportedError("fantasyland hands are not solved by this version")
    if spot.objective == "versus" and not (spot.cards and spot.is_last_street):
        raise UnsupportedError("before the last street this version answers --objective solo only")
    if spot.objective == "versus" and not all(board.is_complete for board in spot.opponents):
        raise UnsupportedError(
            "against unfinished boards this version has no answer: give full boards, or --objective solo"
        )
    if not _is_exact(spot, request):
        raise UnsupportedError(
            "street {street} of {streets} cannot be solved exactly in this time, and this version does not search",
            street=spot.street,
            streets=len(spot.rules.streets),
        )
    return spot


def kernels_for(spot: Spot) -> tuple[str, ...]:
    """Return the warm-ups of the method that answers a spot."""
    return ("ofc.endgame",) if spot.cards and spot.is_last_street else ("ofc.exact",)


def _threads(request: SolveRequest) -> int:
    return request.threads or os.cpu_count() or 1


def _is_exact(spot: Spot, request: SolveRequest) -> bool:
    """Say whether the budget affords the exact answer; where no time is given, the machine must not matter."""
    if spot.cards and spot.is_last_street:
        return True
    if request.simulations is not None:
        return exact_cost(spot) <= REPRODUCIBLE_COST
    return exact_cost(spot) <= (request.time or DEFAULT_TIME) * _threads(request)


def _find(spot: Spot, request: SolveRequest, on_progress: OnProgress | None, cancelled: Callable[[], bool]) -> _Found:
    if spot.cards and spot.is_last_street:
        return _Found(_last_street_actions(spot, solve_last_street(spot)), "exact", "exact")

    def progress(done: int, of: int) -> None:
        if on_progress is not None:
            on_progress(done / of)

    threads = _threads(request)
    values = solve_exact(spot, threads, progress, cancelled)
    reason = "exact" if values.done == len(values.codes) else "cancelled"
    return _Found(_exact_actions(spot, values), "exact", reason, threads)


def _rows(cards: Iterable[object]) -> tuple[str, ...]:
    return tuple(str(card) for card in cards)


def _action(
    action: Action,
    ev: float | None,
    best: float,
    *,
    p_foul: float | None,
    p_fantasyland: float | None,
    royalties: float | None,
    p_scoop: float | None = None,
    row_points: float | None = None,
) -> ActionAnswer:
    """Return one exact entry of an answer; an ``ev`` of None means that its work was cut short."""
    return ActionAnswer(
        top=_rows(action.top),
        middle=_rows(action.middle),
        back=_rows(action.back),
        discards=_rows(action.discards),
        ev=ev,
        ev_loss=None if ev is None else best - ev,
        stderr=None if ev is None else 0.0,
        exact=ev is not None,
        visits=0,
        p_foul=p_foul,
        p_fantasyland=p_fantasyland,
        royalties=royalties,
        p_scoop=p_scoop,
        row_points=row_points,
    )


def _last_street_actions(spot: Spot, answer: LastStreet) -> tuple[ActionAnswer, ...]:
    versus = spot.objective == "versus"
    first_street = spot.rules.fantasyland.first_street is not None
    return tuple(
        _action(
            Action.from_code(spot.cards, int(code)),
            float(answer.value[i]),
            float(answer.value[0]),
            p_foul=float(answer.foul[i]),
            p_fantasyland=float(not answer.foul[i] and (spot.fantasyland if first_street else answer.cards[i] > 0)),
            royalties=float(answer.royalties[i]),
            p_scoop=float(answer.scoops[i]) if versus else None,
            row_points=float(answer.row_points[i]) if versus else None,
        )
        for i, code in enumerate(answer.codes)
    )


def _exact_actions(spot: Spot, values: ExactValues) -> tuple[ActionAnswer, ...]:
    """Return the placements best first; those that a cancelled run did not reach come last."""
    evs = values.means[:, Expected.VALUE]
    order = np.argsort(np.where(np.isnan(evs), np.inf, -evs), kind="stable")
    best = float(evs[order[0]])
    actions = []
    for i in order:
        known = not np.isnan(evs[i])
        value, foul, fantasyland, royalties = (float(x) if known else None for x in values.means[i])
        actions.append(
            _action(
                Action.from_code(spot.cards, int(values.codes[i])),
                value,
                best,
                p_foul=foul,
                p_fantasyland=fantasyland,
                royalties=royalties,
            )
        )
    return tuple(actions)
