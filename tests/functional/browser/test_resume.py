"""A service that ends in the middle of a question: the page offers to go on."""

from browsing import button, wait_for_answer, watched
from serving import STREET_1, Client, serving


def test_an_interrupted_question_is_resumed(browser, built, tmp_path):
    store = str(tmp_path / "store.sqlite")
    with serving(store) as address, Client(address) as client:
        client.job({**STREET_1, "time": 30}, keep=True)
    with serving(store) as address, watched(browser, address) as look:
        look.page.add_init_script(f"localStorage.setItem('bromeliad.client', '{client.secret}')")
        page = look.open("analyse")
        button(page, f"Resume {STREET_1['cards']}").click()
        wait_for_answer(page)
        assert "cards=" + STREET_1["cards"].replace(" ", "") in page.url
        button(page, "Stop").click()
        page.wait_for_selector(".summary:has-text('simulations')")
