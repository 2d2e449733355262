"""A solver session: the record of solving one game state, with its progress, best answer and events.

A session computes nothing, and holds no state of the search.
"""

import math
import time
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from bromeliad.core.domain import AggregateRoot, DomainEvent, now, passes
from bromeliad.errors import BromeliadError, DomainException, PhaseError, PositionError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.play.game_state import GameState
from bromeliad.logs import log_event
from bromeliad.solving.request import SolveRequest


class SolverStatus(Enum):
    """The status of a session."""

    INITIALIZED = "initialized"
    RUNNING = "running"
    COMPLETED = "completed"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"  # its program ended while it was running


_STATES = {
    SolverStatus.INITIALIZED: "it has not started; start it first",
    SolverStatus.RUNNING: "it is running",
    SolverStatus.COMPLETED: "it is completed; start a new session",
    SolverStatus.ABORTED: "it was aborted; start a new session",
    SolverStatus.INTERRUPTED: "its program ended before it was completed; start a new session",
}


@dataclass(frozen=True)
class RequestState:
    """The request of a session that solves one question instead of a whole hand."""

    id: str
    request: SolveRequest


@dataclass(frozen=True)
class Solution:
    """The board to reach, its value in points, and the confidence (from 0 to 1; 1 is exact)."""

    arrangement: PlayerArrangement
    expected_value: float
    confidence: float
    actions: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "actions", tuple(self.actions))
        if not math.isfinite(self.expected_value):
            raise PositionError("an expected value is a finite number, not {value}", value=self.expected_value)
        if not 0.0 <= self.confidence <= 1.0:
            raise PositionError("a confidence is from 0 to 1, not {value}", value=self.confidence)


@dataclass(frozen=True)
class SearchStats:
    """The work behind an answer."""

    simulations: int = 0
    nodes: int = 0
    elapsed_s: float = 0.0
    max_depth: int = 0

    @property
    def simulations_per_second(self) -> float:
        """Simulations per second; 0 if no time was measured."""
        return self.simulations / self.elapsed_s if self.elapsed_s > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class SolvingStarted(DomainEvent):
    """A session began to solve."""

    game_state_id: str


@dataclass(frozen=True, kw_only=True)
class BetterSolutionFound(DomainEvent):
    """The best answer so far was replaced by a better one."""

    solution: Solution


@dataclass(frozen=True, kw_only=True)
class SolvingCompleted(DomainEvent):
    """A session ended with a final answer."""

    final_solution: Solution
    time_elapsed: float


@dataclass(frozen=True, kw_only=True)
class SolvingAborted(DomainEvent):
    """A session ended without a final answer."""

    reason: str


class SolverSession(AggregateRoot):
    """The solving of one game state.

    Parameters
    ----------
    session_id
        Unique name of the session.
    game_state
        The hand or the question to solve.
    time_limit
        Seconds that the search may take.

    Attributes
    ----------
    search_algorithm
        The name of the method that answers.
    best_solution
        The best answer so far, or None.
    search_stats
        The work behind the final answer.
    status, progress
        Status of the session; progress goes from 0 to 1 and never back.
    start_time, end_time
        When solving started and ended, in UTC; None before that.
    reason
        Why the session was aborted; None if it was not.
    """

    def __init__(self, session_id: str, game_state: GameState | RequestState, time_limit: float = 300.0) -> None:
        super().__init__(session_id)
        if not 0.0 < time_limit < math.inf:
            raise PositionError("a time limit is a number of seconds above 0, not {value}", value=time_limit)
        self.game_state = game_state
        self.time_limit = time_limit
        self.search_algorithm = "MCTS"
        self.best_solution: Solution | None = None
        self.search_stats = SearchStats()
        self.status = SolverStatus.INITIALIZED
        self.progress = 0.0
        self.start_time: datetime | None = None
        self.end_time: datetime | None = None
        self.reason: str | None = None
        self._started = 0.0  # on the monotonic clock, which cannot be set back while a search runs

    def restore(
        self,
        *,
        status: SolverStatus,
        progress: float,
        best_solution: Solution | None,
        search_stats: SearchStats,
        start_time: datetime | None,
        end_time: datetime | None,
        reason: str | None,
    ) -> None:
        """Set the fields of a stored session; this session must not have started."""
        self.verify_start_solving()
        self.status, self.progress, self.reason = status, progress, reason
        self.best_solution, self.search_stats = best_solution, search_stats
        self.start_time, self.end_time = start_time, end_time
        if start_time is not None:
            self._started = time.monotonic() - (now() - start_time).total_seconds()

    def raise_domain_event(self, event: DomainEvent) -> None:
        """Keep an event until it is pulled, and log it."""
        super().raise_domain_event(event)
        log_event(type(event).__name__, session=self.id, status=self.status.value, progress=self.progress)

    def verify_start_solving(self) -> None:
        """Raise PhaseError if the session has started before."""
        self._verify_status("the session cannot start: {state}", SolverStatus.INITIALIZED)

    def can_start_solving(self) -> bool:
        """Return whether the session can start."""
        return passes(self.verify_start_solving)

    def start_solving(self) -> None:
        """Start the session."""
        self.verify_start_solving()
        self.status = SolverStatus.RUNNING
        self.start_time = now()
        self._started = time.monotonic()
        self.raise_domain_event(SolvingStarted(aggregate_id=self.id, game_state_id=self.game_state.id))

    def verify_update_progress(self, progress: float, current_best: Solution | None = None) -> None:
        """Raise PhaseError if the session is not running, or DomainException if progress would fall or exceed 1."""
        self._verify_status("the session cannot make progress: {state}", SolverStatus.RUNNING)
        if not self.progress <= progress <= 1.0:
            raise DomainException(
                "progress can only rise from {current} to 1, not to {progress}",
                current=self.progress,
                progress=progress,
            )

    def can_update_progress(self, progress: float, current_best: Solution | None = None) -> bool:
        """Return whether this progress can be recorded."""
        return passes(self.verify_update_progress, progress, current_best)

    def update_progress(self, progress: float, current_best: Solution | None = None) -> None:
        """Record the progress of the search (0 to 1), and its best answer if that is better than the last one."""
        self.verify_update_progress(progress, current_best)
        self.progress = progress
        best = self.best_solution
        if current_best is not None and (best is None or current_best.expected_value > best.expected_value):
            self.best_solution = current_best
            self.raise_domain_event(BetterSolutionFound(aggregate_id=self.id, solution=current_best))

    def verify_complete_solving(self) -> None:
        """Raise PhaseError if the session is not running."""
        self._verify_status("the session cannot be completed: {state}", SolverStatus.RUNNING)

    def can_complete_solving(self) -> bool:
        """Return whether the session can be completed."""
        return passes(self.verify_complete_solving)

    def complete_solving(self, final_solution: Solution, stats: SearchStats) -> None:
        """End with the final answer, which replaces the best so far even if that had a higher value."""
        self.verify_complete_solving()
        elapsed = time.monotonic() - self._started
        self.end_time = now()
        self.best_solution = final_solution
        self.search_stats = stats
        self.status = SolverStatus.COMPLETED
        self.progress = 1.0
        self.raise_domain_event(
            SolvingCompleted(aggregate_id=self.id, final_solution=final_solution, time_elapsed=elapsed)
        )

    def verify_abort_solving(self) -> None:
        """Raise PhaseError if the session has ended."""
        self._verify_status("the session cannot be aborted: {state}", SolverStatus.INITIALIZED, SolverStatus.RUNNING)

    def can_abort_solving(self) -> bool:
        """Return whether the session can be aborted."""
        return passes(self.verify_abort_solving)

    def abort_solving(self, reason: str) -> None:
        """End without a final answer; the best answer so far is kept."""
        self.verify_abort_solving()
        self.end_time = now()
        self.status = SolverStatus.ABORTED
        self.reason = reason
        self.raise_domain_event(SolvingAborted(aggregate_id=self.id, reason=reason))

    def _verify_status(self, template: str, *allowed: SolverStatus) -> None:
        if self.status not in allowed:
            raise PhaseError(template, state=BromeliadError(_STATES[self.status]))
