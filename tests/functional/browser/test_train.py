"""Train: quizzes graded as the solver grades them, explained, logged, tried again."""

import json
import re
from datetime import timedelta

import pytest
from sqlalchemy import update

from bromeliad.core.domain import now
from bromeliad.storage import open_store
from bromeliad.storage.schema import lessons
from browsing import button, place, watched

ROWS = ("top", "middle", "back")
FREE = {"top": 3, "middle": 5, "back": 5}


def open_quiz(desk):
    page = desk.open("train")
    button(page, "Quiz").click()
    return page


def ask(page):
    with page.expect_response("**/api/v1/quiz") as asked:
        button(page, "Ask me").click()
    page.wait_for_selector(".placer")
    return asked.value.json()


def answer(page, rows):
    place(page, rows)
    with page.expect_response("**/answer") as graded:
        button(page, "Answer").click()
    page.wait_for_selector(".verdict")
    return graded.value.json()


def solved(run, request):
    """Return the command's answer to a quiz."""
    known = {key: value for key, value in request.items() if key not in ("opponents",)}
    options = [part for key, value in known.items() for part in (f"--{key.replace('_', '-')}", str(value))]
    options += [part for board in request.get("opponents", ()) for part in ("--opponent", board)]
    return run("solve", *options, "--json").json


def worst_of(run, request):
    valued = [action for action in solved(run, request)["actions"] if action["ev_loss"] is not None]
    return max(valued, key=lambda action: action["ev_loss"])


def figure(page, name):
    return float(page.locator(f".course .{name} data").get_attribute("value"))


def rows_of(action):
    return tuple(tuple(action[row]) for row in ROWS)


def test_the_worst_answer_is_a_mistake_that_can_be_tried_again(desk, run):
    page = open_quiz(desk)
    page.get_by_label("Street").select_option("5")
    quiz = ask(page)
    command = solved(run, quiz["request"])
    valued = [action for action in command["actions"] if action["ev_loss"] is not None]
    worst = max(valued, key=lambda action: action["ev_loss"])
    graded = answer(page, rows_of(worst))

    assert float(page.locator("data.ev-loss").get_attribute("value")) == worst["ev_loss"] == graded["ev_loss"]
    parts = page.locator(".explain .part data").evaluate_all("parts => parts.map(part => Number(part.value))")
    assert sum(parts) == pytest.approx(worst["ev_loss"])
    with page.expect_response("**/mistakes?threshold=0.05") as listed:
        page.get_by_label("Lost at least").select_option("0.05")
    page.wait_for_selector(".log li")
    own = [mistake["id"] for mistake in listed.value.json()].index(graded["mistake"])  # other tests make mistakes too
    chart = page.get_by_role("img", name="EV lost by answer")
    assert chart.count() == 0  # there is nothing to draw of one answer

    page.locator(".log").get_by_role("button", name="Try again").nth(own).click()
    page.wait_for_selector(".placer")
    answer(page, rows_of(command["best"]))
    assert page.get_by_text("The best placement.").is_visible()
    page.wait_for_selector("text=solved since")
    chart.locator("svg").wait_for()


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)])
def test_the_answer_button_is_in_sight(browser, address, size):
    with watched(browser, address, width=size[0], height=size[1]) as look:
        page = open_quiz(look)
        page.get_by_label("Street").select_option("5")
        ask(page)
        assert_in_sight(page, "Answer")
        while button(page, "Answer").is_disabled():
            for key in "tmb":
                page.keyboard.press(key)
        button(page, "Answer").click()
        page.wait_for_selector(".verdict")
        assert_in_sight(page, "Next")


def assert_in_sight(page, name):
    """Assert that a button is above the fold, and above the navigation of a phone."""
    covered = """button => {
        const box = button.getBoundingClientRect()
        const top = document.elementFromPoint(box.left + box.width / 2, box.bottom - 2)
        return !button.contains(top)
    }"""
    assert not button(page, name).evaluate(covered)


def test_a_quiz_opens_in_analyse(desk):
    page = open_quiz(desk)
    page.get_by_label("Difficulty").select_option("easy")
    quiz = ask(page)
    cards = quiz["request"]["cards"].split()
    free = {row: FREE[row] - page.locator(f".placer [data-zone={row}] .card-box").count() for row in ROWS}
    rows = {row: [] for row in ROWS}
    for card in cards[:2]:
        row = next(row for row in reversed(ROWS) if len(rows[row]) < free[row])
        rows[row].append(card)
    answer(page, tuple(rows.values()))
    button(page, "Open in Analyse").click()
    page.wait_for_selector("text=Street 4 of 5")
    assert "".join(cards) in page.url
    assert json.dumps(quiz["request"])


def test_an_unsearched_choice_is_valued_against_the_opponent_that_is_shown(desk):
    """The worst choices of a first street are never searched; they have figures and reasons like any other."""
    page = open_quiz(desk)
    page.get_by_label("Street").select_option("1")
    quiz = ask(page)
    cards = sorted(quiz["request"]["cards"].split(), key=lambda card: "23456789TJQKA".index(card[0]))
    assert page.locator(".other .board").count() == len(quiz["request"]["opponents"]) == 1
    graded = answer(page, (cards[2:], cards[:2], []))  # the high cards on top: most likely a foul
    assert graded["answer"]["objective"] == "versus"
    chosen, best = graded["chosen"], graded["best"]
    assert chosen["ev"] == pytest.approx(best["ev"] - graded["ev_loss"])
    figures = page.locator(".compare figure").first
    assert float(figures.locator(".foul data").get_attribute("value")) == chosen["p_foul"]
    assert float(figures.locator(".rows data").get_attribute("value")) == chosen["row_points"]
    parts = page.locator(".explain .part data").evaluate_all("parts => parts.map(part => Number(part.value))")
    assert sum(parts) == pytest.approx(graded["ev_loss"])
    said = page.locator(".why").inner_text()
    assert said.startswith(f"Costs {graded['ev_loss']:.2f} ± {graded['stderr']:.2f}: ")
    assert "instead of" in said


def test_the_course_brings_a_mistake_back_when_it_is_due(desk, run, store):
    """An endgame that was lost comes back before anything new, and the report says where the points went."""
    page = desk.open("train")
    button(page, "Endgames The last two streets").click()
    with page.expect_response("**/course/next") as asked:
        button(page, "Start").click()
    quiz = asked.value.json()
    assert quiz["street"] in (4, 5)
    page.wait_for_selector("text=A new position")
    with page.expect_response("**/course?offset=*") as reported:
        graded = answer(page, rows_of(worst_of(run, quiz["request"])))
    course = reported.value.json()
    page.wait_for_selector(".leaks tbody tr")
    assert re.fullmatch(r"You will see it again: in \d+ minutes?", page.locator(".due.muted").inner_text())
    assert figure(page, "accuracy") == course["accuracy"]["mean"] == pytest.approx(100 * 0.5 ** graded["ev_loss"])
    losses = page.locator(".leaks tbody data").evaluate_all("items => items.map(item => Number(item.value))")
    assert losses == [leak["loss"]["mean"] for leak in course["leaks"]]
    assert page.locator(".leaks").get_by_role("button", name="Endgames").is_visible()

    with open_store(store) as kept, kept.writing() as connection:
        connection.execute(update(lessons).values(due=now() - timedelta(days=1)))
    with page.expect_response("**/course/next") as asked:
        page.keyboard.press("Enter")
    page.wait_for_selector("text=A repeated lesson")
    assert asked.value.json()["request"] == quiz["request"]
    right = answer(page, rows_of(graded["best"]))
    assert right["ev_loss"] == 0
    assert figure(page, "due") == 0


def test_a_drill_goes_on_with_the_best_placement_to_the_end_of_the_hand(desk):
    page = desk.open("train")
    button(page, "Drill").click()
    with page.expect_response("**/drills") as asked:
        button(page, "Deal a hand").click()
    quiz, decisions = asked.value.json(), 0
    while quiz is not None:
        page.wait_for_selector(".placer")
        cards = quiz["request"]["cards"].split()
        free = {row: FREE[row] - page.locator(f".placer [data-zone={row}] .card-box").count() for row in ROWS}
        rows = {row: [] for row in ROWS}
        for card in cards[: quiz["place"]]:
            rows[next(row for row in reversed(ROWS) if len(rows[row]) < free[row])].append(card)
        graded = answer(page, tuple(rows.values()))
        decisions += 1
        quiz = graded["following"]
        if quiz is not None:
            assert all(card in quiz["request"]["board"] for row in ROWS for card in graded["best"][row])
            button(page, "Next").click()
    assert 1 <= decisions <= 5
    points = graded["after"]["points"]
    shown = f"{points:+d}".replace("-", "−") if points else "0"
    word = "point" if abs(points) == 1 else "points"
    assert f"The hand is over: {shown} {word} with" in page.locator(".drill-over").inner_text()
    assert page.locator(".others .board, .others .mini").count() >= 2
    assert button(page, "Another hand").count() == 2
