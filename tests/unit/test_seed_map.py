"""Every symbol that docs/seed-map.md names exists and has the value given there, and every row has an answer."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

MAP = Path(__file__).parents[2] / "docs" / "seed-map.md"
SYMBOL = re.compile(r"`(bromeliad[\w.]*):([\w.]+)`(?: = ([^,|(]+|\([^)]*\)))?")
ISSUE = re.compile(r"\bissue ([3-9]|1[01])\b")
SEEDS = ("000", "001", "002", "003", "004")


def rows():
    """Yield (line number, cells) of every table row."""
    for number, line in enumerate(MAP.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("|") and not line.startswith(("| seed item", "|---")):
            yield number, [cell.strip() for cell in line.strip("|").split(" | ")]


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


def test_rows_are_whole_and_answered():
    bad = []
    for number, cells in rows():
        answered = len(cells) == 3 and (SYMBOL.search(cells[1]) or ISSUE.search(cells[1]))
        explained = len(cells) == 3 and cells[1] == "differently" and len(cells[2]) > 20
        if not cells[0] or not (answered or explained):
            bad.append(f"line {number}: {cells}")
    assert bad == []


def test_answers_hold_nothing_else():
    """An answer is symbols, values and issues; reasons belong into the note."""
    for number, cells in rows():
        rest = ISSUE.sub("", SYMBOL.sub("", cells[1])).replace("differently", "").strip(", ")
        assert rest == "", f"line {number}: {rest}"


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
