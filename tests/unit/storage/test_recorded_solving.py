"""Solving through the store records a session: the question, its progress, its end and its events."""

import pytest

from bromeliad.core.budget import Cancel
from bromeliad.errors import StoreError
from bromeliad.solving.plan import plan
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.session import SolverStatus
from bromeliad.storage.cached import solve_in_session, solve_stored

REQUEST = SolveRequest(cards="Kc 9d 3s", board="- / 9c 9s / As Ac Ad", time=0.5, threads=1)


def kinds(store, session):
    return [event.kind for event in store.events.stream(session)]


def test_a_solved_question_is_a_completed_session(sqlite_store):
    shown = []
    answer = solve_stored(REQUEST, sqlite_store, shown.append)
    (found,) = sqlite_store.sessions.list()
    session = sqlite_store.sessions.load(found.id)
    assert (session.status, session.progress, session.time_limit) == (SolverStatus.COMPLETED, 1.0, 0.5)
    assert session.game_state.request == REQUEST
    assert session.best_solution.expected_value == answer.value
    assert session.best_solution.arrangement.cards.size == 7
    assert session.search_stats.simulations == answer.simulations
    events = kinds(sqlite_store, found.id)
    assert (events[0], events[-1]) == ("SolvingStarted", "SolvingCompleted")
    solve_stored(REQUEST, sqlite_store)
    assert len(list(sqlite_store.sessions.list())) == 1  # a stored answer starts no session


def test_a_session_that_is_cancelled_or_fails_is_aborted(sqlite_store):
    shown = []
    solve_stored(REQUEST.model_copy(update={"time": 20.0}), sqlite_store, shown.append, Cancel(lambda: bool(shown)))
    (stopped,) = sqlite_store.sessions.list(SolverStatus.ABORTED)
    assert stopped.reason == "cancelled"

    def fail():
        raise RuntimeError("no power")

    with pytest.raises(RuntimeError):
        solve_stored(REQUEST.model_copy(update={"seed": 2}), sqlite_store, None, Cancel(fail))
    reasons = {found.reason for found in sqlite_store.sessions.list(SolverStatus.ABORTED)}
    assert reasons == {"cancelled", "no power"}
    assert kinds(sqlite_store, stopped.id)[-1] == "SolvingAborted"


def test_a_failing_store_costs_no_answer(sqlite_store, monkeypatch):
    def fail(*args):
        raise StoreError("full")

    monkeypatch.setattr(sqlite_store.sessions, "save", fail)
    problems = []
    answer = solve_in_session(plan(REQUEST), sqlite_store, "key", None, None, problems.append)
    assert answer.best.ev is not None
    assert [str(problem) for problem in problems] == ["full"]
