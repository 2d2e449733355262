"""The figures of the READMEs: claims and a chart from benchmarks/RESULTS.md (``bromeliad bench readme --write``)."""

import math
import re
from collections.abc import Sequence
from html import escape
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from bromeliad.bench.results import read_blocks

CHART = Path("docs/images/measured.svg")
READMES = {"README.md": "en", "README.zh-TW.md": "zh-TW"}
_BLOCK = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end measured -->)", re.DOTALL)
_OLD = "†"  # marks figures whose code has changed since
_TEXTS = {
    "en": {
        "head": "| what | measured | by |",
        "exact": "every future deal counted: street 5 in {five} ms, street 4 in {four} ms, street 3 in {three} ms,"
        " one thread",
        "exact_what": "exact answers",
        "book": "all {hands} first deals; the choice agrees with a search ten times as long in {agree} ± {agree_se} %,"
        " and costs {regret} ± {regret_se} points",
        "book_what": "opening book",
        "versus": "{player} wins {points} ± {se} points per hand from {other}, the luck of the deals taken off",
        "versus_what": "heads-up",
        "gomoku": "{won} of {games} games won against OpenSpiel's search at {budget} per move,"
        " {ratio} times its simulations",
        "gomoku_what": "Gomoku",
        "old": "{mark} measured before the latest changes of the code; `bromeliad bench status` lists these figures.",
        "chart": "Points won per hand, milliseconds of exact answers, simulations per second",
    },
    "zh-TW": {
        "head": "| 項目 | 測量結果 | 指令 |",
        "exact": "未來每一種發牌都算：第 5 輪 {five} 毫秒、第 4 輪 {four} 毫秒、第 3 輪 {three} 毫秒，單一執行緒",
        "exact_what": "精確解",
        "book": "全部 {hands} 種起手；與十倍長的搜尋有 {agree} ± {agree_se} % 選擇相同，只差 {regret} ± {regret_se} 分",
        "book_what": "開局庫",
        "versus": "扣除牌運後，{player} 每手贏 {other} {points} ± {se} 分",
        "versus_what": "單挑",
        "gomoku": "每步 {budget}，對 OpenSpiel 的搜尋 {games} 局贏 {won} 局，模擬數是它的 {ratio} 倍",
        "gomoku_what": "五子棋",
        "old": "{mark} 測量之後程式又有改動；`bromeliad bench status` 會列出這些數字。",
        "chart": "每手贏分、精確解的毫秒數、每秒模擬數",
    },
}


class _Bar(NamedTuple):
    """A bar of the chart."""

    label: str
    value: float
    text: str


class Figures:
    """The tables of a results file."""

    def __init__(self, results: Path) -> None:
        self._text = results.read_text(encoding="utf-8") if results.exists() else ""
        self._blocks = {block.label: block for block in read_blocks(results)}

    def rows(self, bench: str, title: str) -> list[dict[str, str]]:
        """Return the rows of a table by column; none if there is no such table."""
        block = self._blocks.get(bench)
        _, _, rest = (block.text if block else "").partition(f"### {title}\n\n")
        table = takewhile(lambda line: line.startswith("|"), rest.splitlines())
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
        return [dict(zip(lines[0], line, strict=False)) for line in lines[2:]] if lines else []  # of two ±, the last

    def mark(self, bench: str) -> str:
        """Return a mark if the figures of a bench are marked as stale."""
        head = self._text.partition(f"<!-- bench {bench} -->")[2].partition("`bromeliad ")[0]
        return _OLD if "**Stale:**" in head else ""


def _row(rows: Sequence[dict[str, str]], **wanted: str) -> dict[str, str] | None:
    return next((row for row in rows if all(row.get(name) == value for name, value in wanted.items())), None)


def _claims(figures: Figures, language: str) -> list[tuple[str, str, str]]:
    """Return what was measured: its name, the figures, and the bench."""
    text, found = _TEXTS[language], []
    exact = {row["street"]: row["median ms"] for row in figures.rows("solver", "Exact answers")}
    if {"3", "4", "5"} <= exact.keys():
        claim = text["exact"].format(five=_short(exact["5"]), four=_short(exact["4"]), three=_short(exact["3"]))
        found.append((text["exact_what"], claim, "solver"))
    book = {row["figure"]: row for row in figures.rows("book", "The opening book against fresh searches")}
    agree, regret = book.get("agreement with the search, %"), book.get("regret against the search's choice, points")
    if agree and regret:
        claim = text["book"].format(
            hands="134,459",
            agree=_short(agree["mean"]),
            agree_se=_short(agree["±"]),
            regret=_short(regret["mean"], 1),
            regret_se=_short(regret["±"], 1),
        )
        found.append((text["book_what"], claim, "book"))
    versus = _row(figures.rows("heads-up", "Heads-up matches"), player="solver:0.1", opponent="look:6,1")
    if versus:
        points, error = versus["without luck"], versus["±"]
        names = {"player": "`solver:0.1`", "other": "`look:6,1`"}
        claim = text["versus"].format(points=f"{float(points):.2f}", se=f"{float(error):.2f}", **names)
        found.append((text["versus_what"], claim, "heads-up"))
    games = _row(figures.rows("gomoku", "Match against OpenSpiel's bot with random rollouts"), second="OpenSpiel")
    speed = next(iter(figures.rows("gomoku", "Random simulations per second")), None)
    if games and speed:
        claim = text["gomoku"].format(
            won=games["won"], games=games["games"], budget=games["budget per move"], ratio=_short(speed["ours / C++"])
        )
        found.append((text["gomoku_what"], claim, "gomoku"))
    return found


def _short(text: str, digits: int = 2) -> str:
    """Return a number with a few significant digits."""
    value = float(text.replace(",", ""))
    if value == 0.0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"


def block(figures: Figures, language: str) -> str:
    """Return the figures for a README, as a table and a chart."""
    text = _TEXTS[language]
    lines = [text["head"], "|---|---|---|"]
    claims = _claims(figures, language)
    lines += [f"| {what} | {claim}{figures.mark(bench)} | `bench {bench}` |" for what, claim, bench in claims]
    if any(figures.mark(bench) for *_, bench in claims):
        lines += ["", text["old"].format(mark=_OLD)]
    return "\n".join([*lines, "", f"![{text['chart']}]({CHART.as_posix()})", ""])


def chart(figures: Figures) -> str:
    """Return the chart as SVG."""
    matches = [
        (row["player"], row["opponent"], row["without luck"], row["±"])
        for row in figures.rows("heads-up", "Heads-up matches")
        if row["seed"] == "1"
    ]
    matches += [
        (row["strategy"], row["versus"], row["without luck"], row["± without luck"])
        for row in figures.rows("match", "Strategies against each other")
        if row["strategy"] == "solver:0.1" and ":" not in row["versus"].removeprefix("mcts:")
        and not row["versus"].startswith("solver")
    ]  # fmt: skip
    won = [_Bar(f"{a} – {b}", float(points), f"{points} ± {error}") for a, b, points, error in matches]
    exact = [
        _Bar(f"street {row['street']}", _logarithm(row["median ms"]), f"{row['median ms']} ms")
        for row in figures.rows("solver", "Exact answers")
    ]
    speed = next(iter(figures.rows("gomoku", "Random simulations per second")), {})
    names = {"ours /s": "Bromeliad", "OpenSpiel C++ /s": "OpenSpiel, C++"}
    fast = [_Bar(name, float(speed[key]), f"{float(speed[key]):,.0f}") for key, name in names.items() if key in speed]
    panels = {
        "Points won per hand, luck taken off, ± standard error": won,
        "Exact answers of all placements: milliseconds, one thread (logarithmic)": exact,
        "Gomoku: random simulations per second, one thread": fast,
    }
    return _svg({title: bars for title, bars in panels.items() if bars})


def _logarithm(text: str) -> float:
    """Return a length for milliseconds: microseconds count as 1."""
    return math.log10(float(text.replace(",", "")) * 1000.0)


def _svg(panels: dict[str, list[_Bar]]) -> str:
    parts, y = [], 8
    for title, bars in panels.items():
        y += 24
        parts.append(f'<text x="16" y="{y}" font-weight="bold">{escape(title)}</text>')
        most = max(max(bar.value for bar in bars), 1e-9)
        for bar in bars:
            y += 24
            length = max(2.0, 300.0 * bar.value / most)
            parts.append(f'<text x="210" y="{y}" text-anchor="end">{escape(bar.label)}</text>')
            parts.append(f'<rect x="220" y="{y - 13}" width="{length:.0f}" height="16" fill="#2a7f62"/>')
            parts.append(f'<text x="{230 + length:.0f}" y="{y}">{escape(bar.text)}</text>')
        y += 14
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {y + 8}" font-family="sans-serif" font-size="13">'
    return "\n".join((head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>", ""))


def write(root: Path, results: Path) -> None:
    """Write the figures into the READMEs of a project, and the chart beside its documents."""
    figures = Figures(results)
    (root / CHART).parent.mkdir(parents=True, exist_ok=True)
    (root / CHART).write_text(chart(figures), encoding="utf-8")
    for name, language in READMES.items():
        path = root / name
        if path.exists():
            text = path.read_text(encoding="utf-8")
            shown = block(figures, language)
            path.write_text(_BLOCK.sub(lambda _, shown=shown: shown, text), encoding="utf-8")  # type: ignore[misc]
