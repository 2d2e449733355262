"""The page as a whole: its weight, its manners towards everybody, its languages and themes."""

import pytest

from browsing import TABS, WEB, button, wait_for_address, wait_for_answer, watched

MOST_SCRIPT = 200_000  # bytes
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
POSITION = "cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&opponent=KhJh2c/8c8d2hTh3c/TcTs5h5cJc"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SERIOUS = """async () => (await axe.run()).violations
    .filter(found => ['serious', 'critical'].includes(found.impact))
    .map(found => found.id + ': ' + found.nodes.map(node => node.target).join(' | '))"""


def test_script_is_light(built):
    scripts = [path.stat().st_size for path in (WEB / "static").rglob("*.js")]
    assert 0 < sum(scripts) <= MOST_SCRIPT


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_tab_has_a_serious_barrier(browser, address, scheme):
    if not AXE.is_file():
        pytest.skip("NO AXE-CORE, so accessibility is not tested: npm ci in src/bromeliad/web")
    with watched(browser, address, color_scheme=scheme) as look:
        page = look.open(f"analyse?{POSITION}")
        page.evaluate(AXE.read_text(encoding="utf-8"))
        button(page, "Analyse").click()
        wait_for_answer(page)
        for tab in TABS:
            page.locator(f"nav a[href='#{tab}']").click()
            page.wait_for_selector(".tab:not([hidden]) .panel")
            assert page.evaluate(SERIOUS) == [], tab


def test_a_phone_shows_everything_without_scrolling_sideways(phone):
    page = phone.open(f"analyse?{POSITION}")
    button(page, "Analyse").tap()
    wait_for_answer(page)
    for tab in TABS:
        page.locator(f"nav a[href='#{tab}']").tap()
        page.wait_for_selector(".tab:not([hidden]) .panel")
        assert page.evaluate(OVERFLOW) == 0, tab


def test_languages_and_themes_are_kept(desk):
    page = desk.open("play")
    page.get_by_label("Language").select_option("zh-CN")
    page.wait_for_selector("text=新对局")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.locator("button[aria-label^='主题']").click()
    page.wait_for_selector("html[data-theme=dark]")
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert light != dark
    page.reload()
    page.wait_for_selector("text=新对局")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == dark


def test_the_keyboard_reaches_the_content(desk):
    page = desk.open("analyse")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    deck = page.get_by_role("group", name="Deck")
    deck.get_by_role("button").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_address(page, "cards=Kh")


def test_a_token_is_taken_from_the_address_and_sent(browser, tmp_path, built):
    from serving import serving

    with serving(str(tmp_path / "token.sqlite"), token="secret") as address, watched(browser, address) as look:
        page = look.page
        page.goto(f"{address}/?token=secret#analyse")
        page.wait_for_selector(".panel")
        assert "token" not in page.url
        page.evaluate("sessionStorage.clear()")
        page.reload()
        assert "token" in page.locator(".notice").inner_text()
