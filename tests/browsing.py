"""The page in a real Chromium: where it is, how tests read it, and what it says as numbers."""

import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect as eventually

WEB = Path(__file__).parent.parent / "src" / "bromeliad" / "web"
NAMES = ("chromium", "chromium-browser", "google-chrome")
TABS = ("analyse", "fantasyland", "openings", "play", "train", "review", "statistics", "gomoku", "sequence")
PARTS = ("rows", "scoop", "royalties", "opponent_royalties", "foul", "fantasyland", "opponent_fantasyland")
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

_READ = """items => items.map(item => {
    const value = name => { const found = item.querySelector(name + ' data, data' + name); return found && found.value }
    return {ev: value('.ev'), stderr: value('.stderr'), ev_loss: value('.loss'), p_foul: value('.foul'),
            p_fantasyland: value('.fantasyland'), royalties: value('.royalties'), row_points: value('.rows'),
            p_scoop: value('.scoop'), opponent_royalties: value('.their-royalties'),
            opponent_p_foul: value('.their-foul'), opponent_p_fantasyland: value('.their-fantasyland'),
            exact: item.querySelector('.tag.exact') !== null, close: item.querySelector('.tag.close') !== null,
            text: item.querySelector('.ev')?.textContent,
            board: item.querySelector('.placed').getAttribute('aria-label')}
})"""


eventually.set_options(timeout=60_000)  # waits for what a click leads to; a busy machine draws late


def chromium():
    """Return the path of a Chromium, or None."""
    return os.environ.get("BROMELIAD_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def level_names():
    """Return the page's names of opponents by strategy, as its source has them."""
    source = (WEB / "src" / "lib" / "names.ts").read_text(encoding="utf-8")
    levels = source.split("LEVELS = [")[1].split("] as const")[0]
    return {strategy: name for name, strategy in re.findall(r'\["(.+?)", "(.+?)"\]', levels)}


class Watched:
    """A page that notes what it asks for and what goes wrong in it."""

    def __init__(self, context, address):
        self.address, self.requests, self.problems = address, [], []
        self.page = context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def open(self, route=""):
        """Open the page at a route such as ``analyse?cards=…``."""
        self.page.goto(f"{self.address}/#{route}")
        self.page.wait_for_selector(".panel")
        return self.page

    def check(self):
        """Assert that nothing went wrong and nothing left the host."""
        own = (self.address, "data:", "blob:")
        assert [url for url in self.requests if not url.startswith(own)] == []
        assert self.problems == []


@contextmanager
def watched(browser, address, width=1280, height=900, first_visit=False, **options):
    """Open a page of its own, in a browser that has seen it before; check it at the end."""
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-US", **options)
    if not first_visit:
        context.add_init_script("location.origin === 'null' || localStorage.setItem('bromeliad.seen', 'yes')")
    page = Watched(context, address)
    try:
        yield page
        page.check()
    finally:
        context.close()


def open_tab(page, tab):
    """Open a tab by its link; other games are in a menu."""
    link = page.locator(f"nav a[href='#{tab}']")
    if not link.is_visible():
        page.locator(".other-games summary").click()
    link.click()
    page.wait_for_selector(f"nav a[href='#{tab}'][aria-current]", state="attached")
    page.wait_for_selector(".tab:not([hidden]) .panel")


def button(page, name):
    """Return the visible button of this name."""
    return page.get_by_role("button", name=name, exact=True).locator("visible=true")


def choose_opponent(page, strategy):
    """Choose the opponent of a match by its strategy."""
    page.locator(f".ladder label:has(input[value='{strategy}'])").click()


def wait_for_address(page, ending):
    """Wait until the address ends so."""
    page.wait_for_function("text => location.href.endsWith(text)", arg=ending, timeout=60_000)


def wait_for_answer(page, selector=".candidate"):
    """Wait until there is something to see; a refusal fails at once."""
    page.wait_for_selector(f".tab:not([hidden]) {selector}, .tab:not([hidden]) .notice")
    assert page.locator(".tab:not([hidden]) .notice").all_inner_texts() == []


def wait_for_sight(page, selector):
    """Wait until the first of these is wholly in sight, above the bar of a phone."""
    page.wait_for_function(
        """selector => {
            const box = document.querySelector(selector)?.getBoundingClientRect()
            return box && box.top > 0 && box.bottom < innerHeight - 60
        }""",
        arg=selector,
    )


def show_all(page):
    """Unfold the list of placements: every one in the order of the answer."""
    rest = page.locator(".tab:not([hidden]) button.quiet")
    if rest.count() and rest.get_attribute("aria-expanded") == "false":
        rest.click()
        eventually(rest).to_have_attribute("aria-expanded", "true")


def candidates(page):
    """Return what the page says about every placement, numbers as texts."""
    return page.locator(".tab:not([hidden]) .candidate").evaluate_all(_READ)


def assert_says(page, answer):
    """Assert that the page says of every placement what the command's JSON says, bit for bit."""
    show_all(page)
    told = candidates(page)
    assert_opens(page, answer["actions"][0])
    assert len(told) == len(answer["actions"])
    for item, action in zip(told, answer["actions"], strict=True):
        for field in ("ev", "p_foul", "p_fantasyland", "royalties", "p_scoop"):
            expected = action[field]
            assert (item[field] is None) == (expected is None), (field, item, action)
            assert expected is None or float(item[field]) == expected, (field, item, action)
        if action["ev"] is None:
            continue
        assert item["exact"] == action["exact"]
        assert action["exact"] or float(item["stderr"]) == action["stderr"]
        assert float(item["ev_loss"] or 0) == action["ev_loss"]
        error = action["ev_loss_stderr"]
        assert item["close"] == bool(error and action["ev_loss"] < 1.96 * error)
        assert float(item["text"].replace("−", "-")) == pytest.approx(action["ev"], abs=0.0051)


def assert_opens(page, action):
    """Assert that the best row opens to all its figures and to parts that add up to its EV."""
    row = page.locator(".tab:not([hidden]) .candidate").first
    row.locator("button.line").click()
    (shown,) = row.locator(".details").evaluate_all(
        _READ.replace("item.querySelector('.placed')", "item.parentElement")
    )
    for field in ("row_points", "opponent_royalties", "opponent_p_foul", "opponent_p_fantasyland"):
        expected = action[field]
        assert (shown[field] is None) == (expected is None), (field, shown, action)
        assert expected is None or float(shown[field]) == expected, (field, shown, action)
    parts = row.locator(".split-ev data").evaluate_all("parts => parts.map(part => Number(part.value))")
    if action["parts"]:
        assert parts == [value for value in (action["parts"][name] for name in PARTS) if value is not None]
    else:
        assert parts == []
    row.locator("button.line").click()


def place(page, rows):
    """Place cards by name with the mouse: click a card, then the row; ``rows`` are top, middle, back."""
    for name, cards in zip(("top", "middle", "back"), rows, strict=False):
        for card in cards:
            select(page, card)
            page.locator(f".tab:not([hidden]) .placer [data-zone={name}] button.slot").click()


_RANKS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}
_SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def card_name(card):
    """Return what a card is called for those who listen."""
    return f"{_RANKS.get(card[0], card[0])} of {_SUITS[card[1]]}"


def select(page, card):
    """Select a card in hand, unless it is."""
    found = page.locator(".tab:not([hidden]) .placer [data-zone=hand]").get_by_role("button", name=card_name(card))
    if found.get_attribute("aria-pressed") == "false":
        found.click()
