"""The report on training: accuracy, streaks and leaks of a list of answers."""

from datetime import UTC, datetime, timedelta

import pytest

from bromeliad.analysis.training import Step, report_on

NOW = datetime(2026, 3, 10, 1, 30, tzinfo=UTC)


def step(loss, *themes, street=1, mistake=False, days=0):
    return Step(at=NOW - timedelta(days=days), street=street, loss=loss, themes=themes, mistake=mistake)


def test_without_answers():
    found = report_on([], [], NOW)
    assert (found.answers, found.due, found.lessons, found.next_due) == (0, 0, 0, None)
    assert (found.streak, found.best_streak, found.days, found.accuracy.mean) == (0, 0, 0, None)
    assert found.leaks == ()


def test_every_point_lost_halves_the_accuracy():
    found = report_on([step(0.0), step(1.0), step(2.0)], [], NOW)
    assert found.accuracy.mean == pytest.approx((100 + 50 + 25) / 3)
    assert found.accuracy.stderr == pytest.approx(22.0479, abs=1e-3)


def test_streaks_count_answers_without_a_mistake():
    steps = [step(0), step(0), step(0.02), step(2, mistake=True), step(0)]
    found = report_on(steps, [], NOW)
    assert (found.streak, found.best_streak) == (1, 3)
    found = report_on([*steps, step(3, mistake=True)], [], NOW)
    assert (found.streak, found.best_streak) == (0, 3)


def test_days_follow_the_players_clock():
    steps = [step(0, days=3), step(0, days=2), step(0, days=1)]
    assert report_on(steps, [], NOW).days == 3  # today is not over
    assert report_on(steps, [], NOW + timedelta(days=1)).days == 0
    late = [Step(at=datetime(2026, 3, 9, 17, tzinfo=UTC), street=1, loss=0, themes=(), mistake=False)]
    assert report_on(late, [], datetime(2026, 3, 11, 15, tzinfo=UTC), offset=0).days == 0
    assert report_on(late, [], datetime(2026, 3, 11, 15, tzinfo=UTC), offset=480).days == 1  # there it was the 10th


def test_leaks_are_means_with_intervals_the_worst_first():
    steps = [step(0.0, "foul"), step(1.0, "foul", "flush", mistake=True), step(4.0, "flush", street=2, mistake=True)]
    leaks = report_on(steps, [], NOW).leaks
    named = [(leak.theme, leak.street) for leak in leaks]
    assert named == [(None, 2), ("flush", None), (None, 1), ("foul", None)]
    flush = leaks[1]
    assert (flush.loss.count, flush.loss.mean, flush.loss.stderr) == (2, 2.5, 1.5)
    assert (flush.mistakes.count, flush.mistakes.of) == (2, 2)
    assert 0 < flush.mistakes.low < 1
    assert leaks[0].loss.stderr is None


def test_due_lessons():
    dates = [NOW - timedelta(days=1), NOW, NOW + timedelta(days=2)]
    found = report_on([], dates, NOW)
    assert (found.due, found.lessons, found.next_due) == (2, 3, dates[0])
