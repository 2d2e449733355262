"""The solver for Python programs."""

from types import SimpleNamespace

import pytest

from bromeliad import Solver, SolveRequest
from bromeliad.core import budget
from bromeliad.errors import InputError
from bromeliad.games.ofc.exact import earlier_streets
from bromeliad.solving import solve as solving

SPOT = {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"}


def test_solution_is_the_board_to_reach():
    solution = Solver().solve(**SPOT)
    assert str(solution.arrangement) == "Qh Qd 3s / 9s 9d 9c 4h 4d / As Ad Ac 7h 7d"
    assert (solution.expected_value, solution.confidence) == (34.9, 1.0)
    assert [action.ev for action in solution.actions] == pytest.approx([34.9, 34.9, 22.9, 22.9, 22.9, 22.9])


def test_loading_kernels_is_not_counted_as_solving(monkeypatch):
    """On a slow machine, or one that has to compile first, loading takes longer than the given time."""
    clock = [0.0]  # advances only while loading
    for module in (solving, budget):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(solving, "ensure", lambda names: clock.append(clock.pop() + 1000.0))
    spot = {"cards": "Kc 9d 3s", "board": "Qd / 9c 9s 4h 4d / As Ac 7h 7d", "dead": "2c 5d 6s"}
    Solver().answer(**spot, simulations=1)  # loads the real kernels first, however long that takes
    answer = Solver().answer(**spot, time=1.0)
    assert (answer.method, answer.stop_reason) == ("exact", "exact")


def test_ordering_placements_leaves_the_time_for_counting(monkeypatch):
    """On a new machine, the kernels that order placements are compiled first."""
    clock = [0.0]
    monkeypatch.setattr(budget, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    usual = earlier_streets.placement_codes

    def slow(*args):
        clock[0] += 1000.0
        return usual(*args)

    monkeypatch.setattr(earlier_streets, "placement_codes", slow)
    answer = Solver().answer(cards="Kc 9d 3s", board="Qd / 9c 9s 4h / As Ac Ad 7h 7d", time=1.0)
    assert clock[0] >= 1000.0
    assert answer.stop_reason == "exact"
    assert all(action.exact for action in answer.actions)


def test_jokers_find_their_numbers():
    board = Solver("ultimate").solve(cards="As Ah Kd 7c 2s 3s 4s 9d 9c Tc Th Jk Jk 2d", fantasyland=True).arrangement
    assert board.is_complete
    assert str(board).count("Jk") == 2


def test_a_request_fills_in_the_solvers_settings():
    solver = Solver("progressive", seed=9, threads=1)
    answer = solver.answer(SolveRequest(**SPOT))
    assert (answer.rules, answer.seed) == ("progressive", 9)
    assert solver.answer(SolveRequest(**SPOT, rules="pineapple", seed=4)).rules == "pineapple"


def test_wrong_questions_are_refused():
    with pytest.raises(InputError, match="not both"):
        Solver().solve(SolveRequest(**SPOT), cards="As")
    with pytest.raises(InputError, match="no option"):
        Solver().solve(crds="As")


def test_package_exports_lazily():
    import bromeliad

    with pytest.raises(AttributeError, match="nothing_such"):
        _ = bromeliad.nothing_such
