"""Solving through the store: a solved position is not solved again, whatever its suits.

The store records each solve as a session: its start, its progress and its end.
"""

import logging
import math
import time
from collections.abc import Callable
from typing import TypeVar
from uuid import uuid4

from bromeliad.core.budget import Cancel, OnProgress, Progress
from bromeliad.errors import PhaseError, StoreError
from bromeliad.games.ofc.hands.canonical import invert_order
from bromeliad.logs import log_event
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.plan import Plan, plan
from bromeliad.solving.request import DEFAULT_TIME, SolveRequest
from bromeliad.solving.session import RequestState, SearchStats, Solution, SolverSession
from bromeliad.solving.solve import solve
from bromeliad.solving.solver import board_reached
from bromeliad.storage.keys import AskedQuestion, in_suits, question_of
from bromeliad.storage.results import StoredResult
from bromeliad.storage.store import Store

_BETWEEN = 1.0  # least seconds between two saves of a running session
T = TypeVar("T")


def solve_stored(
    question: SolveRequest | Plan,
    store: Store,
    on_progress: OnProgress | None = None,
    cancel: Cancel | None = None,
    *,
    deeper: bool = False,
    before_solving: Callable[[], None] = lambda: None,
    on_problem: Callable[[StoreError], None] | None = None,
) -> Answer:
    """Return the stored answer if it is good enough, else solve and store the answer.

    Parameters
    ----------
    on_progress, cancel
        As in :func:`bromeliad.solving.solve.solve`.
    deeper
        Solve again unless the stored answer is exact, and store and return the better answer.
    before_solving
        Called before solving, if the stored answer is not used: the place to compile kernels.
    on_problem
        Called if the store fails; the answer is returned nevertheless. By default a warning is logged.

    Raises
    ------
    InputError
        If the request is invalid, or this version cannot answer it.
    """
    planned = plan(question).without_book() if deeper else plan(question)
    if planned.is_immediate:
        before_solving()
        return solve(planned, on_progress, cancel)
    report = on_problem or _log
    asked = question_of(planned)
    known = _safely(report, lambda: _find_stored(store, asked))
    if known is not None and (known.exact or not deeper):
        _note_hit(store, known)
        return known.answer
    before_solving()
    answer = solve_in_session(planned, store, asked.question.key, on_progress, cancel, report)
    if known is not None and not _is_better(answer, known.answer):
        return known.answer
    if answer.stop_reason != "cancelled":
        canonical = in_suits(answer, asked.order)
        _safely(report, lambda: store.results.keep(asked.question, canonical, exact=_is_exact(answer)))
    return answer


def _safely(report: Callable[[StoreError], None], work: Callable[[], T]) -> T | None:
    """Return the result of ``work``; if the store fails, report the error and return None."""
    try:
        return work()
    except StoreError as error:
        report(error)
        return None


def _note_hit(store: Store, known: StoredResult) -> None:
    """Count and log the use of a stored answer; if the store is read-only, the use is not counted."""
    _safely(lambda problem: log_event("hit not counted", problem=problem), lambda: store.results.count_hit(known.id))
    answer = known.answer
    log_event(
        "solve from store",
        rules=answer.rules,
        street=answer.street,
        objective=answer.objective,
        method=answer.method,
        value=answer.value,
    )


def _log(problem: StoreError) -> None:
    logging.getLogger(__name__).warning("solving without the store: %s", problem)


def _find_stored(store: Store, asked: AskedQuestion) -> StoredResult | None:
    """Return a stored answer that is good enough, in the suits of the question, or None."""
    found = store.results.find(asked.question)
    if found is None:
        return None
    answer = in_suits(found.answer, invert_order(asked.order))
    given = {"rules": asked.rules, "seed": asked.question.effort.seed, "stored": True}
    return found._replace(answer=answer.model_copy(update=given))


def _is_exact(answer: Answer) -> bool:
    return answer.method == "exact" and answer.stop_reason == "exact"


def _is_better(new: Answer, old: Answer) -> bool:
    """Return whether the new answer is at least as precise as the old one."""
    error = math.inf if old.best.stderr is None else old.best.stderr
    return _is_exact(new) or (new.best.stderr is not None and new.best.stderr <= error)


class _Recorder:
    """Keeps a session up to date: in memory at every step, in the store at most once per second and at the end."""

    def __init__(self, planned: Plan, store: Store, key: str) -> None:
        name = uuid4().hex
        limit = planned.budget.seconds or DEFAULT_TIME
        self.session = SolverSession(name, RequestState(name, planned.request), limit)
        self._board = planned.spot.board
        self._store, self._key = store, key
        self._saved = time.monotonic()
        self.problem: StoreError | None = None
        self.session.start_solving()

    def watching(self, on_progress: OnProgress) -> OnProgress:
        """Return a callback that records the progress and passes it on."""

        def record(progress: Progress) -> None:
            fraction = min(max(progress.fraction, self.session.progress), 1.0)
            self.session.update_progress(fraction, self._solution(progress.actions, 0.0))
            if time.monotonic() - self._saved > _BETWEEN:
                self.save()
            on_progress(progress)

        return record

    def complete(self, answer: Answer) -> None:
        """Record the answer; if the work was cancelled, record that the session was aborted."""
        self.session.search_algorithm = answer.method
        solution = self._solution((answer.best,), answer.confidence)
        if answer.stop_reason == "cancelled" or solution is None:
            self.abort("cancelled")
            return
        self.session.complete_solving(solution, SearchStats(simulations=answer.simulations, elapsed_s=answer.elapsed_s))
        self.save()

    def abort(self, reason: str) -> None:
        """Record why there is no answer."""
        self.session.abort_solving(reason)
        self.save()

    def save(self) -> None:
        """Write the session to the store; keep the error if the store fails."""
        self._saved = time.monotonic()
        try:
            self._store.sessions.save(self.session, self._key)
        except StoreError as error:
            self.problem = error
        except PhaseError:  # another process has marked the session as interrupted
            self.problem = None

    def _solution(self, actions: tuple[ActionAnswer, ...], confidence: float) -> Solution | None:
        ev = actions[0].ev if actions else None
        return None if ev is None else Solution(board_reached(self._board, actions[0]), ev, confidence, actions[:1])


def solve_in_session(
    planned: Plan,
    store: Store,
    key: str,
    on_progress: OnProgress | None,
    cancel: Cancel | None,
    on_problem: Callable[[StoreError], None],
) -> Answer:
    """Solve, and record the session in the store with the key of its result; a failing store costs no answer.

    Without ``on_progress``, only the end is recorded, because more saves would slow down series of short questions.
    """
    recorder = _Recorder(planned, store, key)
    try:
        answer = solve(planned, None if on_progress is None else recorder.watching(on_progress), cancel)
    except BaseException as error:
        recorder.abort(str(error) or type(error).__name__)
        raise
    recorder.complete(answer)
    if recorder.problem is not None:
        on_problem(recorder.problem)
    return answer
