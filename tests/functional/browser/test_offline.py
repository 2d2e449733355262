"""The page is an app: it can be installed, and opens while the service is away."""

from contextlib import ExitStack

from browsing import watched
from serving import serving

WORKER_IN_CHARGE = """() => new Promise(done => {
    const workers = navigator.serviceWorker;
    if (workers.controller) done(); else workers.addEventListener("controllerchange", () => done(), {once: true});
})"""


def test_the_page_can_be_installed(desk):
    page = desk.open("analyse")
    found = page.evaluate("fetch(document.querySelector('link[rel=manifest]').href).then(answer => answer.json())")
    assert (found["name"], found["display"]) == ("Bromeliad", "standalone")
    for icon in found["icons"]:
        assert page.evaluate("url => fetch(url).then(answer => answer.ok)", icon["src"])


def test_the_page_opens_without_its_service_and_says_so(browser, built, tmp_path):
    with ExitStack() as service:
        address = service.enter_context(serving(str(tmp_path / "away.sqlite")))
        with watched(browser, address) as look:
            page = look.open("train")
            page.evaluate(WORKER_IN_CHARGE)  # not wait_for_function: the page's policy forbids eval
            service.close()
            page.reload()
            page.wait_for_selector(".notice")
            assert page.locator(".notice").inner_text().startswith("The service does not answer")
            assert page.locator("nav a").first.is_visible()
            page.get_by_label("Language").select_option("zh-TW")
            assert page.locator(".notice").inner_text().startswith("服務沒有回應")
