"""Combining guesses and playouts."""

import numpy as np
import pytest

from bromeliad.core.jit import JIT
from bromeliad.evaluation.book import calibration
from bromeliad.evaluation.book.calibration import fit_calibration
from bromeliad.evaluation.book.search import (
    KERNELS,
    Calibration,
    Diligence,
    covariance_of_means,
    find_candidates,
    hand_seed,
    play_out,
    settle,
)
from bromeliad.evaluation.play import rollouts
from bromeliad.games.ofc.book.first_deals import symmetric_codes
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.search_spot import search_spot
from bromeliad.games.ofc.spot import parse_spot
from opening_books import HAND, mask_of

BY = Calibration(bias=0.1, common=0.3, own=(0.2, 0.2, 0.2, 0.2), spread=5.0, beside=0.0)
OWN = (0.1, 0.2, 0.3, 0.4)
START = parse_spot(preset("pineapple"), objective="solo")


class TestSettle:
    def test_without_playouts_a_guess_is_all(self):
        ev, covariance = settle(np.array([5.0, 4.0]), [np.zeros(0), np.zeros(0)], BY)
        assert ev == pytest.approx([4.9, 3.9])
        assert covariance == pytest.approx(np.array([[0.13, 0.09], [0.09, 0.13]]))

    def test_many_playouts_outweigh_the_guess(self):
        values = np.random.default_rng(1).normal(7.0, 5.0, 400_000)
        ev, covariance = settle(np.array([5.0]), [values], BY)
        assert ev[0] == pytest.approx(values.mean(), abs=0.01)
        assert covariance[0, 0] ** 0.5 == pytest.approx(5.0 / np.sqrt(400_000), rel=0.02)

    def test_what_no_playouts_take_away_stays(self):
        values = np.random.default_rng(1).normal(7.0, 5.0, 400_000)
        _, covariance = settle(np.array([5.0]), [values], BY._replace(beside=0.05))
        assert covariance[0, 0] ** 0.5 == pytest.approx(0.05, rel=0.03)

    def test_playouts_of_one_say_something_about_the_other(self):
        """The error that all guesses of a hand share can be measured on any of them."""
        values = np.random.default_rng(1).normal(6.0, 1.0, 10_000)
        ev, covariance = settle(np.array([5.0, 4.0]), [values, np.zeros(0)], BY)
        assert ev[1] == pytest.approx(3.9 + 0.09 / 0.13 * 1.1, abs=0.02)
        assert covariance[0, 0] < covariance[1, 1] < 0.13

    def test_intervals_hold_as_often_as_they_say(self):
        rng = np.random.default_rng(2)
        held = []
        for _ in range(2000):
            truth = 5.0 + rng.normal(0, BY.common) + rng.normal(0, BY.own[0], 3)
            shared = rng.normal(0, 4.0, 300)
            values = [value + shared + rng.normal(0, 3.0, 300) for value in truth]
            values = [values[0], values[1], values[2][:100]]
            ev, covariance = settle(np.full(3, 5.1), values, BY)
            held += list(np.abs(ev - truth) <= 1.96 * np.sqrt(np.diag(covariance)))
        assert np.mean(held) == pytest.approx(0.95, abs=0.015)


def test_covariance_of_means_is_that_of_paired_values():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=500), rng.normal(size=500)
    found = covariance_of_means([a, a + b])
    assert found == pytest.approx(np.cov(a, a + b) / 500)


def test_few_playouts_are_taken_to_scatter_as_usual():
    """A hundred playouts without a large payoff have too small a variance, so the usual variance counts too."""
    alike = [np.full(100, 3.0) + np.tile([0.1, -0.1], 50)]
    assert covariance_of_means(alike)[0, 0] < 2e-4
    assert covariance_of_means(alike, 6.0)[0, 0] == pytest.approx(36.0 * 2 / 3 / 100, rel=0.01)


def test_a_calibration_finds_what_guesses_are_off():
    rng = np.random.default_rng(4)
    measured = []
    for mask in range(4000):
        own = rng.normal(0, OWN)
        excess = 0.1 + rng.normal(0, 0.3) + own + rng.normal(0, 0.1) + rng.normal(0, 0.15, 4)
        noise = np.full((4, 4), 0.1**2) + np.diag(np.full(4, 0.15**2))
        measured.append({"mask": mask, "excess": excess.tolist(), "noise": noise.tolist()})
    found = fit_calibration(START, measured)
    assert found.bias == pytest.approx(0.1, abs=0.02)
    assert found.common == pytest.approx(0.3, abs=0.02)
    assert found.own == pytest.approx(OWN, abs=0.02)
    assert found.spread == pytest.approx((calibration.PLAYOUTS * (0.1**2 + 0.15**2)) ** 0.5, rel=1e-6)


def test_searches_and_playouts_are_compiled_before_workers_start():
    assert {function.__module__ for function in (search_spot, rollouts)} <= set(KERNELS)


@pytest.mark.kernel
class TestHand:
    def test_candidates_represent_their_symmetric_ones(self):
        mask = mask_of("Ac Ad 2h 3h 4h")
        _, candidates = find_candidates(START, mask, 1, 300)
        assert len({candidate.code for candidate in candidates}) == 4
        assert all(symmetric_codes(mask, candidate.code)[0] == candidate.code for candidate in candidates)

    def test_playouts_stop_where_the_choice_is_clear_and_at_the_limit(self):
        mask = mask_of(HAND)
        seed = hand_seed(1, mask)
        spot, candidates = find_candidates(START, mask, seed, 300)
        best = candidates[0]
        clear = [best, best._replace(code=candidates[1].code, guess=best.guess - 9.0)]
        found = play_out(spot, clear, seed, Diligence(300, 2000), BY)
        assert found.codes[0] == best.code
        assert found.visits.tolist() == [best.visits, best.visits]
        near = [best, best._replace(code=candidates[1].code)]
        found = play_out(spot, near, seed, Diligence(300, 1000), BY)
        assert 400 <= found.visits.sum() - 2 * best.visits <= 1000
        none = play_out(spot, near, seed, Diligence(300, 0), BY)
        assert none.visits.tolist() == [best.visits, best.visits]
        assert none.ev == pytest.approx([best.guess - 0.1] * 2)
        assert (found.ev[1:] <= found.ev[:-1]).all()
        assert (found.stderr < 0.37).all()


@pytest.mark.kernel
class TestPlayoutsWithoutLuck:
    def values(self, count, code=None, **how):
        spot, found = find_candidates(START, mask_of(HAND), 1, 200)
        return rollouts(spot.to_search_state(), found[code or 0].code, count, 3, **how)

    @pytest.mark.skipif(not JIT, reason="too many playouts for plain Python")
    def test_have_the_same_mean_and_less_scatter(self):
        plain, rest = self.values(4000), self.values(250, without_luck=True)
        error = np.hypot(plain.std() / np.sqrt(4000), rest.std() / np.sqrt(250))
        assert abs(plain.mean() - rest.mean()) < 3.5 * error
        assert rest.var() < plain.var() / 10

    def test_each_depends_on_its_number_only(self):
        count = 3 if JIT else 1
        values = self.values(count, without_luck=True)
        spot, found = find_candidates(START, mask_of(HAND), 1, 200)
        last = rollouts(spot.to_search_state(), found[0].code, 1, 3, count - 1, without_luck=True)
        assert last[0] == values[-1]

    def test_nothing_is_taken_off_under_rules_without_pairs(self):
        spot = parse_spot(preset("turbo"), cards="As Ah Kd 7c 2s", objective="solo")
        state, code = spot.to_search_state(), int(list_first(spot))
        assert (rollouts(state, code, 2, 3, without_luck=True) == rollouts(state, code, 2, 3)).all()


def list_first(spot):
    """Return the code of a first placement: all cards in the back."""
    return sum(3 << 2 * i for i in range(len(spot.cards)))
