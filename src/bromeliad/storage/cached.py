"""The way of a question through the store: a solved position is not solved again, whatever its suits.

What has to be solved is a session that the store keeps: started, found better, and completed or aborted.
"""

import logging
import math
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar
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
from bromeliad.storage.store import Store

_BETWEEN = 1.0  # seconds between two savings of a session that runs
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
    """Return the answer of the store if it has a good one, else solve and keep what was found.

    Parameters
    ----------
    on_progress, cancel
        As :func:`bromeliad.solving.solve.solve` has them.
    deeper
        Solve again what is not known exactly, and keep and return the better answer.
    before_solving
        Called if the store has no answer: the place to compile kernels.
    on_problem
        Told if the store fails, which never costs the answer; by default a warning is logged.

    Raises
    ------
    InputError
        If the request is wrong, or asks for what this version cannot answer.
    """
    planned = plan(question).without_book() if deeper else plan(question)
    if planned.is_immediate:
        before_solving()
        return solve(planned, on_progress, cancel)
    told = on_problem or _log
    asked = question_of(planned)
    known = _safely(told, lambda: find_stored(store, asked))
    if known is not None and (known.exact or not deeper):
        _note_hit(store, known)
        return known.answer
    before_solving()
    answer = solve_in_session(planned, store, asked.question.key, on_progress, cancel, told)
    if known is not None and not _is_better(answer, known.answer):
        return known.answer
    if answer.stop_reason != "cancelled":
        _safely(told, lambda: keep_answer(store, asked, answer))
    return answer


def _safely(told: Callable[[StoreError], None], work: Callable[[], T]) -> T | None:
    """Return what some work with the store gives, or None if the store fails."""
    try:
        return work()
    except StoreError as error:
        told(error)
        return None


def _note_hit(store: Store, known: "Found") -> None:
    """Count an answer that was of use, and tell of it; a store that can only be read is good enough to answer."""
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


class Found(NamedTuple):
    """A stored answer in the suits of the asker."""

    id: int  # of the result
    exact: bool
    answer: Answer


def find_stored(store: Store, asked: AskedQuestion) -> Found | None:
    """Return a stored answer that is good enough, in the asker's suits, without counting it."""
    found = store.results.find(asked.question)
    if found is None:
        return None
    answer = in_suits(found.answer, invert_order(asked.order))
    given = {"rules": asked.rules, "seed": asked.question.effort.seed}
    return Found(found.id, found.exact, answer.model_copy(update={**given, "stored": True}))


def keep_answer(store: Store, asked: AskedQuestion, answer: Answer) -> None:
    """Keep an answer, in canonical suits."""
    store.results.keep(asked.question, in_suits(answer, asked.order), exact=_is_exact(answer))


def _is_exact(answer: Answer) -> bool:
    """Say whether nothing can be added to an answer."""
    return answer.method == "exact" and answer.stop_reason == "exact"


def _is_better(new: Answer, old: Answer) -> bool:
    """Say whether an answer is surer than another."""
    error = math.inf if old.best.stderr is None else old.best.stderr
    return _is_exact(new) or (new.best.stderr is not None and new.best.stderr <= error)


class _Recorder:
    """Keeps a session up to date, in memory at once and in the store now and then; a store that fails is let be."""

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
        """Return what notes how far the work is, and tells it on."""

        def told(progress: Progress) -> None:
            self._note(progress)
            on_progress(progress)

        return told

    def _note(self, progress: Progress) -> None:
        fraction = min(max(progress.fraction, self.session.progress), 1.0)
        self.session.update_progress(fraction, self._solution(progress.actions, 0.0))
        if time.monotonic() - self._saved > _BETWEEN:
            self.save()

    def complete(self, answer: Answer) -> None:
        """Note the answer, which was found though the work may have been cut short."""
        self.session.search_algorithm = answer.method
        solution = self._solution((answer.best,), answer.confidence)
        if answer.stop_reason == "cancelled" or solution is None:
            self.abort("cancelled")
            return
        self.session.complete_solving(solution, SearchStats(simulations=answer.simulations, elapsed_s=answer.elapsed_s))
        self.save()

    def abort(self, reason: str) -> None:
        """Note that there is no answer."""
        self.session.abort_solving(reason)
        self.save()

    def save(self) -> None:
        """Write the session to the store."""
        self._saved = time.monotonic()
        try:
            self._store.sessions.save(self.session, self._key)
        except StoreError as error:
            self.problem = error
        except PhaseError:  # somebody took it for left behind
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
    """Solve, and keep the session in the store beside the result of this key; its failures cost no answer.

    Where nobody watches, only the end is told: many short questions would wait for the telling.
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
