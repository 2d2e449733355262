"""The time manager's numbers, the early-stop rules, the alarm."""

import pytest

from bromeliad.core.budget import OUT_OF_TIME, RUNNING, Cancel
from bromeliad.search.clock import TimeManager, alarm, is_dominant, is_settled
from bromeliad.search.result import ActionStatistics


def item(visits, mean, error):
    return ActionStatistics(action=0, visits=visits, mean=mean, error=error, prior=0.5, score=0.0)


@pytest.mark.parametrize(("phase", "seconds"), [(0, 0.4), (1, 0.6), (2, 0.8)])
def test_phases_share_the_time(phase, seconds):
    plan = TimeManager(1.0).plan(phase, critical=False)
    assert plan == (pytest.approx(seconds), 200, 4, 12, 0.15)


def test_a_critical_position_gets_more_of_everything():
    assert TimeManager(1.0).plan(0, critical=True) == (pytest.approx(0.9), 400, 6, 20, 0.05)


def test_little_time_is_nearly_all_used_in_a_hurry():
    plan = TimeManager(0.04).plan(0, critical=True)
    assert (plan.seconds, plan.simulations, plan.playout_depth) == (pytest.approx(0.038), 50, 3)


@pytest.mark.parametrize(
    ("visits", "remaining", "dominant"),
    [([80, 20], 10, True), ([80, 20], 60, False), ([70, 30], 0, False), ([71, 29], 41, True), ([5], 4, True)],
)
def test_dominance_needs_the_share_and_an_unreachable_lead(visits, remaining, dominant):
    assert is_dominant(visits, remaining, 0.7) is dominant


def test_a_lead_is_settled_when_nothing_could_gain_much():
    assert is_settled([item(500, 1.0, 0.01), item(200, 0.9, 0.01)], 2.576, 0.0)
    assert not is_settled([item(500, 1.0, 0.03), item(200, 0.9, 0.03)], 2.576, 0.0)
    assert is_settled([item(500, 1.0, 0.001), item(500, 1.0, 0.001)], 2.576, 0.02)
    assert not is_settled([item(99, 1.0, 0.0), item(50, 0.0, 0.0)], 2.576, 0.0)
    assert not is_settled([item(500, 1.0, 0.0), item(9, 0.0, 0.0)], 2.576, 0.0)


def test_an_alarm_rings_and_is_put_back():
    cancel = Cancel()
    with alarm(cancel, 0.0):
        while cancel.flag[0] == RUNNING:
            pass
        assert cancel.flag[0] == OUT_OF_TIME
        assert not cancel.cancelled
    assert cancel.flag[0] == RUNNING


def test_cancelling_is_not_undone_by_an_alarm():
    cancel = Cancel()
    with alarm(cancel, 3600.0):
        cancel.cancel()
    with alarm(cancel, None):
        assert cancel.cancelled
