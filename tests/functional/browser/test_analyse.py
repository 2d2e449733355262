"""Analyse: a position is set up in every way, answered as the command answers it, played on and shared."""

import json
import re

import httpx2

from browsing import assert_says, button, candidates, card_name, eventually, wait_for_address, wait_for_answer

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


def test_what_is_too_close_to_call_is_marked(desk, run):
    """Opponents with several deals to come are sampled; two placements of the same boards are equally good."""
    page = desk.open("analyse?cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&opponent=2c/6h6d6s/KsKh8c8d8s")
    page.get_by_text("More settings").click()
    page.get_by_label("Effort").select_option("simulations")
    page.get_by_label("Simulations").fill("100")
    analyse(page)
    opponent = "2c / 6h 6d 6s / Ks Kh 8c 8d 8s"
    options = ("--opponent", opponent, "--simulations", "100", "--json")
    answer = run("solve", "--cards", "Kc 9d 3s", "--board", BOARD, *options).json
    assert_says(page, answer)
    marks = [item["close"] for item in candidates(page)]
    assert marks == [False, True, False, False, False, False]
    assert page.locator(".candidate").get_by_text("too close to call").count() == 1
    error = answer["actions"][1]["ev_loss_stderr"]
    assert f"±{error:.2f}" in page.locator(".candidate:has(.tag.close) .behind").inner_text()


def test_opponents_count(desk, run):
    page = desk.open("analyse?cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&opponent=KhJh2c/8c8d2hTh3c/TcTs5h5cJc")
    analyse(page)
    opponent = "Kh Jh 2c / 8c 8d 2h Th 3c / Tc Ts 5h 5c Jc"
    answer = run("solve", "--cards", "Kc 9d 3s", "--board", BOARD, "--opponent", opponent, "--json").json
    assert answer["objective"] == "versus"
    assert_says(page, answer)


def test_candidates_are_live_and_stop_keeps_them(desk):
    page = desk.open("analyse?cards=JcAc7dJd2s&dead=3h")
    page.get_by_label("Thinking time").select_option("60")
    button(page, "Analyse").click()
    wait_for_answer(page)
    first = candidates(page)
    page.wait_for_function(
        "before => document.querySelector('.candidate .stderr')?.value !== before", arg=first[0]["stderr"]
    )
    assert button(page, "Stop").is_visible()
    assert page.locator(".heads").get_by_text("Foul").count() == 0  # a column without figures
    button(page, "Stop").click()
    page.wait_for_selector(".summary:has-text('simulations')")
    assert page.locator(".heads").get_by_text("Foul").count() == 1
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
    eventually(page.locator(".field-problem")).to_contain_text("7c is already on the table")
    field.fill("AsAhKd7z")
    eventually(page.locator(".field-problem")).to_contain_text("is not a card")
    field.fill("AsAhKd7c2s")

    deck.get_by_role("button", name=card_name("Qs")).drag_to(page.locator("[data-zone='own.back']"))
    expect(page, "cards=AsAhKd7c2s&board=//Qs")
    page.locator("[data-zone='own.back']").get_by_role("button", name=card_name("Qs")).click()
    page.locator("[data-zone='own.top'] button.slot").click()
    expect(page, "cards=AsAhKd7c2s&board=Qs//")
    page.locator("[data-zone='own.top']").get_by_role("button", name=card_name("Qs")).press("Enter")
    page.keyboard.press("x")
    expect(page, "cards=AsAhKd7c2s&dead=Qs")
    button(page, "Undo").click()
    expect(page, "cards=AsAhKd7c2s&board=Qs//")
    button(page, "Undo").click()
    expect(page, "cards=AsAhKd7c2s&board=//Qs")


def test_dealt_cards_are_laid_out_without_changing_the_decision(desk):
    page = desk.open("analyse?cards=AsAhKd7c2s")
    dealt = page.locator("[data-zone=cards]")
    dealt.get_by_role("button", name=card_name("As")).drag_to(page.locator("[data-zone='own.middle']"))
    dealt.get_by_role("button", name=card_name("Ah")).press("Enter")
    page.keyboard.press("m")
    dealt.get_by_role("button", name=card_name("Kd")).click()
    page.locator("[data-zone='own.top'] button.slot").click()
    expect(page, "cards=AsAhKd7c2s")
    middle = page.locator(".table-row", has=page.locator("[data-zone='own.middle']"))
    assert middle.locator(".row-hand").inner_text() == "Pair of A"
    button(page, "Undo").click()
    eventually(dealt.get_by_role("button", name=card_name("Kd"))).to_be_visible()
    eventually(button(page, "Analyse")).to_be_enabled()


def test_a_board_that_must_foul_says_so_and_royalties_are_counted(desk):
    page = desk.open("analyse?board=KsKd/9c9s4h4d3c/AsAcAd7h7d&cards=")
    page.get_by_text("Royalties so far: 6").wait_for()
    page.evaluate("hash => { location.hash = hash }", "analyse?board=KsKdKc/9c9s4h4d3c/AsAcAd7h7d")
    page.get_by_text("This board fouls: top already beats middle.").wait_for()


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
    page.wait_for_selector("[data-zone='own.top'] .card-box.fresh")
    expect(page, "cards=AsAhKd7c2s")


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


def test_a_placement_is_played_and_the_results_come_back(desk):
    """Undo and the browser's Back return to the position and to its results; nothing is solved again."""
    page = desk.open("analyse?cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")
    analyse(page)
    before = candidates(page)
    page.locator(".candidate button.line").first.click()
    button(page, "Play this").click()
    page.wait_for_selector("text=Street 5 of 5")
    after = page.url.split("rules=pineapple&")[1]
    assert "dead=" in after
    assert "cards=" not in after
    assert candidates(page) == []
    button(page, "Deal me a hand").click()
    page.wait_for_function("() => document.querySelectorAll('[data-zone=cards] .card-box').length === 3")
    analyse(page)
    shared = page.url
    button(page, "Undo").click()
    expect(page, after)
    button(page, "Undo").click()
    expect(page, "cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")
    assert candidates(page) == before
    page.goto("about:blank")
    page.goto(shared)
    page.wait_for_selector("text=Street 5 of 5")
    assert page.locator("[data-zone=cards] .card-box").count() == 3


def test_back_returns_to_the_position_and_its_results(desk):
    page = desk.open("analyse?cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")
    analyse(page)
    before = candidates(page)
    page.locator(".candidate button.line").first.click()
    button(page, "Play this").click()
    page.wait_for_selector("text=Street 5 of 5")
    page.go_back()
    expect(page, "cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")
    page.wait_for_selector(".candidate")
    assert candidates(page) == before


def test_the_book_answers_first_deals_at_once_and_the_search_replaces_it(desk, run):
    page = desk.open("analyse?cards=JcAc7dJd2s")
    book = run("solve", "--cards", "Jc Ac 7d Jd 2s", "--json").json
    assert book["method"] == "book"
    page.get_by_label("Thinking time").select_option("5")
    button(page, "Analyse").click()
    page.wait_for_selector(".summary:has-text('Opening book')")
    assert button(page, "Stop").is_visible()
    assert float(candidates(page)[0]["ev"]) == book["best"]["ev"]
    page.wait_for_selector(".summary:has-text('simulations')")
    assert button(page, "Search").get_attribute("aria-pressed") == "true"
    assert page.locator(".candidate.best").count() == 1
    assert float(candidates(page)[0]["ev"]) != book["best"]["ev"]
    button(page, "Opening book").click()
    page.wait_for_selector(".summary:has-text('Opening book')")
    assert_says(page, book)


def test_the_answer_is_said_in_words(desk):
    page = desk.open("analyse?cards=AsAhKd7c2s")
    button(page, "Analyse").click()
    page.wait_for_selector(".summary:has-text('Opening book')")
    best, second = candidates(page)[0]["ev"], candidates(page)[1]["ev"]
    said = page.locator(".answer").inner_text()
    assert said.startswith("K on top, AA2 in the middle, 7 in the back by ")
    assert f"{float(best) - float(second):.2f} ±" in said


def test_an_own_layout_is_valued_and_explained(desk):
    """A layout that no search would look at has its figures too."""
    page = desk.open("analyse?cards=AsAhKd7c2s&dead=3h")
    page.get_by_label("Thinking time").select_option("1")
    analyse(page)
    for card, key in (("As", "t"), ("Ah", "t"), ("Kd", "t"), ("7c", "m"), ("2s", "m")):
        page.locator("[data-zone=cards]").get_by_role("button", name=card_name(card)).press("Enter")
        page.keyboard.press(key)
    layout = page.locator(".layout")
    layout.locator(".why").wait_for()
    assert layout.locator(".why").inner_text().startswith("Costs ")
    assert "fouls" in layout.locator(".why").inner_text()
    assert float(layout.locator("data.ev-loss").get_attribute("value")) > 2
    assert layout.locator("figure").count() == 2
    button(page, "Take the cards back").click()
    button(page, "Lay out the best").click()
    layout.get_by_text("The best placement.").wait_for()
    expect(page, "cards=AsAhKd7c2s&dead=3h")


def test_the_board_shows_the_best_placement_and_any_row_that_is_opened(desk):
    """As shadows in the free places: the decision stays the same, and own cards take their place."""
    page = desk.open("analyse?cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")
    shadows = page.locator(".own-board .shadow")
    assert shadows.count() == 0
    analyse(page)
    ranks = "faces => faces.map(face => face.textContent)"

    def shown(on, rows):
        return [on.locator(f"{row} text").evaluate_all(ranks) for row in rows]

    on_board = [f"[data-zone='own.{row}'] .shadow" for row in ("top", "middle", "back")]
    in_row = [f".placed .{row}" for row in ("top", "middle", "back")]
    first, third = (shown(page.locator(".candidate").nth(at), in_row) for at in (0, 2))
    assert first != third
    assert shown(page, on_board) == first
    page.locator(".candidate button.line").nth(2).click()
    eventually(page.locator(".candidate .details")).to_have_count(1)
    assert shown(page, on_board) == third
    page.locator("[data-zone=cards]").get_by_role("button", name=card_name("Kc")).press("Enter")
    page.keyboard.press("t")
    eventually(shadows).to_have_count(0)
    expect(page, "cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")


def test_two_placements_are_compared(desk):
    page = desk.open("analyse?cards=Kc9d3s&board=Qd/9c9s4h4d/AsAcAd7h")
    analyse(page)
    for row in (0, 3):
        page.locator(".candidate button.line").nth(row).click()
        button(page, "Compare").click()
    pair = page.get_by_role("region", name="Comparison")
    evs = [float(candidates(page)[row]["ev"]) for row in (0, 3)]
    assert [f"{ev:.2f}".replace("-", "−") for ev in reversed(evs)] == pair.locator("figcaption b").all_inner_texts()
    assert pair.locator(".why").inner_text().startswith(f"Costs {evs[0] - evs[1]:.2f}: ")


def test_on_a_phone_the_action_stays_in_sight_and_results_are_a_sheet(phone):
    page = phone.open("analyse?cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&dead=2c5d6s")
    assert button(page, "Analyse").bounding_box()["y"] < 740
    button(page, "Analyse").tap()
    page.wait_for_selector(".candidate")
    assert page.locator(".answer").bounding_box()["y"] < 600
    assert page.locator(".candidate").first.bounding_box()["y"] < 680
    button(page, "Hide the results").tap()
    page.wait_for_function("() => !document.querySelector('.candidate').checkVisibility()")
    assert page.locator(".answer").is_visible()


def test_a_phone_shows_the_deck_below_the_board_and_brings_it_into_sight(phone):
    page = phone.open("analyse")
    deck = page.get_by_role("group", name="Deck")
    board, results = page.locator(".felt").bounding_box(), page.locator(".results").bounding_box()
    assert board["y"] + board["height"] < deck.bounding_box()["y"] < results["y"]
    button(page, "Place here: Your board, middle").tap()
    bar = page.locator(".action-bar").bounding_box()["y"]
    page.wait_for_function("bar => document.querySelector('.picker').getBoundingClientRect().bottom <= bar", arg=bar)
    assert page.locator(".own-board").bounding_box()["y"] < deck.bounding_box()["y"]
    deck.get_by_role("button", name=card_name("Qd")).tap()
    expect(page, "board=/Qd/")


def test_a_phone_begins_with_a_hint_samples_and_a_deal(phone):
    page = phone.open("analyse")
    assert page.get_by_text("Which placement is best, and by how much?").is_visible()
    assert button(page, "Deal").is_visible()
    button(page, "The last street, exact").tap()
    expect(page, "cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&dead=2c5d6s")
    button(page, "Analyse").tap()
    page.wait_for_selector(".candidate")
    button(page, "Clear").click()
    eventually(button(page, "A first deal with aces")).to_be_visible()


def test_what_stays_at_the_bottom_of_a_phone_has_no_gaps(phone):
    page = phone.open(LAST)
    button(page, "Analyse").tap()
    page.wait_for_selector(".candidate")
    edges = page.evaluate("""() => ['.results', '.action-bar', 'nav'].map(name => {
        const box = document.querySelector(name).getBoundingClientRect(); return [box.top, box.bottom] })""")
    assert edges[0][1] == edges[1][0]
    assert edges[1][1] == edges[2][0]
    assert edges[2][1] == 740


def test_enter_analyses_what_the_page_has_dealt(desk):
    page = desk.open("analyse")
    button(page, "Deal me a hand").click()
    page.wait_for_selector("[data-zone=cards] .card-box")
    dealt = page.url
    page.keyboard.press("Enter")
    wait_for_answer(page)
    assert page.url == dealt
    button(page, "Stop").click()
    page.wait_for_selector(".summary")
    button(page, "Clear").click()
    button(page, "The last street, exact").click()
    expect(page, "cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&dead=2c5d6s")
    page.keyboard.press("Enter")
    wait_for_answer(page)


def test_a_refusal_is_said_in_the_readers_language(desk, run):
    page = desk.open("analyse?cards=KcKdQd4c3c&opponent=//As")
    page.get_by_label("Language").select_option("zh-TW")
    button(page, "分析").click()
    said = page.locator(".notice").inner_text()
    told = run("--lang", "zh-TW", "solve", "--cards", "Kc Kd Qd 4c 3c", "--opponent", "- / - / As").problem
    assert said == told


def test_analyse_waits_for_cards_and_says_so(desk):
    page = desk.open("analyse")
    assert button(page, "Analyse").is_disabled()
    assert page.locator(".reason").inner_text() == "Deal 5 more of 5 cards first"
    page.get_by_label("Type cards for: Dealt").fill("AsAhKd7c")
    page.wait_for_selector("text=Deal 1 more of 5 cards first")
    page.get_by_label("Type cards for: Dealt").fill("AsAhKd7c2s")
    page.wait_for_selector(".reason", state="detached")
    assert button(page, "Analyse").is_enabled()


def test_a_board_that_no_street_begins_with_says_which_numbers_do(desk):
    page = desk.open("analyse?board=QdQh/9c9s/AcAd7h7d")
    assert page.locator(".centre .street").inner_text() == "8 cards on the board"
    assert page.locator(".reason").inner_text() == "A street begins with 0, 5, 7, 9, or 11 cards on the board"
    assert button(page, "Analyse").is_disabled()
    page.get_by_label("Rules").select_option("regular")
    eventually(page.locator(".centre .street")).to_have_text("Street 5 of 9")
    button(page, "Undo").click()
    page.get_by_label("Language").select_option("zh-TW")
    eventually(page.locator(".reason")).to_have_text("每一輪開始時，牌面有 0、5、7、9或11 張")


def test_what_else_there_is_can_be_found_from_an_empty_board(desk):
    for tab in ("openings", "play", "train", "review"):
        page = desk.open("analyse")
        page.locator(f".doors a[href='#{tab}']").click()
        page.wait_for_selector(f"nav a[href='#{tab}'][aria-current]")


def test_the_service_names_no_option_of_the_command_line(desk):
    for wrong in (
        {"cards": "", "time": 1},
        {"cards": "As Ah Kd 7c 2s", "objective": "versus"},
        {"cards": "As Ah Kd 7c 2s", "seat": 2},
        {"cards": "As Ah Kd 7c 2s", "fantasyland": True, "board": "Ks / - / -"},
        {"cards": "As Ah Kd 7c 2s", "players": 2, "opponents": ["- / - / -", "- / - / -"]},
    ):
        refused = httpx2.post(f"{desk.address}/api/v1/jobs", json={"game": "ofc", "request": wrong})
        assert refused.status_code == 422
        assert "--" not in refused.json()["detail"]


def test_a_count_that_is_cut_short_says_what_happened(desk):
    """Nobody else plays, and nothing is sampled: the page says how much is valued, as the terminal does."""
    page = desk.open("analyse?cards=Kc8d3s&board=Qd/9c9s4h/AsAcAd")
    page.get_by_label("Thinking time").select_option("60")
    button(page, "Analyse").click()
    wait_for_answer(page)
    button(page, "Stop").click()
    page.wait_for_selector(".summary:has-text('stopped early')")
    said = page.locator(".summary").inner_text()
    valued, placements = map(int, re.search(r"(\d+) of (\d+) placements have a value", said).groups())
    assert 0 < valued < placements
    assert said.startswith("Exact")
    assert "opponents" not in said
    assert "sure" not in said


def test_placements_that_are_alike_are_one_result(desk, run):
    page = desk.open("analyse?cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&opponent=KhJh2c/8c8d2hTh3c/TcTs5h5cJc")
    analyse(page)
    opponent = "Kh Jh 2c / 8c 8d 2h Th 3c / Tc Ts 5h 5c Jc"
    actions = run("solve", "--cards", "Kc 9d 3s", "--board", BOARD, "--opponent", opponent, "--json").json["actions"]
    evs = [action["ev"] for action in actions]
    told = [float(item["ev"]) for item in candidates(page)]
    assert len(set(evs)) < len(evs)
    assert told == sorted(set(told), reverse=True)
    alike = page.locator("button.alike").first
    count = int(alike.inner_text().split()[0])
    assert alike.inner_text().endswith("like this")
    assert count > 1
    alike.click()
    eventually(page.locator(".candidate").locator("visible=true")).to_have_count(len(told) + count - 1)
    assert_says(page, {"actions": actions})


def test_the_same_request_is_sent_as_json(desk):
    page = desk.open(LAST)
    with page.expect_request("**/api/v1/jobs") as asked:
        button(page, "Analyse").click()
    body = json.loads(asked.value.post_data)
    assert body["request"]["board"] == BOARD
    assert asked.value.headers["x-client"]
