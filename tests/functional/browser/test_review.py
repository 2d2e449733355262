"""Review and statistics: what the page says of hands is what the commands say."""

import pytest

from browsing import button, wait_for_answer


@pytest.fixture
def histories(tmp_path, run):
    """Return a file of one hand that was played at random by one side, so that something is lost in it."""
    path = tmp_path / "hands.jsonl"
    run("match", "random", "heuristic", "--hands", "2", "--seed", "5", "--histories", str(path))
    path.write_text(path.read_text().splitlines()[0] + "\n")
    return path


def test_a_pasted_review_is_the_commands(desk, histories, run):
    page = desk.open("review")
    page.get_by_label("Paste hand histories").fill(histories.read_text())
    page.get_by_label("Simulations").fill("20")
    button(page, "Review").click()
    wait_for_answer(page, ".mistakes")
    found = run("review", str(histories), "--simulations", "20", "--threads", "1", "--json").json
    losses = page.locator(".mistakes data.loss").evaluate_all("items => items.map(item => Number(item.value))")
    assert losses == [item["ev_loss"] for item in found["mistakes"]]
    assert losses == sorted(losses, reverse=True)
    sums = page.locator("data.sum").evaluate_all("items => items.map(item => Number(item.value))")
    assert sums == [item["ev_loss"] for item in found["sums"] if item["of_all"]]

    worst = found["mistakes"][0]
    assert float(page.locator("data.ev-loss").get_attribute("value")) == worst["ev_loss"]
    assert page.get_by_text(f"Hand {worst['hand']}, decision {worst['decision'] + 1} of 10").is_visible()
    button(page, "Next decision").click()
    button(page, "Previous decision").click()
    button(page, "Open in Analyse").click()
    page.wait_for_selector("text=Position")
    assert worst["cards"].replace(" ", "") in page.url


def test_statistics_are_the_reports(desk, run, store):
    page = desk.open("play")
    page.get_by_label("Strength").select_option("heuristic")
    page.get_by_label("Hands").fill("1")
    page.get_by_label("Seed").fill("3")
    page.get_by_label("Grade each").set_checked(False)
    button(page, "Start").click()
    for street in range(5):
        page.wait_for_selector(f"text=Hand 1, street {street + 1}")
        finish_street(page)
    page.wait_for_selector("text=The match is over.")
    page.locator("nav a[href='#statistics']").click()
    page.wait_for_selector(".charts canvas")
    report = run("report", "--store", store, "--json").json
    names = page.locator(".tab:not([hidden]) .table-box tbody th").all_inner_texts()
    assert names == [player["player"] for player in report["players"]]
    means = page.locator(".tab:not([hidden]) .table-box tbody tr td:nth-child(3) data").evaluate_all(
        "cells => cells.map(cell => Number(cell.value))"
    )
    assert means == [player["points"]["mean"] for player in report["players"]]
    assert page.locator(".charts canvas").count() >= 4

    page.locator("nav a[href='#review']").click()
    page.locator(".stored button").first.click()
    page.wait_for_selector("text=Hand 1, decision 1 of 10")


def finish_street(page):
    """Place cards wherever there is room, and confirm."""
    while button(page, "Confirm").is_disabled():
        for key in "bmt":
            page.keyboard.press(key)
    button(page, "Confirm").click()
