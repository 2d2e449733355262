"""Gomoku: a proved win as the command proves it, live values, and a game against the engine."""

from browsing import button, wait_for_answer

WON = "H8A1I8A3J8A5"


def cell(page, name):
    return page.get_by_role("group", name="Gomoku board").locator(f"button[aria-label^='{name}']").first


def test_a_proved_win_is_the_commands(desk, run):
    page = desk.open(f"gomoku?stones={WON}&rule=freestyle&size=15")
    page.get_by_label("You play").select_option("both")
    page.wait_for_selector(".stone")
    assert page.locator(".stone").count() == 6
    button(page, "Analyse").click()
    wait_for_answer(page, ".summary b")
    answer = run("gomoku", "solve", "--position", WON, "--json").json
    assert page.locator(".summary b").inner_text() == answer["best"]
    assert float(page.locator(".summary data").get_attribute("value")) == answer["value"] == 1.0
    assert page.get_by_text("proved").is_visible()
    assert " ".join(answer["line"]) in page.locator(".summary").last.inner_text()


def test_the_engine_answers_and_undo_takes_both_back(desk):
    page = desk.open("gomoku")
    page.get_by_label("Thinking time").select_option("0.5")
    page.wait_for_selector("text=To move: black")
    page.wait_for_function(
        "() => document.querySelector('.cell[aria-label=H8]')?.getAttribute('aria-disabled') === 'false'"
    )
    cell(page, "H8").click()
    page.wait_for_function("() => document.querySelectorAll('.stone').length === 2")
    button(page, "Undo").click()
    page.wait_for_function("() => document.querySelectorAll('.stone').length === 0")
