import math
import runpy
from datetime import UTC
from pathlib import Path

import pytest

from bromeliad.core.cards import Card, CardSet
from bromeliad.errors import DomainException, PhaseError, PositionError
from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position
from bromeliad.games.ofc.play.game_state import GamePhase, GameState
from bromeliad.solving.session import (
    BetterSolutionFound,
    SearchStats,
    Solution,
    SolverSession,
    SolverStatus,
    SolvingAborted,
    SolvingCompleted,
    SolvingStarted,
)

EXAMPLE = Path(__file__).parents[3] / "examples" / "data_model.py"


def solution(value=1.0):
    return Solution(PlayerArrangement.empty(), value, 0.5)


@pytest.fixture
def session():
    return SolverSession("s", GameState("g"))


@pytest.fixture
def running(session):
    session.start_solving()
    return session


def test_the_usage_example_of_the_data_model():
    """The code of the document, line by line; only the imports were added."""
    game = GameState("game_001")
    initial_cards = [
        Card.from_string("As"), Card.from_string("Ks"), Card.from_string("Qs"), Card.from_string("Js"),
        Card.from_string("Ts"),
    ]  # fmt: skip
    game.deal_initial_cards(initial_cards)
    placements = {
        Position.BACK: [
            Card.from_string("As"), Card.from_string("Ks"), Card.from_string("Qs"), Card.from_string("Js"),
            Card.from_string("Ts"),
        ]
    }  # fmt: skip
    game.place_cards(placements)
    session = SolverSession("session_001", game)
    session.start_solving()
    solution = Solution(arrangement=game.player_arrangement, expected_value=15.5, confidence=0.95)
    session.update_progress(0.3, solution)

    assert (game.phase, game.round_number) == (GamePhase.DRAW, 1)
    assert game.get_unknown_cards() == CardSet.deck() - CardSet.from_cards(initial_cards)
    assert (session.status, session.progress, session.best_solution) == (SolverStatus.RUNNING, 0.3, solution)


def test_the_example_script_runs(capsys):
    runpy.run_path(str(EXAMPLE))
    out = capsys.readouterr().out
    assert "refused: street 1 places 5 cards, not 4" in out
    assert "unknown cards: 42" in out
    assert out.endswith("SolvingCompleted\n")


def test_a_new_session(session):
    assert (session.status, session.progress, session.time_limit) == (SolverStatus.INITIALIZED, 0.0, 300.0)
    assert session.search_algorithm == "MCTS"
    assert session.start_time is session.end_time is session.best_solution is None
    assert session.search_stats == SearchStats()


def test_from_start_to_end(running):
    running.update_progress(0.25, solution(1))
    running.update_progress(0.5, solution(0.5))
    running.update_progress(0.5, solution(2))
    assert running.best_solution == solution(2)
    stats = SearchStats(simulations=100, nodes=10, elapsed_s=0.5)
    running.complete_solving(solution(1.5), stats)
    assert (running.status, running.progress) == (SolverStatus.COMPLETED, 1.0)
    assert (running.best_solution, running.search_stats) == (solution(1.5), stats)
    assert running.start_time.tzinfo is running.end_time.tzinfo is UTC
    events = running.pull_domain_events()
    assert [type(event) for event in events] == [
        SolvingStarted, BetterSolutionFound, BetterSolutionFound, SolvingCompleted,
    ]  # fmt: skip
    assert len(set(events)) == 4
    assert events[0].game_state_id == "g"
    assert events[-1].time_elapsed >= 0


def test_abort_keeps_the_best_so_far(running):
    running.update_progress(0.5, solution())
    running.abort_solving("time is up")
    assert (running.status, running.progress, running.best_solution) == (SolverStatus.ABORTED, 0.5, solution())
    assert isinstance(running.domain_events[-1], SolvingAborted)
    assert running.domain_events[-1].reason == "time is up"


def test_abort_before_the_start(session):
    assert session.can_abort_solving()
    session.abort_solving("not wanted")
    assert session.start_time is None
    assert session.end_time is not None


def snapshot(session):
    return {name: value if name != "_events" else tuple(value) for name, value in vars(session).items()}


OPERATIONS = {
    "start_solving": (),
    "update_progress": (0.5,),
    "complete_solving": (solution(), SearchStats()),
    "abort_solving": ("why",),
}


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ((), {"start_solving", "abort_solving"}),
        (("start_solving",), {"update_progress", "complete_solving", "abort_solving"}),
        (("start_solving", "complete_solving"), set()),
        (("start_solving", "abort_solving"), set()),
    ],
)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_transitions(session, path, allowed, operation):
    for step in path:
        getattr(session, step)(*OPERATIONS[step])
    before = snapshot(session)
    args = OPERATIONS[operation] if operation == "update_progress" else ()
    assert getattr(session, f"can_{operation}")(*args) is (operation in allowed)
    if operation not in allowed:
        with pytest.raises(PhaseError, match=r"^the session cannot .*: it "):
            getattr(session, operation)(*OPERATIONS[operation])
        assert snapshot(session) == before


@pytest.mark.parametrize("progress", [0.4, -0.1, 1.01, math.nan, math.inf])
def test_progress_never_goes_back_or_beyond_one(running, progress):
    running.update_progress(0.5)
    before = snapshot(running)
    with pytest.raises(DomainException, match=r"progress can only rise from 0\.5 to 1"):
        running.update_progress(progress, solution())
    assert snapshot(running) == before


@pytest.mark.parametrize("limit", [0, -1, math.inf, math.nan])
def test_time_limit(limit):
    with pytest.raises(PositionError, match="time limit"):
        SolverSession("s", GameState("g"), limit)


def test_a_solution_is_a_value_with_sense():
    assert len({solution(), solution()}) == 1
    assert Solution(PlayerArrangement.empty(), 1.0, 1.0, ["a"]).actions == ("a",)
    for value, confidence in ((math.nan, 0.5), (math.inf, 0.5), (0.0, 1.5), (0.0, math.nan)):
        with pytest.raises(PositionError):
            Solution(PlayerArrangement.empty(), value, confidence)


def test_speed():
    assert SearchStats().simulations_per_second == 0
    assert SearchStats(simulations=10, elapsed_s=2.0).simulations_per_second == 5
