"""Measures how quick the page is in Chromium: ``python tests/page_speed.py``; ``--write`` puts it into docs/page.md.

Times are by the clock, so measure on an idle machine. The processor time of a task hardly depends on other load.
"""

import json
import os
import sys
from pathlib import Path

from browsing import button, show_all, wait_for_answer, watched
from picturing import CLOSE, DESK, FIRST, opened

PAGE = Path(__file__).parent.parent / "docs" / "page.md"
BEGIN, END = "<!-- speed: written by tests/page_speed.py -->", "<!-- end of speed -->"

REPEATS = 5
CLICKS = 8  # while a search streams
STEPS = 60  # of the wheel, through all placements
OBSERVE = """() => {
    window.seen = []
    const note = list => list.getEntries().forEach(one => window.seen.push(one.duration))
    new PerformanceObserver(note).observe({type: 'event', durationThreshold: 16})
}"""
PAINTED = "performance.getEntriesByName('first-contentful-paint').map(one => one.startTime)[0]"
SETTLED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))"
TRACED = ["toplevel", "devtools.timeline", "__metadata"]


def first_paint(browser, address):
    """Return the milliseconds until something is seen, by a browser that keeps nothing."""
    with watched(browser, address, *DESK) as look:
        page = look.open("analyse")
        page.wait_for_function(f"() => {PAINTED} !== undefined")
        return page.evaluate(PAINTED)


def interaction(browser, address):
    """Return the slowest click to the next paint while a search streams, and the longest task, in milliseconds."""
    with watched(browser, address, *DESK) as look:
        page = look.open(CLOSE)
        page.get_by_label("Thinking time").select_option("60")
        page.evaluate(OBSERVE)
        button(page, "Analyse").click()
        wait_for_answer(page)
        browser.start_tracing(page=page, categories=TRACED)
        for at in range(CLICKS):
            page.locator(".candidate button.line").nth(at % 3).click()
            page.evaluate(SETTLED)
        task = longest_task(browser.stop_tracing())
        assert button(page, "Stop").is_visible(), "the search is over too early to measure"
        slowest = page.evaluate("Math.max(16, ...window.seen)")
        button(page, "Stop").click()
        return slowest, task[1]


def scrolling(browser, address):
    """Return the longest task of the main thread while all placements of a first deal scroll, in milliseconds."""
    with watched(browser, address, *DESK) as look:
        page = look.open(FIRST)
        page.get_by_label("Thinking time").select_option("1")
        button(page, "Analyse").click()
        wait_for_answer(page)
        button(page, "Analyse").wait_for()
        show_all(page)
        assert page.locator(".candidate").count() == 232
        page.locator(".candidate").first.hover()
        page.evaluate(SETTLED)
        browser.start_tracing(page=page, categories=TRACED)
        for _ in range(STEPS):
            page.mouse.wheel(0, 200)
            page.evaluate(SETTLED)
        task = longest_task(browser.stop_tracing())
        assert page.locator(".results").evaluate("panel => panel.scrollTop") > 8000
        return task


def longest_task(trace):
    """Return the longest task of the main thread by the clock, and the longest by processor time."""
    events = json.loads(trace)["traceEvents"]
    names = [event for event in events if event["name"] == "thread_name"]
    main = {(event["pid"], event["tid"]) for event in names if event["args"]["name"] == "CrRendererMain"}
    tasks = [
        event
        for event in events
        if event["name"].endswith("RunTask") and (event["pid"], event["tid"]) in main and "tdur" in event
    ]
    return tuple(max(task[field] for task in tasks) / 1000 for field in ("dur", "tdur"))


def measure():
    """Return rows of a table: what was measured, by the clock, by processor time, and the limit by the clock."""
    with opened() as (browser, address):
        first_paint(browser, address)  # the service is warm from now on
        paint = max(first_paint(browser, address) for _ in range(REPEATS))
        click, click_task = interaction(browser, address)
        task, task_busy = scrolling(browser, address)
    return [
        (f"first paint: warm service, empty browser cache, worst of {REPEATS}", paint, None, 1000),
        (f"click to next paint while a search streams, worst of {CLICKS}", click, click_task, 100),
        (f"longest main-thread task while 232 placements scroll, {STEPS} steps", task, task_busy, 50),
    ]


def table(rows):
    """Return the figures as text."""
    load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    lines = [
        "| in Chromium, 1440 × 900 | ms | processor time of the longest task, ms | limit, ms |",
        "|---|---|---|---|",
    ]
    for name, clock, busy, limit in rows:
        lines.append(f"| {name} | {clock:.0f} | {'' if busy is None else f'{busy:.0f}'} | {limit} |")
    return "\n".join(lines) + f"\n\nLoad of the machine during the measurement: {load}."


def main(arguments):
    """Print the figures, or write them."""
    text = table(measure())
    print(text)
    if arguments == ["--write"]:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
