"""Names of players and rules are texts, whatever is in them: nothing of them runs in the page."""

import pytest

from bromeliad.games.ofc.rules.files import preset
from bromeliad.storage import open_store
from browsing import OVERFLOW, button, open_tab, wait_for_answer
from played_hands import played_hands
from serving import serving

CODE = "window.hacked = 1"
NAMES = [
    f"<img src=x onerror='{CODE}'>",
    f"<script>{CODE}</script>",
    f'"><svg onload={CODE.replace(" ", "")}>',
    f"javascript:{CODE}",
    "{{constructor.constructor('window.hacked=1')()}}",
    "</td></table><iframe srcdoc='<script>parent.hacked=1</script>'>",
]
TABS = ("analyse", "fantasyland", "play", "train", "review", "statistics", "gomoku", "sequence")


def named(record, first, second, rules=None):
    players = tuple(
        player.model_copy(update={"name": name}) for player, name in zip(record.players, (first, second), strict=True)
    )
    return record.model_copy(update={"players": players} | ({} if rules is None else {"rules": rules}))


def records():
    made = played_hands(len(NAMES))
    odd = preset("pineapple").model_dump(mode="json") | {"name": NAMES[0], "summary": NAMES[1]}
    found = [named(record, name, NAMES[0][::-1]) for (record, _), name in zip(made, NAMES, strict=True)]
    return [*found, named(made[0][0], NAMES[1], NAMES[2], odd)]


@pytest.fixture(scope="module")
def address(built, tmp_path_factory):
    """Return the address of a service whose store, which no other test uses, holds hands of hostile names."""
    store = str(tmp_path_factory.mktemp("hostile") / "page.sqlite")
    with open_store(store) as opened:
        for record in records():
            opened.hands.add_record(opened.games.add("pineapple", "import", record.players[0].name), record)
    with serving(store) as found:
        yield found


def go(desk, route):
    """Show a route in a page that may be open already."""
    desk.page.goto(f"{desk.address}/#{route}")
    desk.page.wait_for_selector(".tab:not([hidden])")
    return desk.page


def test_names_do_not_run(desk):
    for tab in TABS:
        page = go(desk, tab)
        page.wait_for_timeout(300)
        assert page.evaluate("window.hacked") is None
        assert page.locator("iframe, svg[onload], img[src='x']").count() == 0
    page = go(desk, "statistics")
    page.wait_for_selector(".tab:not([hidden]) .table-box tbody th")
    shown = " ".join(page.locator(".tab:not([hidden]) .table-box tbody th").all_inner_texts())
    assert "<script>" in shown
    assert page.evaluate("window.hacked") is None


def test_long_names_do_not_widen_a_phone(phone):
    page = phone.open("review")
    page.wait_for_selector(".stored tbody tr")
    assert page.evaluate(OVERFLOW) == 0
    page.locator(".stored tbody button.link").first.tap()
    page.get_by_text("Hand 1, decision 1").wait_for()
    assert page.evaluate(OVERFLOW) == 0
    open_tab(page, "statistics")
    page.wait_for_selector(".tab:not([hidden]) .table-box tbody th")
    assert page.evaluate(OVERFLOW) == 0


def test_pasted_histories_do_not_run(desk):
    page = desk.open("review")
    page.get_by_label("Paste hand histories").fill("\n".join(record.to_line() for record in records()[:2]))
    page.get_by_label("Simulations").fill("5")
    button(page, "Review").click()
    wait_for_answer(page, ".mistakes")
    assert page.evaluate("window.hacked") is None
    page.get_by_label("Paste hand histories").fill(f'{{"format": "{NAMES[0]}"}}\n{NAMES[1]}')
    button(page, "Review").click()
    page.wait_for_selector(".tab:not([hidden]) .notice")
    assert page.evaluate("window.hacked") is None


def test_addresses_do_not_run(desk):
    for name in NAMES:
        for route in ("analyse?cards=", "analyse?rules=", "review?hand=", "gomoku?position=", ""):
            page = go(desk, route + name.replace(" ", "%20"))
            assert page.evaluate("window.hacked") is None
