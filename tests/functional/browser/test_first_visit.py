"""What a new reader meets: an example that is solved already, a hand to deal, a font of the page's own."""

import re

import pytest

from browsing import WEB, assert_says, button, card_name, eventually, watched

FONT = "figtree-latin-wght-normal.woff2"
MOST_FONT = 120_000  # bytes
AS_WIDE = """() => [...'0123456789'].map(digit => {
    const box = document.createElement('span')
    box.textContent = digit.repeat(20)
    document.body.append(box)
    return box.getBoundingClientRect().width
})"""


def test_a_first_visit_begins_with_an_example_that_the_book_has_solved(browser, address, run):
    with watched(browser, address, first_visit=True) as look:
        posted = []
        look.page.on("request", lambda request: request.method == "POST" and posted.append(request.url))
        page = look.open()
        page.wait_for_selector(".candidate")
        assert page.locator(".example").is_visible()
        answer = run("solve", "--cards", "As Ah Kd 7c 2s", "--json").json
        assert answer["method"] == "book"
        assert_says(page, answer)
        assert not any(url.endswith("/jobs") for url in posted), "nothing is searched unasked"
        button(page, "Deal me a hand").click()
        eventually(page.locator(".example")).to_have_count(0)
        eventually(page.locator(".candidate")).to_have_count(0)
        page.goto("about:blank")
        page = look.open("analyse")
        eventually(button(page, "The last street, exact")).to_be_visible()
        assert page.locator("[data-zone=cards] [data-card]").count() == 0


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_a_newcomer_enters_a_hand_against_a_board_with_a_click_for_each_card_and_row(browser, address, size):
    """From the first page to the answer: no menu, nothing to type, 28 clicks."""
    width, height = size
    with watched(browser, address, width=width, height=height, first_visit=True) as look:
        page = look.open()
        clicks = [button(page, "Clear")]
        deck = page.get_by_role("group", name="Deck")
        own = [page.locator(f"[data-zone='own.{row}'] button.slot") for row in ("top", "middle", "back")]
        theirs = [None, *(page.locator(f"[data-zone='0.{row}'] button.slot") for row in ("middle", "back"))]
        for place, cards in zip(own, ("Qd", "9c 9s 4h", "As Ac Ad"), strict=True):
            clicks += [place, *cards.split()]
        clicks.append(button(page, "Add a board"))  # its top is filled next
        for place, cards in zip(theirs, ("Kh", "8c 8d 2h Th", "Tc Ts 5h 5c"), strict=True):
            clicks += [*filter(None, [place]), *cards.split()]
        clicks += [page.locator("[data-zone=cards] button.slot"), "Kc", "9d", "3s", button(page, "Analyse")]
        for one in clicks:
            (deck.get_by_role("button", name=card_name(one)) if isinstance(one, str) else one).click()
        eventually(page.locator(".answer")).to_contain_text("9 in the middle by ")
        position = "cards=Kc9d3s&board=Qd/9c9s4h/AsAcAd&opponent=Kh/8c8d2hTh/TcTs5h5c"
        assert page.url.endswith(f"#analyse?rules=pineapple&{position}")
        assert len(clicks) == 28


def test_a_link_opens_its_own_position_on_a_first_visit(browser, address):
    with watched(browser, address, first_visit=True) as look:
        page = look.open("analyse?cards=KcKdQd4c3c")
        page.wait_for_selector("[data-zone=cards] [data-card=Kc]")
        assert page.locator(".example").count() == 0


def test_the_first_button_deals_until_there_are_cards(desk):
    page = desk.open("analyse")
    deal, run = button(page, "Deal me a hand"), button(page, "Analyse")
    eventually(deal).to_have_class("primary")
    deal.click()
    eventually(run).to_have_class(re.compile("primary"))
    assert "primary" not in (deal.get_attribute("class") or "")


def test_the_font_is_the_pages_own_with_figures_of_one_width(desk, built):
    assert (WEB / "static" / FONT).stat().st_size <= MOST_FONT
    assert "SIL Open Font License" in (WEB / "static" / "figtree-license.txt").read_text(encoding="utf-8")
    page = desk.open("analyse")
    assert page.evaluate("document.fonts.load('16px Figtree').then(found => found.length)") == 1
    assert len({round(width, 2) for width in page.evaluate(AS_WIDE)}) == 1
