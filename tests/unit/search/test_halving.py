"""Sequential halving: rounds, shrinkage, and paired differences against numpy written out."""

import numpy as np
import pytest

from bromeliad.core.jit import JIT
from bromeliad.search import Searcher, SearchParams
from bromeliad.search.engine import Engine
from bromeliad.search.halving import Halving
from games import pig, trio


def play(halving, means, noise=0.0):
    rng = np.random.Generator(np.random.PCG64(5))
    while True:
        sweeps = min(halving.sweeps_left, 50)
        common = rng.normal(size=(sweeps, 1)) * noise
        halving.absorb(np.asarray(means)[halving.alive] + common + rng.normal(size=(sweeps, halving.alive.size)) * 0.01)
        if halving.sweeps_left <= 0:
            if halving.is_last:
                return halving
            halving.end_round()


def test_the_budget_is_divided_evenly_over_rounds():
    halving = play(Halving(8, None, 150.0, 2400), np.arange(8.0))
    # Three rounds of 800 simulations: for 8, 4 and 2 candidates.
    assert sorted(halving.count) == [100] * 4 + [300] * 2 + [700] * 2
    assert list(halving.order()[:2]) == [7, 6]


def test_common_random_numbers_cancel():
    halving = play(Halving(4, None, 0.0, 4000), [0.0, 0.02, 0.05, 0.06], noise=10.0)
    assert halving.order()[0] == 3
    assert halving.error[3] > 0.2
    assert halving.possible_gain(3.0) < 0.0


def test_a_small_budget_drops_the_last_candidates():
    halving = Halving(232, None, 150.0, 100)
    assert halving.alive.size * halving.rounds <= 100
    assert list(halving.alive) == list(range(halving.alive.size))
    assert Halving(5, None, 150.0, 1).alive.size == 1


def test_means_are_shrunk_to_the_estimates():
    estimates = np.array([1.0, 0.0])
    halving = Halving(2, estimates, 150.0, 20)
    halving.absorb(np.tile([0.0, 0.5], (10, 1)))
    assert halving.shrunk == pytest.approx([150 / 160, 5 / 160])
    assert halving.mean == pytest.approx([0.0, 0.5])
    assert halving.order()[0] == 0


def test_each_step_of_a_simulation_is_shrunk_alone():
    halving = Halving(2, np.array([1.0, 0.0]), (10.0, 90.0), None)
    halving.absorb(np.tile([[2.0, -1.0], [0.5, 1.0]], (10, 1, 1)))  # [sweep, candidate, step]
    first, second = (10 * 2.0 + 10 * 1.0) / 20, (10 * 0.5 + 10 * 0.0) / 20
    assert halving.shrunk == pytest.approx([first - 10 / 100, second + 10 / 100])
    assert halving.mean == pytest.approx([1.0, 1.5])


def test_steps_of_equal_weight_without_late_scatter_give_the_values_of_whole_simulations():
    rng = np.random.Generator(np.random.PCG64(3))
    values = rng.normal(size=(60, 3)) + np.array([0.0, 0.3, 1.0])
    whole, stepwise = Halving(3, np.zeros(3), 40.0, None), Halving(3, np.zeros(3), (40.0, 40.0), None)
    whole.absorb(values)
    stepwise.absorb(np.stack([values, np.zeros_like(values)], axis=2))
    for name in ("shrunk", "mean", "error", "loss_error"):
        assert getattr(stepwise, name) == pytest.approx(getattr(whole, name))
    assert stepwise.expected_gain() == pytest.approx(whole.expected_gain())


def test_a_late_step_that_only_scatters_hardly_counts():
    rng = np.random.Generator(np.random.PCG64(4))
    early = np.array([0.0, 0.5]) + rng.normal(size=(2000, 2))
    late = 20.0 * rng.normal(size=(2000, 2))
    errors, wrong = [], {"together": 0, "apart": 0}
    for start in range(0, 2000, 50):
        block = slice(start, start + 50)
        together, apart = Halving(2, np.zeros(2), 5.0, None), Halving(2, np.zeros(2), (5.0, 5000.0), None)
        together.absorb(early[block] + late[block])
        apart.absorb(np.stack([early[block], late[block]], axis=2))
        wrong["together"] += int(together.order()[0] == 0)
        wrong["apart"] += int(apart.order()[0] == 0)
        errors.append((apart.loss_error.max(), together.loss_error.max()))
    assert wrong["apart"] <= 4 < 10 <= wrong["together"]
    assert all(small < large / 5 for small, large in errors)


def test_an_estimate_that_simulations_contradict_counts_for_less():
    scatter = np.tile([[4.0], [-4.0]], (25, 1))
    halving = Halving(4, np.array([10.0, 6.0, 5.0, 4.0]), 150.0, None)
    halving.absorb(np.array([9.0, 13.0, 4.0, 3.0]) + scatter)  # all are off by one, but the second by eight
    errors = 8.0 / (halving.error[1] * np.sqrt(1.0 + 50 / 150))
    weight = 150.0 * (2.0 / errors) ** 2
    assert halving.shrunk[1] == pytest.approx((50 * 13.0 + weight * 6.0) / (50 + weight))
    assert halving.shrunk[[0, 2, 3]] == pytest.approx([(50 * m + 150 * (m + 1)) / 200 for m in (9.0, 4.0, 3.0)])
    assert halving.order()[0] == 1


def test_errors_are_those_of_the_mean():
    values = np.random.Generator(np.random.PCG64(2)).normal(size=(40, 3))
    halving = Halving(3, None, 0.0, None)
    halving.absorb(values)
    own = values.var(axis=0, ddof=1)
    assert halving.error == pytest.approx(np.sqrt((40 * own + 10 * own.mean()) / 50 / 40))
    best = int(values.mean(axis=0).argmax())
    difference = np.delete(values, best, axis=1) - values[:, [best]]
    gain = difference.mean(axis=0) + 2.0 * difference.std(axis=0, ddof=1) / np.sqrt(40)
    assert halving.possible_gain(2.0) == pytest.approx(gain.max())


def test_possible_gain_waits_for_thirty_sweeps():
    halving = Halving(2, None, 0.0, None)
    halving.absorb(np.ones((29, 2)))
    assert np.isinf(halving.possible_gain(2.0))
    assert np.isinf(halving.expected_gain())
    assert halving.confidence == 0.5
    halving.absorb(np.ones((29, 2)))
    assert halving.possible_gain(2.0) == halving.expected_gain() == 0.0


def test_one_of_several_candidates_is_compared_with_nothing():
    for candidates, confidence in ((5, 0.5), (1, 1.0)):
        halving = Halving(candidates, None, 0.0, 1)
        halving.absorb(np.ones((1, 1)))
        assert halving.confidence == confidence


def test_expected_gain_and_confidence_are_those_of_a_normal_posterior():
    rng = np.random.default_rng(4)
    values = rng.normal([0.0, 0.05], 1.0, (400, 2))
    halving = Halving(2, None, 0.0, None)
    halving.absorb(values)
    best = int(values.mean(axis=0).argmax())
    difference = values[:, 1 - best] - values[:, best]
    draws = rng.normal(difference.mean(), difference.std(ddof=1) / 20, 1_000_000)
    assert halving.expected_gain() == pytest.approx(np.maximum(draws, 0.0).mean(), rel=0.02)
    assert halving.confidence == pytest.approx((draws < 0.0).mean(), abs=0.002)


def test_estimates_are_as_uncertain_as_the_simulations_they_count_for():
    rng = np.random.default_rng(5)
    values = rng.normal([0.0, 0.3], 1.0, (100, 2))
    plain, shrunk = Halving(2, None, 0.0, None), Halving(2, np.zeros(2), 300.0, None)
    for halving in (plain, shrunk):
        halving.absorb(values)
    # a quarter of the lead, but half of its error: a hundred simulations and three hundred that say "equal"
    lead, error = plain.possible_gain(0.0), plain.possible_gain(1.0) - plain.possible_gain(0.0)
    assert shrunk.possible_gain(0.0) == pytest.approx(lead / 4)
    assert shrunk.possible_gain(1.0) - shrunk.possible_gain(0.0) == pytest.approx(error / 2)
    assert shrunk.confidence < plain.confidence


@pytest.mark.kernel
def test_a_search_stops_where_knowing_more_gains_little():
    params = SearchParams(simulations=3000 if JIT else 600, root_policy="halving", early_stop="settled", memory_mb=1)
    params = params.but(settled_gain=0.0, settled_z=100.0)
    full = Searcher().search(trio.INFO, trio.new_trio(), params)
    early = Searcher().search(trio.INFO, trio.new_trio(), params.but(settled_expected=10.0))
    assert (full.stop_reason, early.stop_reason) == ("simulations", "settled")
    assert early.simulations < full.simulations


@pytest.mark.kernel
def test_a_sweep_uses_the_same_random_numbers():
    params = SearchParams(root_policy="halving", memory_mb=2)
    engine = Engine(pig.INFO, pig.new_pig(), params)
    engine.begin(pig.new_pig(), params)
    roll = engine.children()[engine.statistics().actions == pig.ROLL]
    engine.focus(np.repeat(roll, 2), 0)
    engine.run(40, np.zeros(1, np.int64))
    values = engine.recorded(20)
    assert (values == values[:, :1]).all()
    assert len(set(values[:, 0])) > 3
    engine.focus(roll, 10)
    engine.run(10, np.zeros(1, np.int64))
    assert (engine.recorded(10)[:, 0] == values[10:, 0]).all()


@pytest.mark.kernel
def test_a_settled_lead_stops_the_halving():
    params = SearchParams(simulations=3000 if JIT else 400, root_policy="halving", early_stop="settled", memory_mb=1)
    result = Searcher().search(pig.INFO, pig.new_pig(1, 24), params)
    assert len(result.actions) == 1
    result = Searcher().search(trio.INFO, trio.new_trio(), params.but(settled_gain=100.0))
    assert result.stop_reason == "settled"
    assert result.simulations < params.simulations


def test_a_first_round_may_have_fewer_candidates():
    halving = Halving(232, None, 0.0, None, first=16)
    assert list(halving.alive) == list(range(16))
    assert halving.rounds == 4
    assert Halving(5, None, 0.0, None, first=16).alive.size == 5


def test_candidates_that_never_scatter_gain_nothing_by_more():
    """Equal simulations have no error, and a lead of so many errors is no overflow."""
    halving = Halving(2, None, 0.0, 400)
    halving.absorb(np.tile([1e9, 0.0], (60, 1)))
    assert halving.expected_gain() == 0.0
    assert halving.confidence == 1.0
