"""Fantasyland: arrangements as the command lists them, and what they give up."""

from browsing import assert_says, button, card_name, wait_for_address, wait_for_answer, wait_for_sight

CARDS = "As Ah Ad Kc Kd Qs 9h 8h 7h 6h 5h 2c 2d 3s"


def test_arrangements_are_the_commands(desk, run):
    page = desk.open("fantasyland")
    page.get_by_label("Type cards for: Fantasyland hand").fill(CARDS)
    button(page, "Arrange").click()
    wait_for_answer(page)
    answer = run("solve", "--fantasyland", "--cards", CARDS, "--top", "30", "--json").json
    assert_says(page, answer)
    royalties = [action["royalties"] for action in answer["actions"]]
    given_up = page.locator(".gives-up").all_inner_texts()
    assert len(given_up) == len(royalties) - 1
    worse = next(i for i, points in enumerate(royalties) if points < royalties[0])
    assert given_up[worse - 1] == f"gives up {royalties[0] - royalties[worse]:.0f} in royalties"


def test_a_phone_brings_the_arrangements_into_sight(phone):
    page = phone.open("fantasyland?cards=AsAhAdKcKdQs9h8h7h6h5h2c2d3s")
    button(page, "Arrange").tap()
    wait_for_answer(page)
    wait_for_sight(page, ".tab:not([hidden]) .candidate")
    page.evaluate("scrollTo(0, 0)")
    button(page, "Clear").tap()
    page.wait_for_selector("text=0 cards (13 to 17)")


def test_a_hand_is_dealt_at_random_and_changed_by_clicks(desk):
    page = desk.open("fantasyland?rules=ultimate&cards=AsKs")
    page.get_by_label("Number of cards to deal").select_option("16")
    button(page, "Deal at random").click()
    page.wait_for_selector("text=16 cards")
    page.keyboard.press("Enter")  # arranges, and does not deal again
    wait_for_answer(page)
    deck = page.get_by_role("group", name="Deck")
    assert deck.get_by_role("button", pressed=True).count() == 16
    button(page, "Clear").click()
    deck.get_by_role("button", name=card_name("As")).click()
    wait_for_address(page, "cards=As")
    deck.get_by_role("button", name=card_name("As")).click()
    wait_for_address(page, "cards=")
    assert button(page, "Arrange").is_disabled()


def test_jokers_and_links_that_are_opened_later(desk, run):
    page = desk.open("fantasyland")
    cards = "Jk Jk As Kd Qs 9h 8h 7h 6h 5h 2c 2d 3s 4c"
    page.evaluate("hash => { location.hash = hash }", f"fantasyland?rules=ultimate&cards={cards.replace(' ', '')}")
    page.wait_for_selector("text=14 cards")
    button(page, "Arrange").click()
    wait_for_answer(page)
    command = ("solve", "--rules", "ultimate", "--fantasyland", "--cards", cards, "--top", "30", "--json")
    assert_says(page, run(*command).json)
