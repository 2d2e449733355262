"""Themes of decisions, drills, and the dates of repetitions."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from fsrs import Rating

from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing.grading import rating_of, reviewed
from bromeliad.playing.quiz import drill_step, is_forced, quiz_view, view_of
from bromeliad.playing.themes import may_have, streets_of, themes_of
from bromeliad.solving.request import read_request
from bromeliad.solving.solve import solve

NOW = datetime(2026, 3, 10, tzinfo=UTC)


def view(cards, board="", *opponents):
    return view_of(read_request({"cards": cards, "board": board, "opponents": list(opponents)}))


@pytest.mark.parametrize(
    ("cards", "board", "flush"),
    [
        ("As Ks 7s 7d 2c", "", True),  # three spades, and a pair of sevens
        ("As Ks 7s 8d 2c", "", False),  # no pair
        ("As Kd 7s 7d 2c", "", False),  # no three of a suit
        ("9h 4c 2d", "Qd / 9c 3s / As 4h", False),  # both rows have two suits
        ("9c 9h 2c", "Qd / 4s 4h / Ac Tc", True),
        ("9h 9d 2s", "Qd / 4s 4h / Ac Tc", False),  # no club in hand
    ],
)
def test_flush_against_pairs(cards, board, flush):
    assert may_have("flush", view(cards, board)) is flush


def test_a_made_board_has_a_straight_or_better():
    made = "Qd Jh / 4c 4d / 9c 8c 7c 6c 5c"
    weak = "Qd Jh / 4c 4d / 9c 9d 7c 7h 5c"
    assert may_have("made", view("As Ks 7s 7d 2c", "", made))
    assert not may_have("made", view("As Ks 7s 7d 2c", "", weak))
    assert not may_have("made", view("As Ks 7s 7d 2c"))


def test_openings_and_endgames_are_streets():
    assert list(streets_of("openings", 5)) == [1]
    assert list(streets_of("endgames", 5)) == [4, 5]
    assert may_have("openings", view("As Ks 7s 7d 2c"))
    assert not may_have("endgames", view("As Ks 7s 7d 2c"))


def test_what_a_decision_is_about_is_measured():
    """A queen on top may make fantasyland possible; a board that cannot reach it does not have the theme."""
    request = read_request({"cards": "Qc 9d 3s", "board": "Qd 2c / 9c 8s 4h / As Ac 7d 7h", "objective": "solo"})
    found = themes_of(view_of(request), solve(request))
    assert "fantasyland" in found
    assert "endgames" in found
    closed = read_request({"cards": "Qc 9d 3s", "board": "5d 2c 3c / 9c 9s 4h / As Ac Ad", "objective": "solo"})
    assert "fantasyland" not in themes_of(view_of(closed), solve(closed))


def grade(loss, mistake):
    return SimpleNamespace(loss=loss, is_mistake=mistake)


def test_mistakes_come_back_soon_and_known_decisions_later():
    assert [rating_of(grade(*one)) for one in ((2.0, True), (0.3, False), (0.0, False))] == [
        Rating.Again,
        Rating.Hard,
        Rating.Good,
    ]
    card, at = None, NOW
    waits = []
    for rating in (Rating.Again, Rating.Good, Rating.Good, Rating.Good):
        card, due = reviewed(card, rating, at)
        waits.append(due - at)
        at = due
    assert waits[0] < timedelta(hours=1)
    assert waits == sorted(waits)
    assert waits[-1] >= timedelta(days=2)
    forgotten, due = reviewed(card, Rating.Again, at)
    assert due - at < timedelta(hours=1)
    assert forgotten["stability"] < card["stability"]


def answer(*losses):
    return SimpleNamespace(actions=[SimpleNamespace(ev_loss=loss) for loss in losses])


def test_forced_choices_leave_nothing_to_decide():
    assert is_forced(answer(0.0))
    assert is_forced(answer(0.0, 0.0))
    assert is_forced(answer(0.0, 7.0))
    assert not is_forced(answer(0.0, 0.4, 7.0))


def test_a_drill_goes_on_with_the_best_and_skips_forced_choices():
    rules = preset("pineapple")
    seen = []

    def solved(at):
        seen.append(at.street)
        best = at.legal_actions()[-1]
        rows = {name: tuple(map(str, getattr(best, name))) for name in ("top", "middle", "back", "discards")}
        item = SimpleNamespace(ev_loss=0.0, **rows)
        other = SimpleNamespace(ev_loss=9.0 if at.street == 1 else 0.5)
        return SimpleNamespace(best=item, actions=[item, other])

    moves = ()
    asked = []
    while (step := drill_step(rules, 7, moves, solved)).view is not None:
        asked.append(step.view.street)
        best = solved(step.view).best
        moves = (*step.moves, (best.top, best.middle, best.back, best.discards))
    assert asked == [0, 2, 3, 4]  # the second street was forced
    assert len(step.moves) == 5
    assert step.played.points[0] == -step.played.points[1]


@pytest.mark.parametrize("theme", ["flush", "made"])
def test_self_play_has_positions_of_every_theme(theme):
    rules = preset("pineapple")
    views = (quiz_view(rules, streets_of(theme, 5)[-2], (1, number)) for number in range(300))
    assert any(may_have(theme, one) for one in views)
