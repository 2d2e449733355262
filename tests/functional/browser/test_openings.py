"""Openings: the figures of the page are those of the commands; a deal opens in Analyse."""

from browsing import button, wait_for_address


def sums(page):
    return {
        name: float(page.locator(f".sums .{name} data").get_attribute("value"))
        for name in ("hands", "share", "ev", "lead", "foul", "fantasyland")
    }


def evs(page):
    return page.locator("tr.deal data.ev").evaluate_all("items => items.map(item => Number(item.value))")


def test_all_deals_sum_to_the_statistics_of_the_book(desk, run):
    page = desk.open("openings")
    page.wait_for_selector("tr.deal")
    stats = run("book", "stats", "--json").json
    found = sums(page)
    assert (found["hands"], found["ev"], found["lead"]) == (stats["hands"], stats["value"], stats["lead"])
    assert found["hands"] == 134459
    assert found["share"] == 1.0
    assert evs(page) == sorted(evs(page), reverse=True)
    page.locator(".quiet").locator("visible=true").click()
    page.wait_for_function("() => document.querySelectorAll('tr.deal').length === 100")


def test_filters_sorting_and_the_heat_map_are_the_commands(desk, run):
    page = desk.open("openings")
    page.get_by_label("Kind").select_option("pair")
    page.get_by_label("Highest pair").select_option("K")
    page.get_by_label("Lead at least").select_option("1")
    wait_for_address(page, "#openings?filter=kind%3Dpair&filter=pair%3DK&filter=lead%3E%3D1")
    options = ("--filter", "kind=pair", "--filter", "pair=K", "--filter", "lead>=1", "--top", "50", "--json")
    answer = run("book", "explore", *options).json
    page.wait_for_function(f"() => document.querySelector('.sums .hands data')?.value === '{answer['hands']}'")
    assert sums(page) == {name: answer[name] for name in sums(page)}
    assert evs(page) == [item["ev"] for item in answer["openings"]]
    button(page, "Lead").click()
    answer = run("book", "explore", *options, "--sort", "lead").json
    page.wait_for_function(
        f"() => Number(document.querySelector('tr.deal data.ev').value) === {answer['openings'][0]['ev']}"
    )
    assert evs(page) == [item["ev"] for item in answer["openings"]]
    button(page, "Clear").click()
    page.locator(".heatmap button[aria-label^='A and K']").click()
    answer = run("book", "explore", "--filter", "high=A", "--filter", "second=K", "--json").json
    page.wait_for_function(f"() => document.querySelector('.sums .hands data')?.value === '{answer['hands']}'")


def test_a_deal_opens_in_analyse(desk, run):
    page = desk.open("openings?filter=kind%3Dpair&filter=pair%3DA")
    page.wait_for_selector("tr.deal")
    (first,) = run("book", "explore", "--filter", "kind=pair", "--filter", "pair=A", "--top", "1", "--json").json[
        "openings"
    ]
    page.wait_for_function(f"() => Number(document.querySelector('tr.deal data.ev').value) === {first['ev']}")
    page.locator("button.open-deal").first.click()
    wait_for_address(page, "cards=" + first["cards"].replace(" ", ""))
    page.go_back()
    page.wait_for_selector("tr.deal")
    assert "#openings?filter=" in page.url
