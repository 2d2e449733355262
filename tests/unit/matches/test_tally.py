"""The tally of a match and its sequential test."""

import math

import numpy as np
import pytest

from bromeliad.errors import InputError
from bromeliad.evaluation.results import mean_and_error
from bromeliad.matches.sprt import LEAST, Sprt
from bromeliad.matches.tally import Estimate, Tally, elo_of, expected_score, mean_score


def verdict(test, values):
    return test.verdict(Estimate(*mean_and_error(values), len(values)))


class TestTally:
    def test_the_deal_is_the_independent_result(self):
        tally = Tally()
        for score in (1.0, 0.0, 1.0, 0.5, 1.0):
            tally.add((score, 1.0 - score))
        assert (len(tally), tally.deals, tally.counts) == (5, 2, (3, 1, 1))
        assert tally.score == pytest.approx((0.625, 0.125, 2))  # mean of 0.5 and 0.75; the fifth game lacks its partner
        assert tally.mean(1).mean == 0.375

    def test_luck_is_taken_off(self):
        tally = Tally(3, 1, lambda values, luck: values - luck.sum(axis=1))
        for value, luck in ((4.0, 3.0), (-1.0, -2.0)):
            tally.add((value, -value, 0.0), ((luck, 0.0), (-luck, 0.0), (0.0, 0.25)))
        assert [tally.mean(player).mean for player in range(3)] == [1.5, -1.5, 0.0]
        assert tally.mean_without_luck() == (1.0, 0.0, 2)
        assert tally.mean_without_luck(2).mean == -0.25
        assert [tally.luck(player).mean for player in range(3)] == [0.5, -0.5, 0.25]

    def test_without_measured_luck_the_mean_stays(self):
        tally = Tally()
        tally.add((1.0, 0.0))
        tally.add((0.0, 1.0))
        assert tally.mean_without_luck()[:1] == tally.mean()[:1] == (0.5,)
        assert tally.luck()[:1] == (0.0,)

    def test_a_score_is_never_certain(self):
        assert Tally().score == (0.5, 0.5, 0)
        assert mean_score([1.0]) == (1.0, 0.5, 1)
        assert mean_score([1.0] * 6) == (1.0, 0.25, 3)

    def test_elo(self):
        assert elo_of(0.5) == 0.0
        assert round(elo_of(0.75)) == 191
        assert elo_of(1.0) == math.inf
        assert expected_score(elo_of(0.3)) == pytest.approx(0.3)
        tally = Tally()
        for score in (1.0, 0.5, 1.0, 1.0):
            tally.add((score, 1.0 - score))
        difference, low, high = tally.elo
        assert difference == pytest.approx(elo_of(0.875))
        assert low < difference < high == math.inf


class TestSprt:
    def test_decides_both_ways(self):
        rng = np.random.default_rng(1)
        test = Sprt(0.0, 1.0)
        assert verdict(test, rng.normal(1.0, 3.0, 2000)) == "high"
        assert verdict(test, rng.normal(0.0, 3.0, 2000)) == "low"
        assert verdict(test, rng.normal(0.5, 3.0, LEAST)) is None

    def test_waits_for_the_scatter(self):
        assert verdict(Sprt(0.0, 1.0), np.full(LEAST - 1, 5.0)) is None

    def test_is_rarely_wrong(self):
        rng = np.random.default_rng(2)
        test, wrong = Sprt(0.0, 1.0), 0
        for _ in range(300):
            values = rng.normal(0.0, 3.0, 600)
            verdicts = (verdict(test, values[:count]) for count in range(LEAST, 601, 10))
            wrong += next(filter(None, verdicts), None) == "high"
        assert wrong / 300 < 0.07

    def test_means_must_be_apart(self):
        with pytest.raises(InputError, match="lower one first"):
            Sprt(1.0, 1.0)

    def test_of_elo_decides_by_scores(self):
        test = Sprt.of_elo(0.0, 100.0)
        assert test.verdict(mean_score([0.5, 0.5, 1.0, 1.0] * 40)) == "high"
        assert test.verdict(mean_score([0.5, 0.5, 0.0, 0.0] * 40)) == "low"
        assert test.verdict(mean_score([0.5, 0.5, 1.0, 1.0])) is None
