"""The page as a whole: its weight, its manners towards everybody, its languages and themes."""

import pytest

from browsing import OVERFLOW, TABS, WEB, button, open_tab, wait_for_address, wait_for_answer, watched

MOST_SCRIPT = 220_000  # bytes
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
POSITION = "cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&opponent=KhJh2c/8c8d2hTh3c/TcTs5h5cJc"
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
            open_tab(page, tab)
            assert page.evaluate(SERIOUS) == [], tab


@pytest.mark.parametrize("width", [768, 961, 1024, 1180, 1280])
def test_every_width_shows_all_tabs_and_the_deck_without_scrolling(browser, address, width):
    with watched(browser, address, width=width, height=768) as look:
        page = look.open("analyse")
        deck = page.get_by_role("group", name="Deck").bounding_box()
        assert deck["y"] + deck["height"] < 650
        page.evaluate("hash => { location.hash = hash }", f"analyse?{POSITION}")
        page.wait_for_selector("text=Street 5 of 5")
        button(page, "Analyse").click()
        wait_for_answer(page)
        results = page.locator(".results")
        assert results.evaluate("panel => panel.scrollWidth - panel.clientWidth") == 0
        for tab in TABS:
            open_tab(page, tab)
            assert page.evaluate(OVERFLOW) == 0, tab


def test_a_phone_shows_everything_without_scrolling_sideways(phone):
    page = phone.open(f"analyse?{POSITION}")
    button(page, "Analyse").tap()
    wait_for_answer(page)
    for tab in TABS:
        open_tab(page, tab)
        assert page.evaluate(OVERFLOW) == 0, tab


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_chosen_and_what_is_free_is_seen(browser, address, scheme):
    """The pressed segment has a ring of its own colour; cards that can be taken are not faded."""
    with watched(browser, address, color_scheme=scheme) as look:
        page = look.open("train")
        shadows = page.locator(".segments button").evaluate_all(
            "all => all.map(one => [one.ariaPressed, getComputedStyle(one).boxShadow, getComputedStyle(one).color])"
        )
        pressed = [found[1:] for found in shadows if found[0] == "true"]
        others = {tuple(found[1:]) for found in shadows if found[0] == "false"}
        assert len(pressed) == 1
        assert pressed[0][1] in pressed[0][0]
        assert tuple(pressed[0]) not in others
        page.evaluate("location.hash = '#analyse?cards=AsAhKd7c2s'")
        page.wait_for_selector(".picker .mine")
        free = page.locator(".picker .card-box:not(.mine, .gone)")
        assert set(free.evaluate_all("all => all.map(one => getComputedStyle(one).opacity)")) == {"1"}


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
