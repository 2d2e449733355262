"""docs/seed-map.md: every row names a symbol that exists and has the value given there, and no row is there twice."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

MAP = Path(__file__).parents[2] / "docs" / "seed-map.md"
SYMBOL = re.compile(r"`(bromeliad[\w.]*):([\w.]+)`(?: = ([^,|(]+|\([^)]*\)))?")
ISSUE = re.compile(r"\bissues? ?#?\d|#\d", re.IGNORECASE)
FILE = re.compile(r"`((?:tests|examples)/[\w/.]+)`|\]\(([\w/.-]+\.md)")
SEEDS = ("000", "001", "002", "003", "004")


def rows():
    """Yield (line number, cells) of every table row."""
    for number, line in enumerate(MAP.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("|") and not line.startswith(("| seed item", "|---")):
            yield number, [cell.strip() for cell in line.strip("|").split(" | ")]


def rows_by_seed():
    """Yield (seed, cells) of every table row."""
    seed = ""
    cells = dict(rows())
    for number, line in enumerate(MAP.read_text(encoding="utf-8").splitlines(), start=1):
        seed = line if line.startswith("## ") else seed
        if number in cells:
            yield seed, cells[number]


def symbols():
    for number, cells in rows():
        for cell in cells[1:]:
            for module, name, value in SYMBOL.findall(cell):
                yield number, module, name, value.strip()


def find(module, name):
    """Return what a dotted name stands for; a field that has no value in its class is found by its declaration."""
    found = import_module(module)
    for part in name.split("."):
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        declared = part in getattr(found, "__annotations__", {}) or part in getattr(found, "model_fields", {})
        if not declared and f"self.{part}" not in inspect.getsource(found):
            raise AttributeError(f"{module}:{name}")
        return None
    return found


def test_every_row_names_a_symbol():
    bad = [f"line {number}: {cells}" for number, cells in rows() if len(cells) != 3 or not SYMBOL.search(cells[1])]
    assert bad == []
    assert all(cells[0] for _, cells in rows())


def test_answers_hold_nothing_else():
    """An answer is symbols and values; reasons belong into the note."""
    for number, cells in rows():
        assert SYMBOL.sub("", cells[1]).strip(", ") == "", f"line {number}"


def test_nothing_is_there_twice():
    items = [(seed, cells[0]) for seed, cells in rows_by_seed()]
    assert [item for item in items if items.count(item) > 1] == []
    for number, cells in rows():
        named = [found[:2] for found in SYMBOL.findall(cells[1])]
        assert len(named) == len(set(named)), f"line {number}"


def test_no_issue_is_cited():
    text = MAP.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if ISSUE.search(re.sub(r"\(#[^)]*\)", "", line))] == []


def test_files_exist():
    named = [test or f"docs/{page}" for test, page in FILE.findall(MAP.read_text(encoding="utf-8"))]
    assert len(named) > 5
    assert [name for name in named if not (MAP.parents[1] / name).exists()] == []


@pytest.mark.parametrize(
    ("module", "name", "value"), sorted({found[1:] for found in symbols()}), ids=lambda part: str(part)
)
def test_symbol(module, name, value):
    found = find(module, name)
    if value:
        assert found == ast.literal_eval(value)


def test_every_seed_has_its_part():
    headings = re.findall(r"^## Seed (\d+)", MAP.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(headings) == SEEDS
    assert sum(1 for _ in rows()) > 300
