"""Analyse: a position is set up in every way, answered as the command answers it, played on and shared."""

import json

from browsing import assert_says, button, candidates, card_name, wait_for_address, wait_for_answer

BOARD = "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"
LAST = "analyse?rules=pineapple&cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&dead=2c5d6s"


def analyse(page):
    button(page, "Analyse").click()
    wait_for_answer(page, ".summary:has-text('placements')")


def expect(page, position):
    """Wait for an address with this position."""
    wait_for_address(page, f"#analyse?rules=pineapple&{position}")


def test_an_exact_answer_is_the_commands(desk, run):
    page = desk.open(LAST)
    analyse(page)
    answer = run("solve", "--cards", "Kc 9d 3s", "--board", BOARD, "--dead", "2c 5d 6s", "--json").json
    assert_says(page, answer)
    assert "Exact" in page.locator(".summary").inner_text()


def test_a_search_is_the_commands_bit_for_bit(desk, run):
    page = desk.open("analyse?rules=pineapple&cards=AsAhKd7c2s")
    page.get_by_text("More settings").click()
    page.get_by_label("Effort").select_option("simulations")
    page.get_by_label("Simulations").fill("1500")
    page.get_by_label("Threads").fill("1")
    page.get_by_label("Seed").fill("7")
    analyse(page)
    options = ("--simulations", "1500", "--threads", "1", "--seed", "7", "--json")
    assert_says(page, run("solve", "--cards", "As Ah Kd 7c 2s", *options).json)


def test_opponents_count(desk, run):
    page = desk.open("analyse?cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&opponent=KhJh2c/8c8d2hTh3c/TcTs5h5cJc")
    analyse(page)
    opponent = "Kh Jh 2c / 8c 8d 2h Th 3c / Tc Ts 5h 5c Jc"
    answer = run("solve", "--cards", "Kc 9d 3s", "--board", BOARD, "--opponent", opponent, "--json").json
    assert answer["objective"] == "versus"
    assert_says(page, answer)


def test_candidates_are_live_and_stop_keeps_them(desk):
    page = desk.open("analyse?cards=JcAc7dJd2s")
    page.get_by_label("Thinking time").select_option("60")
    button(page, "Analyse").click()
    wait_for_answer(page)
    first = candidates(page)
    page.wait_for_function(
        "before => document.querySelector('.candidate .stderr')?.value !== before", arg=first[0]["stderr"]
    )
    assert button(page, "Stop").is_visible()
    button(page, "Stop").click()
    page.wait_for_selector(".summary:has-text('simulations')")
    assert len(candidates(page)) >= 10


def test_a_position_is_set_up_by_clicking_typing_dragging_and_keys(desk):
    page = desk.open("analyse")
    deck = page.get_by_role("group", name="Deck")
    for card in ("As", "Ah", "Kd"):
        deck.get_by_role("button", name=card_name(card)).click()
    expect(page, "cards=AsAhKd")
    field = page.get_by_label("Type cards for: Dealt")
    field.fill("AsAhKd7c2s")
    expect(page, "cards=AsAhKd7c2s")
    field.fill("AsAhKd7c7c")
    assert "7c is already on the table" in page.locator(".field-problem").inner_text()
    field.fill("AsAhKd7z")
    assert "no card" in page.locator(".field-problem").inner_text()
    field.fill("AsAhKd7c2s")

    dealt = page.locator("[data-zone=cards]")
    dealt.get_by_role("button", name=card_name("As")).drag_to(page.locator("[data-zone='own.back']"))
    expect(page, "cards=AhKd7c2s&board=//As")
    dealt.get_by_role("button", name=card_name("Kd")).click()
    page.locator("[data-zone='own.top'] button.slot").click()
    expect(page, "cards=Ah7c2s&board=Kd//As")
    dealt.get_by_role("button", name=card_name("Ah")).press("Enter")
    page.keyboard.press("m")
    expect(page, "cards=7c2s&board=Kd/Ah/As")
    dealt.get_by_role("button", name=card_name("2s")).press("Enter")
    page.keyboard.press("x")
    expect(page, "cards=7c&board=Kd/Ah/As&dead=2s")
    button(page, "Undo").click()
    expect(page, "cards=7c2s&board=Kd/Ah/As")


def centre(locator):
    box = locator.bounding_box()
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


def test_a_finger_drags_a_card(phone):
    page = phone.open("analyse?cards=AsAhKd7c2s")
    start = centre(page.locator("[data-zone=cards]").get_by_role("button", name=card_name("Kd")))
    end = centre(page.locator("[data-zone='own.top']"))
    halfway = {axis: (start[axis] + end[axis]) / 2 for axis in "xy"}
    fingers = page.context.new_cdp_session(page)
    for kind, points in (("Start", [start]), ("Move", [halfway]), ("Move", [end]), ("End", [])):
        fingers.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    expect(page, "cards=AsAh7c2s&board=Kd//")


def test_opponents_and_rules_are_set_up(desk):
    page = desk.open("analyse")
    page.get_by_label("Rules").select_option("ultimate")
    button(page, "Add a board").click()
    page.locator("[data-zone='0.back'] button.slot").click()
    page.get_by_label("Type cards for: Opponent 1, back").fill("KsKc")
    button(page, "Add one in fantasyland").click()
    page.get_by_label("Fantasyland cards").select_option("15")
    wait_for_address(page, "#analyse?rules=ultimate&opponent=//KsKc&opponent=fantasyland:15")
    button(page, "Remove opponent 1").click()
    wait_for_address(page, "#analyse?rules=ultimate&opponent=fantasyland:15")


def test_a_placement_is_played_on_and_taken_back_and_shared(desk):
    page = desk.open("analyse?cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")
    analyse(page)
    page.locator(".candidate .cover").first.click()
    page.wait_for_selector("text=Street 5 of 5")
    after = page.url.split("rules=pineapple&")[1]
    assert "dead=" in after
    assert "cards=" not in after
    button(page, "Deal at random").click()
    page.wait_for_function("() => document.querySelectorAll('[data-zone=cards] .card-box').length === 3")
    analyse(page)
    shared = page.url
    button(page, "Undo").click()
    expect(page, after)
    button(page, "Undo").click()
    expect(page, "cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")
    page.goto("about:blank")
    page.goto(shared)
    page.wait_for_selector("text=Street 5 of 5")
    assert page.locator("[data-zone=cards] .card-box").count() == 3


def test_a_refusal_is_said_in_the_readers_language(desk, run):
    page = desk.open("analyse?cards=KcKd&board=//As")
    page.get_by_label("Language").select_option("zh-TW")
    button(page, "分析").click()
    said = page.locator(".notice").inner_text()
    told = run("--lang", "zh-TW", "solve", "--cards", "Kc Kd", "--board", "- / - / As").problem
    assert said == told


def test_the_same_request_is_sent_as_json(desk):
    page = desk.open(LAST)
    with page.expect_request("**/api/v1/jobs") as asked:
        button(page, "Analyse").click()
    body = json.loads(asked.value.post_data)
    assert body["request"]["board"] == BOARD
    assert asked.value.headers["x-client"]
