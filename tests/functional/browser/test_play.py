"""Play: a whole match, fantasyland included, scored as the table scores it; grades, undo, a reload in between."""

import httpx2
import pytest

from bromeliad.playing.ofc_game import TableGame
from bromeliad.playing.strategies import find_strategy
from browsing import button, candidates, choose_opponent, eventually, place, wait_for_answer

SEED = 22  # in whose first hand the heuristic's placements reach fantasyland


class Twin:
    """The same match, played here: it says what to place, and what the score is."""

    def __init__(self, hands):
        self.game = TableGame("twin", "pineapple", ["heuristic"], seed=SEED, hands=hands)
        self.strategy = find_strategy("heuristic", "pineapple")
        self.strategy.begin_hand(1)
        self._others()

    def rows(self):
        action = self.strategy.decide_placement(self.game.view())
        return tuple(tuple(map(str, row)) for row in (action.top, action.middle, action.back, action.discards))

    def place(self, rows):
        self.game.place(rows)
        self._others()

    def next_hand(self):
        self.game.next_hand()
        self._others()

    def _others(self):
        while not self.game.your_turn and not self.game.hand_over:
            self.game.opponent_turn()


@pytest.fixture
def start(desk):
    def call(hands, grades):
        page = desk.open("play")
        choose_opponent(page, "heuristic")
        page.get_by_label("Hands").fill(str(hands))
        page.get_by_text("More settings").locator("visible=true").click()
        page.get_by_label("Seed").fill(str(SEED))
        page.get_by_label("Grade each").set_checked(grades)
        button(page, "Start").click()
        page.wait_for_selector(".placer")
        return page

    return call


def confirm(page, rows):
    place(page, rows)
    with page.expect_response("**/place"):
        button(page, "Confirm").click()


def test_a_match_with_fantasyland_is_scored_as_the_table_scores_it(desk, start, tmp_path, run):
    page, twin = start(hands=2, grades=False), Twin(hands=2)
    while not twin.game.hand_over:
        rows = twin.rows()
        confirm(page, rows)
        twin.place(rows)
    button(page, "Next hand").click()
    twin.next_hand()
    page.wait_for_selector("text=Hand 2: fantasyland, 14 cards")
    page.reload()
    page.wait_for_selector("text=Hand 2: fantasyland, 14 cards")
    while not twin.game.hand_over:
        rows = twin.rows()
        confirm(page, rows)
        twin.place(rows)
    page.wait_for_selector("text=The match is over.")
    button(page, "Watch the hand again").click()
    page.wait_for_selector("text=Hand 2, decision 1 of ")
    button(page, "Next decision").click()
    page.wait_for_selector("text=Hand 2, decision 2 of ")
    settled = page.locator("data.settled").evaluate_all("cells => cells.map(cell => Number(cell.value))")
    assert sum(settled) == twin.game.played[-1].by_player(list(twin.game.played[-1].hand.points))[0]
    totals = page.locator("tfoot data:not(.settled)").evaluate_all("cells => cells.map(cell => Number(cell.value))")
    assert totals == list(twin.game.table.scores)

    game = page.url.split("game=")[1]
    history = tmp_path / "hands.jsonl"
    history.write_text(httpx2.get(f"{desk.address}/api/v1/games/{game}/history").text)
    assert run("hands", "check", str(history)).code == 0
    scores = [hand["events"][-1]["points"] for hand in run("hands", "show", str(history), "--json").lines]
    sheet = page.locator(".table-box[aria-label='Score sheet']")
    shown = sheet.locator("tbody tr").evaluate_all("rows => rows.map(row => row.querySelector('td').innerText)")
    assert [abs(int(text.split()[0].replace("−", "-"))) for text in shown] == [abs(points[0]) for points in scores]


def test_a_decision_is_graded_and_taken_back(start):
    page, twin = start(hands=1, grades=True), Twin(hands=1)
    hand = page.locator("[data-zone=hand] .card-box").count()
    rows = twin.rows()
    confirm(page, rows)
    page.wait_for_selector(".loss-line")
    lost = float(page.locator("data.ev-loss").get_attribute("value"))
    assert lost >= 0
    assert (lost == 0) == page.get_by_text("The best placement.").is_visible()
    button(page, "Undo").click()
    page.wait_for_function(f"() => document.querySelectorAll('.placer [data-zone=hand] .card-box').length === {hand}")
    button(page, "Leave").click()
    page.wait_for_selector("text=New match")


def test_keys_place_cards(start):
    page = start(hands=1, grades=False)
    for key in "bbmmt":
        page.keyboard.press(key)
    for row, count in {"top": 1, "middle": 2, "back": 2}.items():
        eventually(page.locator(f".placer [data-zone={row}] .card-box")).to_have_count(count)
    eventually(button(page, "Confirm")).to_be_enabled()
    page.locator(".placer [data-zone=top] .card-box").drag_to(page.locator(".placer [data-zone=hand]"))
    eventually(page.locator(".placer [data-zone=hand] .card-box")).to_have_count(1)
    assert button(page, "Confirm").is_disabled()


def test_a_grade_is_drawn_on_its_own_decision(start):
    """While opponents think, nothing of the last grade is drawn on the new placement; the best has its error."""
    page = start(hands=1, grades=True)
    for key in "tttbb":  # a bad start, so that another placement is better
        page.keyboard.press(key)
    with page.expect_response("**/place"):
        button(page, "Confirm").click()
    page.wait_for_selector(".compare figure:nth-child(2)")
    best = page.locator(".compare figure").nth(1)
    assert "±" in best.locator("figcaption").inner_text()
    page.reload()
    page.wait_for_selector(".compare figure:nth-child(2)")

    page.route("**/place", lambda route: None)  # the opponents think, and think
    for key in "bm":
        page.keyboard.press(key)
    button(page, "Confirm").click()
    page.wait_for_selector("text=The opponents think")
    rows = page.locator(".compare .row").evaluate_all("rows => rows.map(row => row.children.length)")
    assert rows in ([], [3, 5, 5] * 2)
    fresh = page.locator(".compare .mini .fresh").count()
    assert fresh in (0, 10)


def best_value(page):
    """Return the EV of the best placement in a comparison, as it is shown."""
    return page.locator(".tab:not([hidden]) .compare figure").last.locator("figcaption b").inner_text()


def test_everyone_shows_the_deepest_answer(desk, start):
    """A decision's best value is the same in the grade, the analysis and the review; a deeper one replaces it."""
    page = start(hands=1, grades=True)
    for key in "tttbb":
        page.keyboard.press(key)
    before = httpx2.get(f"{desk.address}/api/v1/games/{page.url.split('game=')[1]}").json()
    with page.expect_response("**/place") as placed:
        button(page, "Confirm").click()
    graded = placed.value.json()["last_grade"]["best"]["ev"]
    page.wait_for_selector(".compare figure:nth-child(2)")
    assert best_value(page) == f"{graded:.2f}"

    cards, board = "".join(before["you"]["cards"]), before["opponents"][0]["board"].replace(" ", "").replace("-", "")
    page.evaluate("hash => { location.hash = hash }", f"analyse?cards={cards}&opponent={board}")
    page.get_by_label("Thinking time").select_option("1")
    analyse(page)
    assert float(candidates(page)[0]["ev"]) == graded
    page.get_by_label("Thinking time").select_option("2")
    analyse(page)
    deeper = float(candidates(page)[0]["ev"])
    assert deeper != graded
    page.get_by_label("Thinking time").select_option("1")
    analyse(page)
    assert float(candidates(page)[0]["ev"]) == deeper

    page.locator("nav a[href='#play']").click()
    page.wait_for_function(
        "text => document.querySelector('.tab:not([hidden]) .compare figure:last-child b')?.innerText === text",
        arg=f"{deeper:.2f}",
    )
    for street in range(2, 6):
        page.wait_for_selector(f"text=Hand 1, street {street}")
        finish(page)
    page.wait_for_selector("text=The match is over.")
    button(page, "Review").click()
    page.wait_for_selector("text=Hand 1, decision 1 of 10")
    page.get_by_label("Time per decision").select_option("0.2")
    button(page, "Review").click()
    wait_for_answer(page, "data.sum")
    row = page.locator(".mistakes button", has_text="you").filter(has_text="Street 1").first
    row.click()
    eventually(page.locator(".tab:not([hidden]) .compare figure figcaption b").last).to_have_text(f"{deeper:.2f}")


def analyse(page):
    button(page, "Analyse").click()
    page.wait_for_selector(".tab:not([hidden]) progress", state="detached")
    wait_for_answer(page, ".summary:has-text('placements')")


def finish(page):
    """Place cards wherever there is room, and confirm."""
    while button(page, "Confirm").is_disabled():
        for key in "bmt":
            page.keyboard.press(key)
    with page.expect_response("**/place"):
        button(page, "Confirm").click()


def test_a_hint_is_given_on_request(start):
    page = start(hands=1, grades=False)
    assert page.locator(".hint-box .answer").count() == 0
    button(page, "Give me a hint").click()
    page.wait_for_selector(".hint-box .answer")
    said = page.locator(".hint-box .answer").inner_text()
    assert " in the back" in said or " in the middle" in said or " on top" in said


def test_a_late_answer_does_not_bring_back_a_match_that_was_left(start):
    page = start(hands=1, grades=False)
    late = []
    page.locator("nav a[href='#analyse']").click()
    page.route("**/api/v1/games/*", lambda route: late.append(route))
    page.locator("nav a[href='#play']").click()
    button(page, "Leave").click()
    opponent = page.get_by_role("group", name="Opponent")
    opponent.wait_for()
    assert len(late) == 1, "coming back to the tab asks for the match once more"
    with page.expect_response("**/api/v1/games/*"):
        late[0].continue_()
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert opponent.is_visible()
