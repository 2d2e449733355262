"""The solver's benches: their references, their counts, and that they run."""

from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest

from bromeliad.bench import solver
from bromeliad.bench.regret import _figures
from bromeliad.bench.solver import count_evaluations
from bromeliad.evaluation.regret import Effort, Judged, all_codes, decide, judge, judge_exactly, look, make_cases
from bromeliad.games.ofc.search_spot import default_params, suit_params
from bromeliad.search import Searcher


class TestCases:
    @pytest.mark.parametrize("street", [1, 2, 3, 4, 5])
    def test_are_of_their_street(self, street):
        cases = make_cases(street, 3, 1, heads_up=street > 2)
        assert [case.spot.street for case in cases] == [street] * 3
        seen = 5 + 3 * (street - 1) + (0, 0, 10, 13, 15)[street - 1]
        assert cases[0].spot.unseen.size == 52 - seen
        again = make_cases(street, 3, 1, heads_up=street > 2)
        assert [case.spot for case in cases] == [case.spot for case in again]


class TestReferences:
    def test_exact_reference_finds_the_best(self):
        (case,) = make_cases(4, 1, 3, heads_up=True)
        case.chosen = {str(code): int(code) for code in all_codes(case.state)}
        judged = judge_exactly(case)
        regrets = [judged.regret(way) for way in case.chosen]
        assert min(regrets) == 0.0
        assert judged.agrees == {way: judged.regret(way) < 1e-9 for way in case.chosen}
        assert judged.best - np.mean(regrets) == pytest.approx(judged.random)

    def test_paired_reference_is_repeatable_and_prefers_good_choices(self):
        (case,) = make_cases(2, 1, 8)
        decide(case, "search", default_params(simulations=2000), Searcher())
        codes = all_codes(case.state)
        case.chosen["first listed"] = int(codes[0])
        look(case, "looks")
        effort = Effort(200, 0.05, 3, 500)
        judged = judge(case, effort, 1)
        assert judged.quality("search") > judged.quality("first listed")
        assert judged.random < judged.best
        assert judged.quality("looks") > 0.5
        assert judged.agrees.keys() == {"search", "first listed", "looks"}
        assert not judged.agrees["first listed"]

    def test_quality(self):
        judged = Judged(4.0, 2.0, {"half": 3.0, "all": 4.0}, {"half": False, "all": True})
        assert (judged.quality("half"), judged.quality("all"), judged.regret("half")) == (0.5, 1.0, 1.0)
        assert Judged(2.0, 2.0, {"any": 2.0}, {"any": True}).quality("any") == 1.0
        regret, error, quality, _ = _figures([judged, Judged(4.0, 2.0, {"half": 4.0}, {"half": True})], "half")
        assert (regret, error, quality) == (0.5, pytest.approx(0.5), 0.75)


def listed(free, streets, unseen):
    """Count (draw, reply) leaves one by one."""
    if streets == 0:
        return 1
    total = 0
    for draw in combinations(range(unseen), 3):
        for _kept in permutations(draw, 2):
            for first in range(3):
                for second in range(first, 3):
                    left = [count - (row == first) - (row == second) for row, count in enumerate(free)]
                    if min(left) < 0 or (first == second and _kept[0] > _kept[1]):
                        continue
                    total += listed(left, streets - 1, unseen - 3)
    return total


class TestCount:
    @pytest.mark.parametrize(("free", "streets", "unseen"), [((1, 1, 0), 1, 5), ((0, 2, 0), 1, 4), ((1, 2, 1), 2, 7)])
    def test_counts_what_a_listing_counts(self, free, streets, unseen):
        assert count_evaluations(free, streets, unseen) == listed(list(free), streets, unseen)

    def test_of_the_last_street(self):
        (case,) = make_cases(5, 1, 1)
        assert solver._replaced(case.spot) == len(all_codes(case.state))
        assert count_evaluations((0, 1, 1), 1, 20) == comb(20, 3) * 6


class TestSections:
    def test_scenarios_have_their_keys_iterations_and_time(self, monkeypatch):
        monkeypatch.setattr(solver, "Effort", lambda *args: Effort(50, 0.02, 2, 100))
        scenarios = {name: solver._SCENARIOS[name] for name in ("end_game", "complex_decision")}
        monkeypatch.setattr(solver, "_SCENARIOS", scenarios)
        section = solver._scenarios(True, 1, 2, 0.1)
        wanted = {"avg_time", "std_time", "min_time", "max_time", "avg_quality", "std_quality", "iterations"}
        assert wanted <= set(section.columns)
        end_game = dict(zip(section.columns, section.rows[0], strict=True))
        assert end_game["avg_quality"] == 1.0
        assert [row[section.columns.index("iterations")] for row in section.rows] == [2, 2]
        assert "`solve` with 0.1 s" in section.notes[0]
        assert end_game["min_time"] <= end_game["avg_time"] <= end_game["max_time"]

    @pytest.mark.parametrize(
        ("quick", "given", "wanted"),
        [
            (False, {}, (20, 1.0)),
            (True, {}, (3, 0.2)),
            (True, {"iterations": 7}, (7, 0.2)),
            (False, {"iterations": 100, "time_limit": 300.0}, (100, 300.0)),
        ],
    )
    def test_iterations_and_time_may_be_given(self, monkeypatch, quick, given, wanted):
        asked = []
        monkeypatch.setattr(solver, "_scenarios", lambda quick, seed, *numbers: asked.append(numbers))
        for name in ("_speed", "_threads", "_memory"):
            monkeypatch.setattr(solver, name, lambda *args: None)
        solver.solver_bench(quick, 1, **given)
        assert asked == [wanted]

    def test_speed(self):
        section = solver._speed(2, 1, 1, 0.0)
        assert [row[0] for row in section.rows] == [5, 4, 3]
        assert all(len(row) == len(section.columns) for row in section.rows)


class TestFirstRound:
    def test_grows_with_the_budget_on_the_first_street_only(self):
        first, second = (make_cases(street, 1, 1)[0].spot for street in (1, 2))
        short, longer = (default_params(simulations=count) for count in (400, 40_000))
        # a quarter of the root of the simulations, 60,000 a second and thread, at least 8
        assert suit_params(first, short).first_round == 8
        assert suit_params(first, longer).first_round == 50
        assert suit_params(first, default_params(seconds=0.01)).first_round == 8
        assert suit_params(first, default_params(seconds=1.5, threads=4)).first_round == 150
        assert suit_params(second, short).first_round is None
        assert suit_params(first, short.but(first_round=232)).first_round == 232

    def test_means_are_shrunk_to_learned_values_on_the_first_two_streets(self):
        spots = [make_cases(street, 1, 1)[0].spot for street in (1, 2, 3)]
        params = default_params(simulations=400)
        assert [suit_params(spot, params).shrinkage for spot in spots] == [150.0, 150.0, 0.0]
        assert [suit_params(spot, params.but(shrinkage=40.0)).shrinkage for spot in spots] == [40.0] * 3
