"""Solving as a session that the store keeps: started, found better, and completed or aborted."""

import time
from collections.abc import Callable
from uuid import uuid4

from bromeliad.errors import PhaseError, StoreError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.solving.answer import ActionAnswer, Answer, Snapshot
from bromeliad.solving.request import DEFAULT_TIME, SolveRequest
from bromeliad.solving.session import RequestState, SearchStats, Solution, SolverSession
from bromeliad.solving.solve import OnProgress, solve
from bromeliad.solving.solver import board_reached
from bromeliad.storage.store import Store

__all__ = ["solve_in_session"]

_BETWEEN = 1.0  # seconds between two savings of a session that runs


class _Recorder:
    """Keeps a session up to date, in memory at once and in the store now and then; a store that fails is let be."""

    def __init__(self, request: SolveRequest, store: Store, key: str) -> None:
        name = uuid4().hex
        self.session = SolverSession(name, RequestState(name, request), request.time or DEFAULT_TIME)
        self._board = PlayerArrangement.parse(request.board) if request.board.strip() else PlayerArrangement.empty()
        self._store, self._key = store, key
        self._saved = time.monotonic()
        self.problem: StoreError | None = None
        self.session.start_solving()

    def watching(self, on_progress: OnProgress) -> OnProgress:
        """Return what notes how far the work is, and tells it on."""

        def told(snapshot: Snapshot) -> None:
            self._note(snapshot)
            on_progress(snapshot)

        return told

    def _note(self, snapshot: Snapshot) -> None:
        progress = min(max(snapshot.fraction, self.session.progress), 1.0)
        self.session.update_progress(progress, self._solution(snapshot.actions, 0.0))
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
    request: SolveRequest,
    store: Store,
    key: str,
    on_progress: OnProgress | None,
    cancelled: Callable[[], bool],
    on_problem: Callable[[StoreError], None],
) -> Answer:
    """Solve, and keep the session in the store beside the result of this key; its failures cost no answer.

    Where nobody watches, only the end is told: many short questions would wait for the telling.
    """
    recorder = _Recorder(request, store, key)
    try:
        answer = solve(request, None if on_progress is None else recorder.watching(on_progress), cancelled)
    except BaseException as error:
        recorder.abort(str(error) or type(error).__name__)
        raise
    recorder.complete(answer)
    if recorder.problem is not None:
        on_problem(recorder.problem)
    return answer
