"""A report on training: accuracy, streaks, and the leaks by theme and street."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby

from bromeliad.analysis.intervals import Frozen, Mean, Share, mean_of, share_of

_HALF = 1.0  # points lost for an accuracy of 50 %


class Step(Frozen):
    """One answer."""

    at: datetime
    street: int | None
    loss: float
    themes: tuple[str, ...]
    mistake: bool


class Leak(Frozen):
    """The losses of the answers of one category: a theme, or a street (null in fantasyland)."""

    theme: str | None
    street: int | None
    loss: Mean
    mistakes: Share


class Course(Frozen):
    """The state of a course.

    Attributes
    ----------
    due, lessons, next_due
        The number of lessons that are due, the number of all lessons, and the time when the next one is due.
    accuracy
        Percent, the mean over all answers: 100 for the best placement, and half for every point lost.
    streak, best_streak
        The current and the longest run of answers without a mistake.
    days
        Days in a row with an answer, up to today or yesterday.
    leaks
        By theme and by street, the largest mean loss first.
    """

    answers: int
    due: int
    lessons: int
    next_due: datetime | None
    accuracy: Mean
    streak: int
    best_streak: int
    days: int
    leaks: tuple[Leak, ...]


def report_on(steps: Sequence[Step], dates: Sequence[datetime], at: datetime, offset: int = 0) -> Course:
    """Return the report on a client's answers, oldest first, and on the due dates of its lessons.

    Parameters
    ----------
    at
        The present time.
    offset
        Minutes by which the client's clock is ahead of UTC; it decides when a day begins.
    """
    local = timedelta(minutes=offset)
    runs = [sum(1 for _ in group) if right else 0 for right, group in groupby(not step.mistake for step in steps)]
    return Course(
        answers=len(steps),
        due=sum(due <= at for due in dates),
        lessons=len(dates),
        next_due=min(dates, default=None),
        accuracy=_mean(100.0 * 0.5 ** (step.loss / _HALF) for step in steps),
        streak=runs[-1] if runs else 0,
        best_streak=max(runs, default=0),
        days=_days({(step.at + local).date() for step in steps}, (at + local).date()),
        leaks=tuple(_leaks(steps)),
    )


def _mean(values: Iterable[float]) -> Mean:
    known = list(values)
    return mean_of(len(known), sum(known), sum(value * value for value in known))


def _days(played: set[date], today: date) -> int:
    """Return the days in a row with an answer; a streak lasts until a whole day has passed without one."""
    day = today if today in played else today - timedelta(days=1)
    count = 0
    while day in played:
        count += 1
        day -= timedelta(days=1)
    return count


def _leaks(steps: Sequence[Step]) -> list[Leak]:
    groups: dict[tuple[str | None, int | None], list[Step]] = defaultdict(list)
    for step in steps:
        groups[None, step.street].append(step)
        for theme in step.themes:
            groups[theme, None].append(step)
    leaks = [
        Leak(
            theme=theme,
            street=street,
            loss=_mean(step.loss for step in found),
            mistakes=share_of(sum(step.mistake for step in found), len(found)),
        )
        for (theme, street), found in groups.items()
    ]
    return sorted(leaks, key=lambda leak: -(leak.loss.mean or 0.0))
