"""Stated errors: fits to made-up searches, samples of real searches, and the bench of both."""

import math

import numpy as np
import pytest

from bromeliad.bench import calibration
from bromeliad.bench.calibration import calibration_bench, weights_bench
from bromeliad.cluster import Batch, open_executor
from bromeliad.evaluation.calibration import Misses, coverage, fit_errors, sample_misses
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.weights import ErrorModel

# Eighteen cards are gone, so street 3 is exact at once.
SHORT_DECK = "2c 2d 3c 3d 4c 4d 5c 5d 6c 6d 7c 7d 8c 8d 9c 9d Tc Td"


def short_start():
    return parse_spot(preset("pineapple"), objective="solo", dead=SHORT_DECK)


def misses(*rows):
    """Return misses from rows of (difference, error, error of the reference, visits)."""
    difference, error, own, visits = zip(*rows, strict=True)
    return Misses(np.array(difference), np.array(error), np.array(own), np.array(visits))


def made_up(model, count=4000):
    """Return misses for which the stated errors of this model are right."""
    rng = np.random.default_rng(1)
    error, visits = rng.uniform(0.05, 0.4, count), rng.integers(2, 400, count)
    own = rng.uniform(0.0, 0.1, count)
    spread = np.sqrt(error**2 * (1 + model.dropped / visits) + model.beside**2 + own**2)
    return Misses(rng.normal(0.0, spread), error, own, visits)


class TestCoverage:
    def test_by_hand(self):
        # stated: sampling error 0.3, doubled because it was dropped after 10 visits, and 0.8 beside it: 1.0, times 1.96
        model = ErrorModel(0.8, 30.0)
        assert coverage(misses((1.95, 0.3, 0.0, 10)), model) == 1.0
        assert coverage(misses((1.97, 0.3, 0.0, 10), (-1.97, 0.3, 0.0, 10), (0.0, 0.3, 0.0, 10)), model) == (
            pytest.approx(1 / 3)
        )

    def test_the_error_of_a_reference_widens_an_interval(self):
        assert coverage(misses((2.0, 0.0, 1.02, 100)), ErrorModel()) == 0.0
        assert coverage(misses((2.0, 0.0, 1.03, 100)), ErrorModel()) == 1.0

    def test_some_of_them(self):
        some = misses((0.0, 1.0, 0.0, 5), (9.0, 1.0, 0.5, 7)).only(np.array([False, True]))
        assert [column.tolist() for column in some] == [[9.0], [1.0], [0.5], [7]]

    @pytest.mark.parametrize("model", [ErrorModel(), ErrorModel(0.15, 30.0), ErrorModel(1.0, 5.0)])
    def test_true_errors_hold_as_often_as_they_say(self, model):
        assert coverage(made_up(model), model) == pytest.approx(0.95, abs=4 * math.sqrt(0.05 * 0.95 / 4000))


class TestFit:
    @pytest.mark.parametrize("model", [ErrorModel(0.15, 30.0), ErrorModel(0.4, 60.0)])
    def test_finds_what_was_put_in(self, model):
        found = fit_errors(made_up(model, 20_000))
        assert found.beside == pytest.approx(model.beside, rel=0.2)
        assert found.dropped == pytest.approx(model.dropped, rel=0.5)

    def test_is_the_least_that_suffices(self):
        sample = made_up(ErrorModel(0.1, 40.0))
        found = fit_errors(sample)
        many, few = sample.only(sample.visits >= 200), sample.only(sample.visits < 200)
        assert coverage(many, found) >= 0.95 > coverage(many, ErrorModel(found.beside - 0.01))
        assert coverage(few, found) >= 0.95 > coverage(few, found._replace(dropped=found.dropped - 1.0))

    def test_is_nothing_where_sampling_explains_all(self):
        assert fit_errors(misses(*[(0.1, 1.0, 0.0, 50)] * 10)) == ErrorModel()


class TestSample:
    def test_references_of_street_three_are_exact(self):
        sample = sample_misses(short_start(), 3, 2, 5)
        assert len(sample.difference) == len(sample.error) == len(sample.visits) > 10
        assert (sample.visits > 1).all()
        assert not sample.reference_error.any()
        assert (sample.difference < 4 * sample.error).all()  # no policy gets more than best play
        with open_executor("local", 2) as executor:
            again = sample_misses(short_start(), 3, 2, 5, batch=Batch(executor))
        for one, two in zip(sample, again, strict=True):
            assert np.array_equal(one, two)

    def test_references_of_street_two_are_playouts(self):
        sample = sample_misses(short_start(), 2, 2, 5, playouts=100)
        assert (sample.reference_error > 0).all()
        assert coverage(sample, ErrorModel(0.5)) > 0.9


class TestBench:
    def test_quick_run(self, monkeypatch):
        monkeypatch.setattr(calibration, "default_start", short_start)
        held, stops = calibration_bench(True, 1, Batch())
        (shipped,) = weights_bench(True, 1)
        assert sum(row[2] for row in stops.rows if row[0] == 1) == 4
        assert all(0 <= row[4] <= 100 and row[5] >= 0 for row in stops.rows)
        for section in (held, stops, shipped):
            assert all(len(row) == len(section.columns) for row in section.rows)
        rows = [dict(zip(held.columns, row, strict=True)) for row in held.rows]
        whole = {row["street"]: row for row in rows if row["visits"] == "all"}
        assert whole.keys() == {1, 2, 3}
        for street, row in whole.items():  # the parts make up the whole
            assert row["actions"] == sum(r["actions"] for r in rows if r["street"] == street and r["visits"] != "all")
            assert 50 < row["sampling alone %"] <= row["contained %"] <= 100
        assert all(0 < row[-1] < 1e6 for row in shipped.rows)
        assert [row[0] for row in shipped.rows[:2]] == ["pineapple.npz", "pineapple-free.npz"]


def test_stated_error():
    model = ErrorModel(0.8, 30.0)
    assert model.stated(0.3, 10) == pytest.approx(1.0)  # 30 visits count as much as being dropped
    assert ErrorModel(0.0, 30.0).stated(0.3, 10**9) == pytest.approx(0.3)
    assert ErrorModel(0.2, 30.0).stated(0.0, 5) == 0.2
    stated = [model.stated(0.3, visits) for visits in (1, 10, 100, 1000)]
    assert stated == sorted(stated, reverse=True)
