"""Solver sessions in the store: they are loaded as they were saved, and refuse what their status forbids."""

from datetime import timedelta

import pytest

from bromeliad.core.cards import Card, CardSet, parse_cards
from bromeliad.core.domain import now
from bromeliad.errors import DomainException, PhaseError, StoreError
from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position
from bromeliad.games.ofc.play.game_state import CardsPlaced, GamePhase, GameState
from bromeliad.games.ofc.rules.files import preset
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.session import RequestState, SearchStats, Solution, SolverSession, SolverStatus

BOARD = PlayerArrangement.parse("Kd / 7c 2s / As Ah")
ACTION = ActionAnswer(
    top=("Kd",), middle=(), back=("As",), discards=(), ev=1.5, ev_loss=0.0, stderr=0.25, exact=False, visits=7,
    p_foul=None, p_fantasyland=None, royalties=None, p_scoop=None, row_points=None,
)  # fmt: skip


def solution(value, *actions):
    return Solution(BOARD, value, 0.5, actions)


def hand(rules="ultimate"):
    """Return a state in the middle of a hand: a joker on the board, a joker in hand, and two known opponents."""
    state = GameState("hand", 3, preset(rules))
    state.deal_initial_cards(parse_cards("Jk2 As Ah 7c 2s"))
    cards = state.dealt_cards
    state.place_cards({Position.FRONT: cards[:1], Position.MIDDLE: cards[3:], Position.BACK: cards[1:3]})
    state.update_opponent_cards("opponent_0", parse_cards("Ks Kh"))
    state.deal_round_cards(parse_cards("9d 9c 3h"))
    nine, other, three = state.dealt_cards
    state.place_cards({Position.MIDDLE: [nine, other]}, three)
    state.update_opponent_arrangement("opponent_1", PlayerArrangement.parse("Qd / 8c 8s / 5h 5d"))
    state.deal_round_cards(parse_cards("4d Jk1 Tc"))
    state.pull_domain_events()
    return state


def facts(state):
    return (
        *(state.id, state.rules, state.player_count, state.fantasyland, state.phase, state.round_number),
        *(state.dealt_cards, state.player_arrangement, state.discarded_cards, dict(state.opponents)),
    )


def started(store, state=None):
    session = SolverSession("s1", state or hand(), time_limit=12.5)
    session.search_algorithm = "exact"
    session.start_solving()
    store.sessions.save(session)
    return session


def test_a_running_session_is_loaded_as_it_was_saved(store):
    session = started(store)
    session.update_progress(0.25, solution(1.0))
    session.update_progress(0.5, solution(3.5, ACTION))
    store.sessions.save(session, key="k")
    again = store.sessions.load("s1")
    assert (again.status, again.progress, again.time_limit) == (SolverStatus.RUNNING, 0.5, 12.5)
    assert (again.search_algorithm, again.start_time, again.end_time) == ("exact", session.start_time, None)
    assert again.best_solution == session.best_solution
    assert facts(again.game_state) == facts(session.game_state)
    assert again.game_state.dealt_cards[1] == Card(52)  # the jokers keep their numbers
    assert again.domain_events == ()
    again.update_progress(0.75)
    again.complete_solving(solution(3.0), SearchStats(100, 20, 1.5, 4))
    assert again.domain_events[-1].time_elapsed == pytest.approx(
        (again.end_time - session.start_time).total_seconds(), abs=0.5
    )


@pytest.mark.parametrize("phase", GamePhase)
def test_hands_in_every_phase_are_loaded(sqlite_store, phase):
    state = GameState("hand", 2, preset("pineapple"), fantasyland=14 if phase is GamePhase.COMPLETED else 0)
    if phase is GamePhase.COMPLETED:
        state.deal_initial_cards(CardSet((1 << 14) - 1))
        cards = state.dealt_cards
        state.place_cards(dict(zip(Position, (cards[:3], cards[3:8], cards[8:13]), strict=True)), cards[13])
    elif phase is not GamePhase.INITIAL_DEAL:
        state.deal_initial_cards(CardSet(0b11111))
        if phase is GamePhase.DRAW:
            state.place_cards({Position.BACK: state.dealt_cards})
    assert state.phase is phase
    sqlite_store.sessions.save(SolverSession("s", state))
    assert facts(sqlite_store.sessions.load("s").game_state) == facts(state)


def test_a_session_may_solve_a_request(store):
    asked = RequestState("q", SolveRequest(cards="As Ah Kd 7c 2s", fantasyland_worth={14: 8.0}, seed=2**62))
    store.sessions.save(SolverSession("s", asked))
    assert store.sessions.load("s").game_state == asked


def test_events_are_stored_in_order(store):
    session = started(store)
    session.update_progress(0.5, solution(1.0, ACTION))
    session.complete_solving(solution(2.0), SearchStats(100, 20, 1.5, 4))
    store.sessions.save(session)
    other = SolverSession("s2", hand())
    other.abort_solving("no time")
    store.sessions.save(other)
    kinds = [event.kind for event in store.events.stream()]
    assert kinds == ["SolvingStarted", "BetterSolutionFound", "SolvingCompleted", "SolvingAborted"]
    first, better, done = store.events.stream("s1")
    assert (first.data, first.version) == ({"game_state_id": "hand"}, 1)
    assert better.data["solution"]["actions"][0]["stderr"] == 0.25
    assert better.data["solution"]["arrangement"] == BOARD.to_board_string()
    assert done.data["final_solution"]["expected_value"] == 2.0
    assert done.occurred_at - now() < timedelta(0)
    assert [event.data for event in store.events.stream(kind="SolvingAborted")] == [{"reason": "no time"}]
    assert store.sessions.load("s1").search_stats == SearchStats(100, 20, 1.5, 4)
    assert store.sessions.load("s2").reason == "no time"


def test_events_of_a_hand_can_be_stored_too(sqlite_store):
    state = GameState("g", 2)
    state.deal_initial_cards(parse_cards("As Ah Kd 7c 2s"))
    state.place_cards({Position.BACK: state.dealt_cards})
    assert sqlite_store.events.add(state.pull_domain_events()) == 3
    placed = next(sqlite_store.events.stream(kind=CardsPlaced.__name__))
    assert placed.data == {
        "round_number": 0,
        "placements": [["back", ["As", "Ah", "Kd", "7c", "2s"]]],
        "discarded_cards": [],
    }


@pytest.mark.parametrize("end", ["complete", "abort", "interrupt"])
def test_a_session_that_has_ended_stays_ended(store, end):
    session = started(store)
    late = store.sessions.load("s1")
    if end == "complete":
        session.complete_solving(solution(1.0), SearchStats())
    elif end == "abort":
        session.abort_solving("enough")
    store.sessions.save(session)
    if end == "interrupt":
        assert store.sessions.interrupt_running() == 1
    stored = store.sessions.load("s1")
    for refused in (
        stored.start_solving,
        lambda: stored.update_progress(1.0),
        lambda: stored.complete_solving(solution(1.0), SearchStats()),
        lambda: stored.abort_solving("again"),
    ):
        with pytest.raises(PhaseError):
            refused()
    late.abort_solving("from another process")
    with pytest.raises(PhaseError, match="it is stored as"):
        store.sessions.save(late)
    assert late.domain_events != ()  # the session keeps them, because nothing was written
    assert store.sessions.load("s1").status is stored.status
    assert [event.data.get("reason") for event in store.events.stream("s1")].count("from another process") == 0


def test_a_session_does_not_go_back(store):
    started(store)
    with pytest.raises(PhaseError, match="stored as running"):
        store.sessions.save(SolverSession("s1", hand()))


def test_open_sessions_are_interrupted(store):
    started(store)
    store.sessions.save(SolverSession("s2", hand()))
    ended = SolverSession("s3", hand())
    ended.abort_solving("enough")
    store.sessions.save(ended)
    assert store.sessions.interrupt_running() == 2
    assert store.sessions.interrupt_running() == 0
    assert [item.id for item in store.sessions.list(SolverStatus.INTERRUPTED)] == ["s1", "s2"]
    assert len(list(store.sessions.list())) == 3
    session = store.sessions.load("s1")
    assert (session.status, session.reason) == (SolverStatus.INTERRUPTED, "the program ended")
    assert [event.kind for event in store.events.stream("s2")] == ["SolvingAborted"]


def test_sessions_that_cannot_be_saved_or_found(sqlite_store):
    with pytest.raises(StoreError, match="there is no session nope"):
        sqlite_store.sessions.load("nope")
    session = SolverSession("s", hand())
    session.start_solving()
    session.update_progress(0.1, solution(1.0, frozenset()))
    with pytest.raises(DomainException, match="cannot be stored: frozenset"):
        sqlite_store.sessions.save(session)
    with pytest.raises(StoreError, match="no session s "):
        sqlite_store.sessions.load("s")
