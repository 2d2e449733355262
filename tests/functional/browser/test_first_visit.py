"""What a new reader meets: an example that is solved already, a hand to deal, a font of the page's own."""

import re

from browsing import WEB, assert_says, button, eventually, watched

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
