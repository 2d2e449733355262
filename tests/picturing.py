"""Takes the pictures of docs/images: ``python tests/picturing.py`` all of them, or those named after it."""

import base64
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from browsing import ARGUMENTS, button, card_name, chromium, watched
from serving import Client, play_hand, serving, start, step

IMAGES = Path(__file__).parent.parent / "docs" / "images"
DESK, PHONE = (1440, 900), (390, 844)
QUALITY = 88
HANDS = 40  # that the statistics are about
FIRST = "analyse?rules=pineapple&cards=AsAhKd7c2s"
CLOSE = "analyse?rules=pineapple&cards=JcAc7dJd2s&dead=3h"  # its search is not over early
VERSUS = "analyse?rules=pineapple&cards=Kc9d3s&board=Qd/9c9s4h/AsAcAd&dead=2c&opponent=Kh/8c8d2hTh/TcTs5h5c"
LAST = "analyse?rules=pineapple&cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&dead=2c5d6s"
ARRANGED = "fantasyland?rules=pineapple&cards=AsAhAdKcKdQs9h8h7h6h5h2c2d3s"
SEED = 22


def analyse(page, seconds="5"):
    """Press Analyse, and wait until the answer is complete."""
    page.get_by_label("Thinking time").select_option(seconds)
    button(page, "Analyse").click()
    page.wait_for_selector(".candidate")
    button(page, "Analyse").wait_for()


def place_anyhow(page, confirm):
    """Place cards wherever there is room, the top first, and confirm."""
    while button(page, confirm).is_disabled():
        for key in "tmb":
            page.keyboard.press(key)
    button(page, confirm).click()


def visited(look, client):
    look.open().wait_for_selector(".candidate")


def empty(tab):
    """Return what opens a tab in which nothing has been done."""

    def prepare(look, client):
        look.open(tab).wait_for_timeout(300)

    return prepare


def first_deal(look, client):
    analyse(look.open(FIRST))


def thinking(look, client):
    page = look.open(CLOSE)
    page.get_by_label("Thinking time").select_option("60")
    button(page, "Analyse").click()
    page.wait_for_selector(".candidate")
    page.wait_for_function("() => document.querySelector('progress').value > 0")


def versus(look, client):
    page = look.open(VERSUS)
    analyse(page)
    page.locator(".candidate button.line").nth(1).click()


def last_street(look, client):
    analyse(look.open(LAST))


def arranged(look, client):
    page = look.open(ARRANGED)
    button(page, "Arrange").click()
    page.wait_for_selector(".candidate")


def explored(look, client):
    look.open("openings").wait_for_selector(".heatmap .cell")


def played(look, client):
    page = look.open("play")
    page.get_by_text("More settings").locator("visible=true").click()
    page.get_by_label("Seed").fill(str(SEED))
    button(page, "Start").click()
    for street in range(1, 4):
        page.wait_for_selector(f"text=Hand 1, street {street}")
        if street < 3:
            place_anyhow(page, "Confirm")
    page.wait_for_selector("text=Your last decision")


def settled(look, client):
    game = start(client, seed=SEED, opponents=["evaluation"])
    game = play_hand(client, game)
    page = look.open(f"play?game={game['id']}")
    page.wait_for_selector(".settlement")


def trained(look, client):
    page = look.open("train")
    button(page, "Quiz").click()
    for _ in range(3):
        button(page, "Next" if page.locator(".verdict").count() else "Ask me").click()
        page.wait_for_selector(".placer")
        place_anyhow(page, "Answer")
        page.wait_for_selector(".verdict")


def reviewed(look, client):
    game = play_hand(client, start(client, seed=SEED, opponents=["evaluation"]))
    game = play_hand(client, step(client, game, "next"))
    page = look.open(f"review?game={game['id']}")
    page.wait_for_selector("text=Hand 1, decision 1")
    page.get_by_label("Simulations").fill("300")
    button(page, "Review").click()
    page.wait_for_selector("data.sum")


def reviewing(look, client):
    game = play_hand(client, start(client, seed=SEED, opponents=["evaluation"]))
    page = look.open(f"review?game={game['id']}")
    page.wait_for_selector("text=Hand 1, decision 1")
    page.get_by_label("Time per decision").select_option("5")
    button(page, "Review").click()
    page.wait_for_function("() => document.querySelector('progress').value > 0.1")


def entered(look, client):
    page = look.open("review")
    button(page, "Card by card").click()
    for card in ("As", "Kd", "7c", "7d", "2s"):
        page.locator(".entry .picker").get_by_role("button", name=card_name(card), exact=True).click()
    page.wait_for_selector(".entry .placer")
    page.keyboard.press("b")
    page.keyboard.press("m")


def counted(look, client):
    game = start(client, seed=SEED, opponents=["heuristic"], hands=HANDS)
    for hand in range(HANDS):
        game = play_hand(client, game)
        game = game if hand + 1 == HANDS else step(client, game, "next")
    look.open("statistics").wait_for_selector(".charts svg")


def sequence(look, client):
    page = look.open("sequence")
    button(page, "New game").click()
    page.wait_for_selector("text=Your turn")
    button(page, "Analyse").click()
    page.wait_for_selector(".tab:not([hidden]) .summary b")


def gomoku(look, client):
    page = look.open("gomoku")
    page.locator(".gomoku-board button").nth(112).click()
    page.wait_for_timeout(2500)


PICTURES = {  # in this order: the store is empty at first
    "review-empty-light": (empty("review"), DESK, "light"),
    "statistics-empty-light": (empty("statistics"), DESK, "light"),
    "first-visit-light": (visited, DESK, "light"),
    "analyse-empty-light": (empty("analyse"), DESK, "light"),
    "analyse-working-dark": (thinking, DESK, "dark"),
    "analyse-empty-phone-light": (empty("analyse"), PHONE, "light"),
    "analyse-light": (first_deal, DESK, "light"),
    "search-dark": (versus, DESK, "dark"),
    "phone-dark": (last_street, PHONE, "dark"),
    "fantasyland-dark": (arranged, DESK, "dark"),
    "fantasyland-empty-light": (empty("fantasyland"), DESK, "light"),
    "fantasyland-phone-light": (arranged, PHONE, "light"),
    "openings-light": (explored, DESK, "light"),
    "openings-dark": (explored, DESK, "dark"),
    "openings-phone-dark": (explored, PHONE, "dark"),
    "play-empty-light": (empty("play"), DESK, "light"),
    "play-light": (played, DESK, "light"),
    "play-settled-dark": (settled, DESK, "dark"),
    "play-phone-dark": (played, PHONE, "dark"),
    "train-empty-light": (empty("train"), DESK, "light"),
    "train-light": (trained, DESK, "light"),
    "train-dark": (trained, DESK, "dark"),
    "train-phone-dark": (trained, PHONE, "dark"),
    "review-entry-dark": (entered, DESK, "dark"),
    "review-light": (reviewed, DESK, "light"),
    "review-working-light": (reviewing, DESK, "light"),
    "review-dark": (reviewed, DESK, "dark"),
    "review-phone-dark": (reviewed, PHONE, "dark"),
    "statistics-light": (counted, DESK, "light"),
    "statistics-dark": (empty("statistics"), DESK, "dark"),
    "statistics-phone-dark": (empty("statistics"), PHONE, "dark"),
    "gomoku-light": (gomoku, DESK, "light"),
    "gomoku-dark": (gomoku, DESK, "dark"),
    "gomoku-phone-light": (gomoku, PHONE, "light"),
    "sequence-light": (sequence, DESK, "light"),
    "sequence-dark": (sequence, DESK, "dark"),
    "sequence-phone-dark": (sequence, PHONE, "dark"),
}


def take(browser, address, name):
    """Take one picture, as a client of its own."""
    prepare, (width, height), scheme = PICTURES[name]
    first = prepare is visited
    with (
        Client(address) as client,
        watched(browser, address, width, height, first_visit=first, color_scheme=scheme) as look,
    ):
        look.page.add_init_script(f"localStorage.setItem('bromeliad.client', '{client.secret}')")
        prepare(look, client)
        look.page.mouse.move(0, 0)
        look.page.evaluate("scrollTo(0, 0)")
        look.page.wait_for_timeout(1000)  # what moves has arrived
        tools = look.page.context.new_cdp_session(look.page)
        shot = tools.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
        (IMAGES / f"{name}.webp").write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def opened():
    """Give a browser, and the address of a service with an empty store."""
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as folder,
        serving(f"{folder}/pictures.sqlite") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser, address
        browser.close()


def main(names):
    """Take the pictures of these names."""
    if unknown := set(names) - set(PICTURES):
        raise SystemExit(f"picturing: {', '.join(sorted(unknown))}: choose from {', '.join(PICTURES)}")
    with opened() as (browser, address):
        for name in names or PICTURES:
            take(browser, address, name)
            print(IMAGES / f"{name}.webp")


if __name__ == "__main__":
    main(sys.argv[1:])
