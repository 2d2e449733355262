"""The controller: budgets, stop reasons, progress, cancelling, remembered answers, explanations."""

import threading

import numpy as np
import pytest

from bromeliad.core.game import apply
from bromeliad.core.jit import JIT
from bromeliad.errors import KernelError, PositionError
from bromeliad.search import Cancel, Searcher, SearchParams, explain, new_answers
from bromeliad.search.result import ActionStatistics, lead_confidence
from bromeliad_games.connect4 import ConnectFour
from bromeliad_games.tictactoe import TicTacToe, TicTacToeState
from games import pig

pytestmark = pytest.mark.kernel
GAME = ConnectFour()
FEW = 2_000 if JIT else 1_100


@pytest.fixture(scope="module")
def searcher():
    return Searcher(SearchParams(memory_mb=8, simulations=FEW))


def test_a_search_with_a_seed_is_repeatable_bit_for_bit(searcher):
    answers = [Searcher().search(GAME.info, GAME.new_state(), searcher.params) for _ in range(2)]
    assert answers[0].actions == answers[1].actions
    assert answers[0].variation == answers[1].variation
    assert answers[0].tree.nodes == answers[1].tree.nodes
    other = searcher.search(GAME.info, GAME.new_state(), searcher.params.but(seed=2))
    assert other.actions != answers[0].actions


def test_how_time_is_sliced_changes_nothing(searcher):
    fine = searcher.params.but(slice_seconds=0.001)
    coarse = searcher.params.but(slice_seconds=1.0)
    results = [searcher.search(GAME.info, GAME.new_state(), params) for params in (fine, coarse)]
    assert results[0].actions == results[1].actions


def test_the_position_is_left_as_it_was(searcher):
    state = GAME.new_state()
    before = state.data.copy()
    searcher.search(GAME.info, state)
    assert (state.data == before).all()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"early_stop": "never"}, "simulations"),
        ({"early_stop": "never", "seconds": 0.05, "simulations": None}, "time"),
        ({"early_stop": "settled", "settled_gain": 1e9}, "settled"),
        ({"early_stop": "either", "settled_gain": 1e9}, "settled"),
    ],
)
def test_stop_reasons(searcher, changes, reason):
    result = searcher.search(GAME.info, GAME.new_state(), searcher.params.but(**changes))
    assert result.stop_reason == reason
    assert result.simulations == sum(item.visits for item in result.actions)


def test_a_dominant_move_stops_early(searcher):
    wins = TicTacToeState(np.array([0b000000011, 0b000110000, 0, -1], np.int64))
    result = searcher.search(TicTacToe.info, wins)
    assert result.stop_reason == "dominant"
    assert result.best == 2
    assert result.simulations < FEW
    rest = FEW - result.simulations
    assert result.actions[0].visits - result.actions[1].visits > rest
    assert result.actions[0].visits > 0.7 * result.simulations


def test_a_forced_move_stops_early(searcher):
    result = searcher.search(pig.INFO, pig.new_pig(1, pig.CAP))
    assert (result.stop_reason, result.best, result.value) == ("forced", pig.HOLD, pig.CAP)
    assert result.confidence == 1.0


def test_managed_time_is_divided(searcher):
    params = searcher.params.but(seconds=0.1, simulations=None, manage_time=True, early_stop="never")
    result = searcher.search(pig.INFO, pig.new_pig(), params)
    assert result.params.seconds == pytest.approx(0.06)
    assert result.params.playout_depth == 4  # pig gives estimates
    assert result.params.candidates is None  # but no scores
    assert result.stop_reason == "time"


def test_progress_is_reported(searcher):
    seen = []
    params = searcher.params.but(progress_seconds=0.0, slice_seconds=0.001)
    result = searcher.search(GAME.info, GAME.new_state(), params, on_progress=seen.append)
    assert [item.simulations for item in seen] == sorted(item.simulations for item in seen)
    assert seen[-1].simulations == result.simulations
    assert seen[-1].actions[0].action == result.best
    assert all(0.0 <= item.fraction <= 1.0 and 0.0 <= item.confidence <= 1.0 for item in seen)
    assert seen[-1].simulations_per_second > 0


def test_progress_of_halving_is_reported(searcher):
    seen = []
    params = searcher.params.but(progress_seconds=0.0, root_policy="halving")
    searcher.search(pig.INFO, pig.new_pig(), params, on_progress=seen.append)
    assert seen


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("root_policy", ["tree", "halving"])
def test_cancelling_from_another_thread_gives_the_best_so_far(searcher, threads, root_policy):
    cancel = Cancel()
    params = searcher.params.but(
        seconds=60.0, simulations=None, threads=threads, root_policy=root_policy, progress_seconds=0.0
    )
    started = threading.Event()
    watcher = threading.Thread(target=lambda: (started.wait(), cancel.cancel()))
    watcher.start()
    result = searcher.search(GAME.info, GAME.new_state(), params, on_progress=lambda _: started.set(), cancel=cancel)
    watcher.join()
    assert result.stop_reason == "cancelled"
    assert len(result.actions) == 7
    assert result.simulations > 0


def test_cancelling_before_the_start_still_answers(searcher):
    cancel = Cancel()
    cancel.cancel()
    result = searcher.search(GAME.info, GAME.new_state(), cancel=cancel)
    assert (result.stop_reason, result.simulations) == ("cancelled", 1)


def test_nobody_to_move_is_an_error(searcher):
    over = TicTacToeState(np.array([0b111, 0b011000, 1, 0], np.int64))
    with pytest.raises(PositionError, match="no player to move"):
        searcher.search(TicTacToe.info, over)
    rolling = pig.new_pig()
    apply(rolling, pig.ROLL)
    with pytest.raises(PositionError, match="no player to move"):
        searcher.search(pig.INFO, rolling)


def test_a_game_that_is_not_one_is_named(searcher):
    class Nothing(tuple):
        __slots__ = ()

    with pytest.raises(KernelError, match="Nothing does not provide to_play"):
        searcher.search(TicTacToe.info, Nothing())


def test_answers_are_remembered_if_they_are_reproducible():
    answers = new_answers()
    searcher = Searcher(SearchParams(memory_mb=8, simulations=FEW), answers)
    first = searcher.search(GAME.info, GAME.new_state())
    assert searcher.search(GAME.info, GAME.new_state()) is first
    moved = GAME.new_state()
    apply(moved, np.int64(3))
    assert searcher.search(GAME.info, moved) is not first
    timed = searcher.params.but(seconds=0.01)
    assert searcher.search(GAME.info, GAME.new_state(), timed) is not searcher.search(
        GAME.info, GAME.new_state(), timed
    )
    assert answers.statistics().hits == 1


@pytest.mark.parametrize("choice", ["visits", "value", "order"])
def test_final_choices_rank_by_what_they_say(searcher, choice):
    params = searcher.params.but(final_choice=choice, early_stop="never")
    result = searcher.search(GAME.info, GAME.new_state(), params)
    scores = [item.score for item in result.actions]
    assert scores == sorted(scores, reverse=True)
    if choice == "value":
        trusted = [item for item in result.actions if item.visits >= 0.05 * max(i.visits for i in result.actions)]
        assert result.value == max(item.mean for item in trusted)
    if choice == "visits":
        assert result.actions[0].visits == max(item.visits for item in result.actions)


def test_a_result_gives_probabilities_and_values(searcher):
    result = searcher.search(GAME.info, GAME.new_state())
    assert sum(result.probabilities().values()) == pytest.approx(1.0)
    sharp = result.probabilities(temperature=0.25)
    assert max(sharp, key=sharp.get) == result.best
    assert sharp[result.best] > result.probabilities()[result.best]
    assert result.values()[result.best] == result.value
    assert result.error > 0.0


def test_the_expected_line_is_legal(searcher):
    result = searcher.search(GAME.info, GAME.new_state(), searcher.params.but(early_stop="never"))
    assert result.variation[0] == result.best
    assert len(result.variation) >= 2


def test_an_explanation_shows_ten_moves_and_the_tree(searcher):
    game = TicTacToe()
    state = game.new_state()
    result = searcher.search(game.info, state, searcher.params.but(early_stop="never"))
    text = explain(result, lambda action: game.action_to_string(state, action))
    assert text.splitlines()[0].split() == ["move", "visits", "share", "mean", "±", "error", "prior"]
    assert "b2" in text
    assert len(result.variation) >= 2
    line = " ".join(game.action_to_string(state, action) for action in result.variation)
    assert f"expected line: {line}\n" in text
    assert "simulations in" in text
    short = explain(searcher.search(game.info, state, searcher.params.but(table_mb=1.0)), limit=2)
    assert "… and 7 more" in short
    assert "transpositions:" in short


def test_confidence_follows_means_and_errors():
    def item(mean, error):
        return ActionStatistics(action=0, visits=100, mean=mean, error=error, prior=0.5, score=0.0)

    assert lead_confidence((item(1.0, 0.1), item(0.0, 0.1))) > 0.999
    assert lead_confidence((item(0.5, 0.1), item(0.5, 0.1))) == pytest.approx(0.5)
    assert lead_confidence((item(0.5, 0.0), item(0.4, 0.0))) == 1.0
    assert lead_confidence((item(1.96 * np.sqrt(2) * 0.1, 0.1), item(0.0, 0.1))) == pytest.approx(0.975, abs=1e-3)
