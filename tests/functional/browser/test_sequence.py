"""Sequence: a position of one's own as the command answers it, and a game against the agent by keyboard."""

import json
import re

from browsing import TABS, button, eventually, wait_for_answer

ROWS = ["#________#", "__________", "__________", "_rrrr_____", "__bb______", *["__________"] * 4, "#________#"]
HAND, DRAFT = "7s 8s 9s 2h 3h 3c", "2c 4c 5c 6c 8c"
SHARED = f"sequence?rules=course&board={''.join(ROWS).replace('#', '%23')}&hand={HAND}&draft={DRAFT}&done=10"


def cards(page, label):
    return page.get_by_role("group", name=label, exact=True).get_by_role("button")


def test_an_own_position_is_answered_as_by_the_command(desk, run):
    page = desk.open(SHARED)
    assert page.locator(".sequence-board .chip").count() == 6
    button(page, "Analyse").click()
    wait_for_answer(page, ".summary b")
    position = {"board": ROWS, "seat": 0, "hand": HAND, "draft": DRAFT, "sequences": [1, 0]}
    answer = run("sequence", "solve", "--position", json.dumps(position), "--simulations", "200", "--json").json
    assert page.locator(".summary b").get_attribute("data-move") == answer["best"] == "3c@35"
    assert page.locator(".summary b").inner_text().startswith("3♣: chip on row 4, column 6")
    table = page.get_by_role("region", name="Candidate moves").inner_text()
    assert "@" not in table
    assert "row 4, column 6" in table
    assert float(page.locator(".summary data").get_attribute("value")) == answer["value"]
    assert page.locator(".square.best").get_attribute("aria-label").startswith("35, 3 of clubs")
    page.locator(".square[aria-label^='55']").click()  # a red chip, and the answer is gone
    page.wait_for_function("() => document.querySelectorAll('.sequence-board .chip').length === 7")
    page.locator(".summary").wait_for(state="detached")
    page.get_by_label("Your cards").fill("Zz")
    button(page, "Analyse").click()
    eventually(page.locator(".notice")).to_contain_text("not a card")


def test_a_game_by_keyboard(desk):
    assert "sequence" in TABS
    page = desk.open("sequence")
    page.get_by_label("Opponent").select_option("greedy")
    button(page, "New game").click()
    page.wait_for_selector("text=Your turn: red")
    cards(page, "Your cards").first.focus()
    page.keyboard.press("Enter")
    eventually(cards(page, "Your cards").first).to_have_attribute("aria-pressed", "true")
    page.locator(".square.open").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("h2:has-text('Take a face-up card')")
    assert page.locator(".sequence-board .chip").count() == 1
    cards(page, "Take a face-up card").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('.sequence-board .chip').length === 2")
    assert page.locator(".square.last").count() == 1
    log = page.get_by_role("log").inner_text()
    page.reload()
    page.wait_for_selector(".sequence-board .chip")
    assert page.get_by_role("log").inner_text() == log
    button(page, "Undo").click()
    page.wait_for_function("() => document.querySelectorAll('.sequence-board .chip').length === 1")
    square = page.locator(".square[tabindex='0']")
    square.focus()
    page.keyboard.press("ArrowDown")
    eventually(page.locator(".square:focus")).to_have_attribute("aria-label", re.compile("^54"))


def test_the_agents_view_of_a_game_on_a_phone(phone):
    page = phone.open("sequence")
    page.get_by_label("Rules").select_option("official")
    page.get_by_label("Thinking time").select_option("0.1")
    button(page, "New game").tap()
    page.wait_for_selector("text=Your turn: red")
    assert cards(page, "Your cards").count() == 7
    button(page, "Analyse").tap()
    wait_for_answer(page, ".summary b")
    assert page.locator(".square .value").count() > 1
    best = page.locator(".square.best").get_attribute("aria-label")
    page.locator(".square.best").tap()
    page.wait_for_selector("text=Your turn: red")
    assert page.locator(f".square[aria-label^='{best[:2]}'] .chip").count() == 1
