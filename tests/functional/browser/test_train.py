"""Train: quizzes graded as the solver grades them, explained, logged, tried again."""

import json

import pytest

from browsing import button, place

ROWS = ("top", "middle", "back")
FREE = {"top": 3, "middle": 5, "back": 5}


def ask(page):
    with page.expect_response("**/api/v1/quiz") as asked:
        button(page, "Ask me").or_(button(page, "Next")).click()
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
    known = {key: value for key, value in request.items() if key != "opponents"}
    options = [part for key, value in known.items() for part in (f"--{key.replace('_', '-')}", str(value))]
    options += [part for board in request.get("opponents", ()) for part in ("--opponent", board)]
    return run("solve", *options, "--json").json


def rows_of(action):
    return tuple(tuple(action[row]) for row in ROWS)


def test_the_worst_answer_is_a_mistake_that_can_be_tried_again(desk, run):
    page = desk.open("train")
    page.get_by_label("Street").select_option("5")
    quiz = ask(page)
    command = solved(run, quiz["request"])
    valued = [action for action in command["actions"] if action["ev_loss"] is not None]
    worst = max(valued, key=lambda action: action["ev_loss"])
    graded = answer(page, rows_of(worst))

    assert float(page.locator("data.ev-loss").get_attribute("value")) == worst["ev_loss"] == graded["ev_loss"]
    parts = page.locator(".explain .part data").evaluate_all("parts => parts.map(part => Number(part.value))")
    assert sum(parts) == pytest.approx(worst["ev_loss"])
    page.get_by_label("Lost at least").select_option("0.05")
    page.wait_for_selector(".log li")
    assert page.get_by_role("img", name="EV lost by answer").locator("canvas").count() == 1

    page.locator(".log").get_by_role("button", name="Try again").first.click()
    page.wait_for_selector(".placer")
    answer(page, rows_of(command["best"]))
    assert page.get_by_text("The best placement.").is_visible()
    page.wait_for_selector("text=solved since")


def test_a_quiz_opens_in_analyse(desk):
    page = desk.open("train")
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
