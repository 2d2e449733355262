"""Review and statistics: what the page says of hands is what the commands say."""

import re

import pytest

from bromeliad.games.ofc.play.history import parse_record
from browsing import (
    button,
    card_name,
    choose_opponent,
    eventually,
    level_names,
    place,
    wait_for_answer,
    wait_for_sight,
    watched,
)
from played_hands import plain_text
from serving import API, Client, play_hand, serving, start


@pytest.fixture
def histories(tmp_path, run):
    """Return a file of one hand that was played at random by one side, so that something is lost in it."""
    path = tmp_path / "hands.jsonl"
    run("match", "random", "heuristic", "--hands", "2", "--seed", "6", "--histories", str(path))
    path.write_text(path.read_text().splitlines()[0] + "\n")
    return path


def test_a_pasted_review_is_the_commands(desk, histories, run):
    page = desk.open("review")
    page.get_by_label("Paste hand histories").fill(histories.read_text())
    page.get_by_label("Simulations").fill("6")
    button(page, "Review").click()
    wait_for_answer(page, ".mistakes")
    found = run("review", str(histories), "--simulations", "6", "--threads", "1", "--json").json
    losses = page.locator(".mistakes data.loss").evaluate_all("items => items.map(item => Number(item.value))")
    assert losses == [item["ev_loss"] for item in (*found["mistakes"], *found["unclear"])]
    assert len(losses) > len(found["mistakes"])  # in so few simulations much is too close to call
    mistakes = page.locator(".panel > .mistakes data.loss").evaluate_all(
        "items => items.map(item => Number(item.value))"
    )
    assert mistakes == sorted((item["ev_loss"] for item in found["mistakes"]), reverse=True)
    assert all(item["ev_loss"] > max(0.05, 1.96 * item["stderr"]) for item in found["mistakes"])
    sums = page.locator("data.sum").evaluate_all("items => items.map(item => Number(item.value))")
    whole = [item for item in found["sums"] if item["of_all"]]
    assert sums == [item["ev_loss"] for item in whole]
    errors = page.locator("data.sum-stderr").evaluate_all("items => items.map(item => Number(item.value))")
    stated = [(item["stderr"], item["stderr"] / item["decisions"]) for item in whole if item["stderr"] > 0]
    assert errors == [error for both in stated for error in both]
    assert page.get_by_text("± is one standard error").locator("visible=true").count() >= 1

    worst = found["mistakes"][0]
    assert float(page.locator("data.ev-loss").get_attribute("value")) == worst["ev_loss"]
    why = page.locator(".why").inner_text()
    assert why.startswith(f"Costs {worst['ev_loss']:.2f}")
    assert "instead of" in why
    assert page.get_by_text(f"Hand {worst['hand']}, decision {worst['decision'] + 1} of 10").is_visible()
    button(page, "Next decision").click()
    button(page, "Previous decision").click()
    button(page, "Open in Analyse").click()
    page.wait_for_selector(".analyse")
    assert worst["cards"].replace(" ", "") in page.url


def test_a_hand_in_plain_text_is_reviewed_and_a_wrong_line_is_named(desk, histories, run):
    text = plain_text(parse_record(histories.read_text()))
    page = desk.open("review")
    page.get_by_label("Paste hand histories").fill(text.replace("place:", "plaec:", 1))
    page.get_by_label("Simulations").fill("20")
    button(page, "Review").click()
    page.wait_for_selector(".notice")
    assert page.locator(".notice").inner_text().startswith("line 5: write deal: ")
    page.get_by_label("Paste hand histories").fill(text)
    eventually(page.locator(".notice")).to_have_count(0)
    button(page, "Review").click()
    wait_for_answer(page, ".mistakes")
    found = run("review", str(histories), "--simulations", "20", "--threads", "1", "--json").json
    sums = page.locator("data.sum").evaluate_all("items => items.map(item => Number(item.value))")
    assert sums == [item["ev_loss"] for item in found["sums"] if item["of_all"]]
    assert page.get_by_text(f"decision {found['mistakes'][0]['decision'] + 1} of 10").is_visible()


def test_an_example_hand_shows_what_a_review_is(desk):
    page = desk.open("review")
    button(page, "Try an example hand").click()
    eventually(page.get_by_label("Paste hand histories")).to_have_value(re.compile("^deal: "))
    page.get_by_label("Simulations").fill("300")
    button(page, "Review").click()
    wait_for_answer(page, ".mistakes")
    assert page.locator(".panel > .mistakes li").first.inner_text().splitlines()[1] == "You"
    assert page.locator(".why").inner_text().startswith("Costs ")


def test_a_match_is_reviewed_without_reading_its_json_and_a_phone_shows_the_mistake(phone):
    with Client(phone.address) as client:
        game = play_hand(client, start(client, opponents=["evaluation"]))
        phone.page.add_init_script(f"localStorage.setItem('bromeliad.client', '{client.secret}')")
        page = phone.open(f"review?game={game['id']}")
        page.get_by_text("1 hand opened:").wait_for()
        assert page.get_by_label("Paste hand histories").count() == 0
        page.get_by_label("Simulations").fill("20")
        button(page, "Review").tap()
        page.wait_for_selector("data.sum")
        page.evaluate("scrollTo(0, 0)")
        page.locator("details.unclear summary").tap()
        page.locator(".unclear .mistakes button").last.tap()
        wait_for_sight(page, ".loss-line")
        button(page, "Text").last.tap()
        eventually(page.get_by_label("Paste hand histories")).to_have_value(re.compile("bromeliad-hand"))


def play_one_hand(page):
    """Play a hand against the rules of thumb, anyhow."""
    choose_opponent(page, "heuristic")
    page.get_by_label("Hands").fill("1")
    page.get_by_text("More settings").locator("visible=true").click()
    page.get_by_label("Seed").fill("3")
    page.get_by_label("Grade each").set_checked(False)
    button(page, "Start").click()
    for street in range(5):
        page.wait_for_selector(f"text=Hand 1, street {street + 1}")
        finish_street(page)
    page.wait_for_selector("text=The match is over.")


def test_statistics_of_one_hand_are_yours_and_draw_nothing_yet(browser, built, tmp_path):
    with serving(str(tmp_path / "one.sqlite")) as address, watched(browser, address) as look:
        page = look.open("play")
        play_one_hand(page)
        page.locator("nav a[href='#statistics']").click()
        page.wait_for_selector("text=The charts begin with 2 hands.")
        assert page.get_by_label("Player").input_value() == "you"
        assert page.locator(".charts svg").count() == 0
        page.locator("nav a[href='#play']").click()
        button(page, "Leave").click()
        play_one_hand(page)
        page.locator("nav a[href='#statistics']").click()
        page.wait_for_selector(".charts svg")


def test_charts_of_zeros_have_an_axis_around_zero(desk):
    mean, share = {"count": 2, "mean": 0, "stderr": 0}, {"count": 0, "of": 2, "share": 0, "low": 0, "high": 0.66}
    shares = dict.fromkeys(("foul", "entry", "stay", "scoop", "scooped"), share)
    player = {"player": "you", "hands": 2, "points": mean, "royalties": mean, **shares}
    seat = {"player": "you", "fantasyland": 0, "points": 0, "royalties": 0, "fouled": False, "next_fantasyland": 0}
    hands = [
        {"id": i, "number": i, "rules": "pineapple", "played_at": "2026-01-01T12:00:00Z", "seats": [seat]}
        for i in (1, 2)
    ]
    report = {"hands": 2, "players": [player], "trend": [], "ev_trend": []}
    desk.page.route("**/api/v1/statistics?*", lambda route: route.fulfill(json=report))
    desk.page.route("**/api/v1/hands?*", lambda route: route.fulfill(json=hands))
    page = desk.open("statistics")
    page.wait_for_selector(".charts svg")
    total = page.locator(".chart").first.locator(".row-tick").all_text_contents()
    assert "0.0" in total
    assert {"1.0", "−1.0"} <= set(total)


def test_statistics_are_the_reports(desk, run, store):
    page = desk.open("play")
    play_one_hand(page)
    button(page, "Leave").click()
    play_one_hand(page)
    page.locator("nav a[href='#statistics']").click()
    page.wait_for_selector(".charts svg")
    report = run("report", "--store", store, "--json").json
    names = page.locator(".tab:not([hidden]) .table-box tbody th").all_inner_texts()
    called = level_names() | {"you": "You"}
    assert names == [called.get(player["player"], player["player"]) for player in report["players"]]
    means = page.locator(".tab:not([hidden]) .table-box tbody tr td:nth-child(3) data").evaluate_all(
        "cells => cells.map(cell => Number(cell.value))"
    )
    assert means == [player["points"]["mean"] for player in report["players"]]
    assert page.locator(".charts svg").count() >= 4

    page.locator("nav a[href='#review']").click()
    page.locator(".stored button.link").first.click()
    page.wait_for_selector("text=Hand 1, decision 1 of 10")


def finish_street(page):
    """Place cards wherever there is room, and confirm."""
    while button(page, "Confirm").is_disabled():
        for key in "bmt":
            page.keyboard.press(key)
    button(page, "Confirm").click()


def test_a_written_review_fits_a_phone(browser, histories, run, tmp_path):
    page_file = tmp_path / "review.html"
    run("review", str(histories), "--simulations", "20", "--threads", "1", "--html", str(page_file))
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(page_file.as_uri())
    wide = "tables => tables.filter(table => table.scrollWidth > table.parentElement.clientWidth).length"
    assert page.locator("table.stacked, .scroll:last-of-type table").evaluate_all(wide) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_a_file_is_dropped(desk, histories):
    page = desk.open("review")
    data = page.evaluate_handle(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'hands.jsonl')); return data }",
        histories.read_text(),
    )
    page.get_by_label("Paste hand histories").dispatch_event("drop", {"dataTransfer": data})
    page.wait_for_selector("text=Hand 1, decision 1 of 10")


def test_stored_hands_are_filtered_starred_and_sorted(browser, built, tmp_path):
    """Stars and notes are in the store: another browser sees them."""
    with serving(str(tmp_path / "stored.sqlite")) as address, Client(address) as client:
        play_hand(client, start(client, seed=3, opponents=["random"]))
        play_hand(client, start(client, seed=4, opponents=["heuristic"]))
        with watched(browser, address) as look:
            page = look.open("review")
            rows = page.locator(".stored tr")
            eventually(rows).to_have_count(2)
            older = rows.nth(1)
            with page.expect_response("**/hands/*"):
                older.get_by_role("button", name="Star").click()
            older.get_by_label("Note").fill("a pair too early")
            with page.expect_response("**/hands/*"):
                older.get_by_label("Note").press("Tab")
            older.locator("button.link").click()
            page.wait_for_selector("text=Hand 1, decision 1 of 10")
            page.get_by_label("Simulations").fill("20")
            button(page, "Review").click()
            page.wait_for_selector("data.sum")
            eventually(older.locator("data.loss")).to_have_count(1)
        (listed,) = client.get(f"{API}/hands", params={"starred": True}).json()
        assert listed["note"] == "a pair too early"
        with watched(browser, address) as look:
            page = look.open("review")
            eventually(rows_of(page)).to_have_count(2)
            assert page.locator(".stored tr").nth(0).locator("data.loss").count() == 0
            page.get_by_label("Sort by").select_option("ev_loss")
            eventually(page.locator(".stored tr").nth(0).locator("data.loss")).to_have_count(1)
            lost = sum(seat["ev_loss"] for seat in listed["seats"] if seat["player"] == "you")
            assert float(page.locator(".stored data.loss").get_attribute("value")) == pytest.approx(lost)
            page.get_by_label("starred").check()
            eventually(rows_of(page)).to_have_count(1)
            assert page.get_by_label("Note").input_value() == "a pair too early"


def rows_of(page):
    """Return the rows of the list of stored hands."""
    return page.locator(".stored tr")


def test_a_hand_is_entered_card_by_card(desk, histories, run, tmp_path):
    """The text that grows along is the same hand, with the opponent's discards unknown."""
    record = parse_record(histories.read_text())
    page = desk.open("review")
    button(page, "Card by card").click()
    turns = [event for event in record.events if event.event in ("deal", "place", "discard")]
    for at, event in enumerate(turns):
        if event.event != "deal":
            continue
        placed = parse_board(turns[at + 1].board)
        seen = [card for row in placed for card in row]
        cards = event.cards.split() if event.seat == 1 else seen
        for card in cards:
            page.locator(".entry .picker").get_by_role("button", name=card_name(card), exact=True).click()
        place(page, placed)
        button(page, "Next turn").click()
    page.wait_for_selector("text=The hand is complete")
    button(page, "Text").click()
    text = page.get_by_label("Paste hand histories").input_value()
    assert text.count("deal: ?") == 4
    written = tmp_path / "hand.txt"
    written.write_text(text)
    read = parse_record(run("hands", "convert", str(written)).out.splitlines()[0])
    assert [event.board for event in read.events if event.event == "place"] == [
        event.board for event in record.events if event.event == "place"
    ]
    page.get_by_label("Simulations").fill("20")
    button(page, "Review").click()
    page.wait_for_selector("data.sum")


def parse_board(text):
    """Return the rows of a board string as lists of cards."""
    return [re.findall("..", row) for row in text.split("-")]


def test_the_course_of_a_hand_is_drawn_and_a_click_goes_there(desk, histories):
    page = desk.open("review")
    page.get_by_label("Paste hand histories").fill(histories.read_text())
    page.get_by_label("Simulations").fill("20")
    button(page, "Review").click()
    chart = page.locator(".graphs svg").first
    chart.wait_for()
    assert chart.locator("circle").count() == 10  # five decisions: the best, and what was played
    box = chart.bounding_box()
    chart.click(position={"x": box["width"] - 12, "y": 60})
    eventually(page.locator(".summary", has_text="Hand 1, decision")).to_contain_text(
        re.compile("decision (9|10) of 10")
    )


def test_all_mistakes_are_searched_deeper_at_once(desk, histories):
    page = desk.open("review")
    page.get_by_label("Paste hand histories").fill(histories.read_text())
    page.get_by_label("Simulations").fill("20")
    button(page, "Review").click()
    page.wait_for_selector("data.sum")
    sent = []

    def quickly(route):
        request = route.request.post_data_json
        if request["deeper"]:
            sent.append(request["request"])
            request["request"].pop("time")
            request["request"] |= {"simulations": 400, "threads": 1}
        route.continue_(post_data=request)

    page.route("**/api/v1/jobs", quickly)
    deepen = page.get_by_role("button", name=re.compile("Search all .* deeper"))
    count = int(re.search(r"all (\d+)", deepen.inner_text())[1])
    with page.expect_response("**/api/v1/reviews"):
        deepen.click()
    assert len(sent) == count
    eventually(page.locator("data.sum").first).to_be_visible()


def test_a_mistake_is_shared_as_a_picture_and_a_link(desk, histories):
    page = desk.open("review")
    page.get_by_label("Paste hand histories").fill(histories.read_text())
    page.get_by_label("Simulations").fill("20")
    button(page, "Review").click()
    page.wait_for_selector(".share summary")
    for kind, magic in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        page.locator(".share summary").locator("visible=true").click()
        with page.expect_download() as download:
            button(page, f"Picture ({kind})").click()
        content = download.value.path().read_bytes()
        assert content.startswith(magic)
        if kind == "SVG":
            assert page.locator(".why").inner_text()[:11] in content.decode()
