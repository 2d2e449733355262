"""The search at a table: errors that count what the playouts share."""

import time

import numpy as np
import pytest

from bromeliad.core.budget import Cancel
from bromeliad.solving.plan import plan
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.table import TableSearch, _SharedBoards

AGAINST_FANTASYLAND = {"cards": "Kc 9d 3s", "board": "Qd / 9c 9s 4h / As Ac Ad 7h 7d", "opponents": ("fantasyland:14",)}

CERTAIN_FOULS = {
    "cards": "2h 7h 9d",
    "board": "- / Js Jd Kd As / 3c 8d 8s 9s Tc",
    "dead": "2c 5c",
    "opponents": ("Ah / 6d 7c 8c Th Kh / 3s 6s 6h Ks Kc",),
    "seat": 2,
}


def test_playouts_that_share_boards_count_as_boards():
    rng = np.random.default_rng(1)
    boards, rounds = 400, 25
    effect = rng.normal(0.0, 3.0, (boards, 2))
    values = np.tile(effect, (rounds, 1)) + rng.normal(0.0, 5.0, (boards * rounds, 2))
    shared = _SharedBoards(boards, 3)
    half = len(values) // 2
    shared.absorb(0, np.array([0, 2]), values[:half])
    shared.absorb(half, np.array([0, 2]), values[half:])
    plain = np.full(3, 0.01)
    error, loss_error = shared.widened(plain, np.array([0.0, 0.01, 0.01]), 0)
    expected = np.sqrt(9.0 / boards + 25.0 / len(values))
    assert error[[0, 2]] == pytest.approx(expected, rel=0.15)
    assert error[1] == 0.01  # never played
    assert loss_error[2] == pytest.approx(np.sqrt(2.0) * expected, rel=0.15)
    assert loss_error[0] == 0.0


def test_boards_that_were_not_all_met_change_nothing():
    shared = _SharedBoards(100, 1)
    shared.absorb(0, np.array([0]), np.arange(50.0)[:, None])
    assert shared.widened(np.array([0.3]), np.array([0.0]), 0)[0].tolist() == [0.3]


def test_more_simulations_meet_more_boards():
    few, many = (searching(simulations=count) for count in (300, 6000))
    assert len(few._boards._sums) < len(many._boards._sums)


def test_sampling_boards_counts_as_thinking():
    search = searching(time=0.2, early_stop=False)
    time.sleep(0.3)
    assert search.run(None, Cancel()) == "time"
    assert search.simulations == search.halving.alive.size  # the clock had run out after the first sweep


def test_equal_playouts_have_an_error():
    search = searching(CERTAIN_FOULS, simulations=600)
    search.run(None, Cancel())
    halving = search.halving
    assert not halving.error[halving.count > 1].any()  # both sides foul in every playout
    best, *others = (action for action in search.entries() if action.ev is not None)
    assert best.stderr > abs(best.ev)
    assert best.ev_loss_stderr == 0.0
    assert all(action.ev_loss_stderr > action.ev_loss for action in others)


def searching(question=AGAINST_FANTASYLAND, **budget):
    return TableSearch(plan(SolveRequest(**question, threads=1, book=False, **budget)))
