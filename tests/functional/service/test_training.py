"""Training over HTTP: themes, repeated lessons, drills, and the report."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from bromeliad.core.domain import now
from bromeliad.solving.request import read_request
from bromeliad.solving.solve import solve
from bromeliad.storage import open_store
from bromeliad.storage.schema import lessons
from serving import API, Client, serving


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("training") / "store.sqlite"


@pytest.fixture(scope="module")
def address(place):
    with serving(place) as address:
        yield address


def make_due(place):
    """Make every lesson due, as if days had passed."""
    with open_store(place) as store, store.writing() as connection:
        connection.execute(update(lessons).values(due=now() - timedelta(days=1)))


@pytest.fixture
def own(address):
    with Client(address) as client:
        yield client


def post(client, path, body, status=201):
    answer = client.post(f"{API}{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def rows(action):
    return {row: action[row] for row in ("top", "middle", "back", "discards")}


def worst_of(quiz):
    actions = solve(read_request(quiz["request"])).actions
    valued = [action for action in actions if action.ev_loss is not None]
    return max(valued, key=lambda action: action.ev_loss).model_dump(mode="json")


def test_a_mistake_becomes_a_lesson_of_its_client_alone(own, address):
    quiz = post(own, "/quiz", {"street": 5, "seed": 4, "difficulty": "easy"})
    before = own.get(f"{API}/course").json()
    assert (before["answers"], before["lessons"]) == (0, 0)
    graded = post(own, f"/quiz/{quiz['id']}/answer", rows(worst_of(quiz)), 200)
    assert graded["mistake"] is not None
    assert "endgames" in graded["themes"]
    assert graded["due"] is not None
    after = own.get(f"{API}/course").json()
    assert (after["answers"], after["lessons"], after["streak"], after["days"]) == (1, 1, 0, 1)
    assert after["accuracy"]["mean"] == pytest.approx(100 * 0.5 ** graded["ev_loss"])
    leaks = {(leak["theme"], leak["street"]): leak for leak in after["leaks"]}
    assert leaks["endgames", None]["loss"]["mean"] == graded["ev_loss"]
    assert leaks[None, 5]["mistakes"]["count"] == 1
    with Client(address) as other:
        assert other.get(f"{API}/course").json()["answers"] == 0
        assert graded["mistake"] not in [item["id"] for item in other.get(f"{API}/mistakes").json()]
        assert other.post(f"{API}/mistakes/{graded['mistake']}/retry").status_code == 404


def test_a_lesson_that_is_due_comes_before_a_new_one(own, place):
    quiz = post(own, "/quiz", {"street": 5, "seed": 4, "difficulty": "easy"})
    graded = post(own, f"/quiz/{quiz['id']}/answer", rows(worst_of(quiz)), 200)
    make_due(place)
    assert own.get(f"{API}/course").json()["due"] == 1
    again = post(own, "/course/next", {"themes": ["openings"]})
    assert again["request"] == quiz["request"]
    assert again["retried"] == graded["mistake"]
    right = post(own, f"/quiz/{again['id']}/answer", rows(graded["best"]), 200)
    assert right["ev_loss"] == 0.0
    assert right["due"] > graded["due"]
    assert own.get(f"{API}/course").json()["lessons"] == 1


def test_without_a_due_lesson_the_course_asks_a_new_position_of_a_theme(own):
    quiz = post(own, "/course/next", {"themes": ["openings"]})
    assert quiz["street"] == 1
    best = solve(read_request(quiz["request"])).best.model_dump(mode="json")
    graded = post(own, f"/quiz/{quiz['id']}/answer", rows(best), 200)
    assert graded["due"] is not None
    course = own.get(f"{API}/course").json()
    assert (course["lessons"], course["due"]) == (1, 0)


@pytest.mark.parametrize("theme", ["flush", "endgames"])
def test_a_quiz_of_a_theme_is_about_it(own, theme):
    quiz = post(own, "/quiz", {"theme": theme, "seed": 3})
    best = solve(read_request(quiz["request"])).best.model_dump(mode="json")
    assert theme in post(own, f"/quiz/{quiz['id']}/answer", rows(best), 200)["themes"]


def test_a_drill_asks_a_whole_hand_and_logs_above_its_threshold(own):
    quiz = post(own, "/drills", {"seed": 5, "threshold": 20})
    streets, graded = [], None
    while quiz is not None:
        streets.append(quiz["street"])
        graded = post(own, f"/quiz/{quiz['id']}/answer", rows(worst_of(quiz)), 200)
        assert graded["mistake"] is None
        following = graded["following"]
        if following:
            for row in ("top", "middle", "back"):
                assert all(card in following["request"]["board"] for card in graded["best"][row])
        quiz = following
    assert streets == sorted(set(streets))
    assert graded["after"]["points"] is not None
    assert len(graded["after"]["boards"]) == 2
    assert len(streets) <= 5
    assert own.get(f"{API}/mistakes").json() == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/quiz", {"theme": "luck"}),
        ("/drills", {"threshold": 0}),
        ("/drills", {"rules": "none"}),
        ("/course/next", {"themes": ["luck"]}),
        ("/course/next", {"rules": "none"}),
    ],
)
def test_wrong_questions_are_refused_in_one_line(own, path, body):
    detail = post(own, path, body, 422)["detail"]
    assert detail
    assert "\n" not in detail
