"""Play: a whole match, fantasyland included, scored as the table scores it; grades, undo, a reload in between."""

import httpx2
import pytest

from bromeliad.playing.ofc_game import TableGame
from bromeliad.playing.strategies import find_strategy
from browsing import button, place

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
        page.get_by_label("Strength").select_option("heuristic")
        page.get_by_label("Hands").fill(str(hands))
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
    totals = page.locator("tfoot data").evaluate_all("cells => cells.map(cell => Number(cell.value))")
    assert totals == list(twin.game.table.scores)

    game = page.url.split("game=")[1]
    history = tmp_path / "hands.jsonl"
    history.write_text(httpx2.get(f"{desk.address}/api/v1/games/{game}/history").text)
    assert run("hands", "check", str(history)).code == 0
    scores = [hand["events"][-1]["points"] for hand in run("hands", "show", str(history), "--json").lines]
    shown = page.locator("tbody tr").evaluate_all("rows => rows.map(row => row.querySelector('td').innerText)")
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
    assert [page.locator(f".placer [data-zone={row}] .card-box").count() for row in ("top", "middle", "back")] == [
        1,
        2,
        2,
    ]
    assert button(page, "Confirm").is_enabled()
    page.locator(".placer [data-zone=top] .card-box").drag_to(page.locator(".placer [data-zone=hand]"))
    assert page.locator(".placer [data-zone=hand] .card-box").count() == 1
    assert button(page, "Confirm").is_disabled()
