"""The contract of every answer: order, parts that add up, errors, and placements without a rank."""

import math

import pytest

from bromeliad.core.jit import JIT
from bromeliad.games.ofc.values.weights import ErrorModel
from bromeliad.search.result import ActionStatistics
from bromeliad.solving.entries import searched_errors
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve

STREET_1 = {"cards": "As Ah Kd 7c 2s"}
STREET_2 = {"cards": "Kc 9d 3s", "board": "- / 9c 9s / As Ac Ad"}
STREET_4 = {"cards": "Kc 9d 3s", "board": "Qd / 9c 9s 4h / As Ac Ad 7h 7d", "dead": "2c 5d"}
STREET_5 = {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", "dead": "2c 5d 6s"}
FANTASYLAND = {"cards": "As Ah Ad Kc Kd Qs Qh 9d 8d 7d 6d 5d 2c 2h", "fantasyland": True}
OPPONENT_2 = {"opponents": ("Kh / Jc Jd / Ts Tc",)}
FINISHED = {"opponents": ("2d 3d 5s / 6h 6d Th Td 8s / Ks Kd Kh 3c 3h",)}
ONE_DEAL = {"opponents": ("2d 3d / 6h 6d Th Td / Ks Kd Kh 3c 3h",)}
HIDDEN = {"opponents": ("fantasyland:14",)}
ONE_FINISHED = {"opponents": ("2d 3d 5s / 6h 6d Th Td 8s / Ks Kd Qh 3c 3h", *OPPONENT_2["opponents"])}
CERTAIN_FOULS = {
    "cards": "2h 7h 9d",
    "board": "- / Js Jd Kd As / 3c 8d 8s 9s Tc",
    "dead": "2c 5c",
    "opponents": ("Ah / 6d 7c 8c Th Kh / 3s 6s 6h Ks Kc",),
    "seat": 2,
}
FEW, SOME = {"simulations": 40, "threads": 1}, {"simulations": 3000 if JIT else 300, "threads": 1}

QUESTIONS = {
    "first street": STREET_1 | SOME,
    "first street, next to nothing": STREET_1 | FEW,
    "second street": STREET_2 | SOME,
    "second street, next to nothing": STREET_2 | FEW,
    "by a tree": STREET_2 | SOME | {"policy": "puct"},
    "exact": STREET_4 | FEW,
    "last street": STREET_5,
    "fantasyland": FANTASYLAND,
    "search against a player": STREET_2 | OPPONENT_2 | SOME,
    "search against two players, one of whom has finished": STREET_2 | ONE_FINISHED | SOME,
    "last street against a player who has finished": STREET_5 | FINISHED,
    "last street against a player with one deal to come": STREET_5 | ONE_DEAL,
    "last street against hidden cards": STREET_5 | HIDDEN | FEW,
    "three players": STREET_5 | {"opponents": (*ONE_DEAL["opponents"], "2h 2s / 8c 8d Tc Ts / Js Jc Jh 4c 4s")},
    "fouls of both sides in every playout": CERTAIN_FOULS | SOME,
    "fantasyland against hidden cards": FANTASYLAND | {"opponents": ("fantasyland:14",)} | FEW,
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_answer(name):
    answer = solve(SolveRequest(**QUESTIONS[name], book=False))
    assert answer.best == answer.actions[0]
    assert answer.value == answer.best.ev
    evs = [action.ev for action in answer.actions]
    known = [ev for ev in evs if ev is not None]
    assert evs == sorted(known, reverse=True) + [None] * (len(evs) - len(known))
    for action in answer.actions:
        assert all(abs(figure) < 1000.0 for figure in action.model_dump().values() if isinstance(figure, float))
        if action.ev is None:
            assert (action.ev_loss, action.stderr, action.ev_loss_stderr, action.exact) == (None, None, None, False)
            assert math.isfinite(action.guess)
            continue
        check_valued(answer, action)


def check_valued(answer, action):
    assert action.guess is None
    assert action.ev_loss == pytest.approx(answer.value - action.ev)
    if action.exact:
        assert action.stderr == 0.0
    else:
        assert action.stderr is None or action.stderr > 0.0
    if action == answer.best or (answer.best.exact and action.exact):
        assert action.ev_loss_stderr == 0.0
    else:
        assert action.ev_loss_stderr is None or action.ev_loss_stderr > 0.0
    if action.parts is None:
        return
    parts = [value for value in action.parts.model_dump().values() if value is not None]
    assert sum(parts) == pytest.approx(action.ev, abs=1e-9)
    assert len(parts) == (7 if answer.objective == "versus" else 3)
    errors = [value for value in action.parts_stderr.model_dump().values() if value is not None]
    assert len(errors) == len(parts)
    assert all(error == 0.0 if action.exact else error > 0.0 for error in errors)


def test_parts_are_known_wherever_boards_fill():
    for name, question in QUESTIONS.items():
        if name == "exact" or name.startswith(("last street", "fantasyland", "three")):
            answer = solve(SolveRequest(**question))
            assert all(action.parts is not None for action in answer.actions)


def test_my_next_fantasyland_is_paid_by_every_opponent():
    """As in a match, every player gets the worth of fantasyland from all others."""
    boards = ("2d 3d 5s / 6h 6d Th Td 8s / Ks Kd Kh 3c 3h", "2h 2s 5h / 8c 8d Tc Ts 7c / Js Jc Jh 4c 4s")
    for count in (1, 2):
        answer = solve(SolveRequest(**STREET_5, opponents=boards[:count], fantasyland_worth={14: 10.0}))
        assert answer.best.p_fantasyland == 1.0
        assert answer.best.parts.fantasyland == 10.0 * count


@pytest.mark.skipif(not JIT, reason="the search takes too long")
def test_no_early_stop_uses_the_whole_budget():
    budget = {"simulations": 60_000, "threads": 1}
    early = solve(SolveRequest(**STREET_2, **budget))
    whole = solve(SolveRequest(**STREET_2, **budget, early_stop=False))
    assert early.stop_reason == "settled"
    assert whole.stop_reason == "simulations"
    assert early.simulations < 0.9 * whole.simulations
    assert whole.simulations >= 0.9 * 60_000


@pytest.mark.skipif(not JIT, reason="the search takes too long")
def test_paired_errors_are_smaller():
    """All placements share their random numbers, so a difference has a smaller error than the two values."""
    answer = solve(SolveRequest(**STREET_2, **SOME, early_stop=False))
    second = answer.actions[1]
    assert 0.0 < second.ev_loss_stderr < math.hypot(answer.best.stderr, second.stderr)


def test_without_a_fitted_model_the_distance_of_shrinking_counts_as_an_error():
    best = ActionStatistics(1, 100, 5.0, 0.3, 0.5, 5.0, 0.0)
    moved = ActionStatistics(2, 100, 4.0, 0.3, 0.5, 3.6, 0.4)
    assert searched_errors(moved, best, ErrorModel()) == pytest.approx((0.5, math.hypot(0.4, 0.4)))
    fitted = ErrorModel(beside=0.4, dropped=0.0)
    assert searched_errors(moved, best, fitted) == pytest.approx((0.5, 0.4))


def test_equal_simulations_have_an_error():
    """Every simulation fouls; the next one may differ."""
    best = ActionStatistics(1, 100, -6.0, 0.0, 0.5, -6.0, 0.0)
    other = ActionStatistics(2, 100, -6.0, 0.0, 0.5, -6.0, 0.0)
    for model in (ErrorModel(), ErrorModel(beside=0.0, dropped=0.0)):
        assert searched_errors(best, best, model) == pytest.approx((0.01, 0.0), abs=1e-3)
        assert searched_errors(other, best, model) == pytest.approx((0.01, 0.01), abs=1e-3)
