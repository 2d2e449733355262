"""Small things that a new user stumbles over."""

import pytest

from browsing import TABS, WEB, button, choose_opponent, open_tab, watched


def test_a_match_is_set_up_in_the_readers_words(desk):
    page = desk.open("play")
    levels = page.locator(".ladder .level").all_inner_texts()
    assert levels[0].startswith("Tillandsia\nLevel 1 of 6\n")
    assert len(levels) == 6
    assert not any("solver" in text or ":200" in text for text in levels)
    assert page.get_by_label("Seed").locator("visible=true").count() == 0
    page.get_by_label("Language").select_option("zh-TW")
    rules = page.get_by_label("規則").locator("visible=true").locator("option").all_inner_texts()
    assert "大菠蘿" in rules
    assert "pineapple" not in rules


CUT = """selects => {
    const pen = document.createElement('canvas').getContext('2d')
    return selects.flatMap(select => {
        const style = getComputedStyle(select)
        pen.font = style.font  // the padding holds the arrow
        const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
        return [...select.options].filter(one => pen.measureText(one.text).width > room + 0.5).map(one => one.text)
    })
}"""


@pytest.mark.parametrize("width", [360, 768, 1024, 1280])
def test_no_choice_is_cut(browser, address, width):
    with watched(browser, address, width=width, height=800) as look:
        page = look.open("analyse")
        for tab in TABS:
            open_tab(page, tab)
            for mode in page.locator(".tab:not([hidden]) .segments button").all():
                mode.click()
                assert page.locator("select:visible").evaluate_all(CUT) == [], tab
            assert page.locator("select:visible").evaluate_all(CUT) == [], tab


def test_one_point_is_no_points(desk):
    page = desk.open("train")
    options = page.get_by_label("Lost at least").locator("option").all_inner_texts()
    assert "1 point" in options
    assert "2 points" in options


def test_texts_have_code_and_no_backticks(browser, built, tmp_path):
    from serving import serving

    with serving(str(tmp_path / "none.sqlite")) as address, watched(browser, address) as look:
        page = look.open("statistics")
        page.wait_for_selector("code:has-text('bromeliad hands import')")
        assert "`" not in page.locator("main").inner_text()


def test_next_comes_after_the_answer_and_enter_does_it(desk):
    page = desk.open("train")
    button(page, "Quiz").click()
    page.get_by_label("Street").select_option("5")
    button(page, "Ask me").click()
    page.wait_for_selector(".placer")
    assert button(page, "Next").count() == 0
    assert button(page, "Another one").is_visible()
    while button(page, "Answer").is_disabled():
        for key in "bmt":
            page.keyboard.press(key)
    assert page.locator(".placer .pile .card-box").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict")
    assert button(page, "Next").is_visible()
    page.keyboard.press("Enter")
    page.wait_for_selector(".placer")


def test_enter_analyses_and_the_number_of_cards_is_that_of_the_hand(desk):
    page = desk.open("analyse?cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&dead=2c5d6s")
    page.keyboard.press("Enter")
    page.wait_for_selector(".candidate")
    page.evaluate("location.hash = '#fantasyland?cards=AsAhAdKcKdQs9h8h7h6h5h2c2d3s4s5d6d'")
    page.wait_for_selector("text=17 cards (13 to 17)")
    assert page.get_by_label("Number of cards to deal").input_value() == "17"
    page.get_by_label("Type cards for: Fantasyland hand").press("Enter")
    page.wait_for_selector(".tab:not([hidden]) .candidate")


def test_discards_are_cards(desk):
    page = desk.open("play")
    choose_opponent(page, "heuristic")
    page.get_by_label("Grade each").set_checked(False)
    button(page, "Start").click()
    page.wait_for_selector("text=Hand 1, street 1")
    for key in "bbmmt":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Hand 1, street 2")
    for key in "bm":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Hand 1, street 3")
    assert page.locator(".panel > .pile .card-box").count() == 1


def test_the_keys_are_listed_on_a_question_mark(desk):
    page = desk.open("analyse")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard")
    assert dialog.get_by_text("Analyse, confirm, answer, or go on").is_visible()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def test_a_street_has_one_name_in_chinese():
    texts = [WEB / "src" / "texts.ts", *(WEB.parent / "locale").glob("*.po")]
    assert len(texts) == 3
    for path in texts:
        assert "街" not in path.read_text(encoding="utf-8"), path
