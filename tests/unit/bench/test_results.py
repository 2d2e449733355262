"""Blocks of figures in documents: written in place, read again, marked where they are stale."""

from datetime import date
from pathlib import Path

import pytest

import bromeliad
from bromeliad.bench.registry import state_of
from bromeliad.bench.results import UNKNOWN, Section, mark_blocks, read_blocks, write_results

ROOT = Path(bromeliad.__file__).parents[2]
SECTION = Section("Speed", ("what", "ms"), [("one", 1.23456), ("two", float("nan"))], ["On one thread."])
OLD = """# Page

Words before.

<!-- bench speed -->
## speed

`bromeliad bench speed --seed 7` on a machine

| a |
|---|
| 1 |
<!-- end speed -->

Words between.

<!-- bench size, small -->
<!-- code 0123456789abcdef, measured 2030-01-02 -->
## size, small

> **Stale:** whatever it said.

`bromeliad bench size --small` on a machine
<!-- end size, small -->
"""


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(OLD)
    return path


def test_blocks_are_read(page):
    speed, size = read_blocks(page)
    assert (speed.label, speed.bench, speed.code, speed.measured) == ("speed", "speed", UNKNOWN, "")
    assert (speed.command, speed.seed) == ("bromeliad bench speed --seed 7", 7)
    assert (size.label, size.bench, size.code) == ("size, small", "size", "0123456789abcdef")
    assert (size.measured, size.command, size.seed) == ("2030-01-02", "bromeliad bench size --small", 1)
    assert read_blocks(page.with_name("nothing.md")) == []


def test_figures_replace_those_with_their_label(page):
    write_results(page, "speed", "f" * 16, "bromeliad bench speed --seed 1", [SECTION])
    speed, size = read_blocks(page)
    assert (speed.code, speed.measured, speed.seed) == ("f" * 16, date.today().isoformat(), 1)
    assert "| one | 1.235 |\n| two | nan |\n\n- On one thread.\n" in speed.text
    assert size == read_blocks(page)[1]
    text = page.read_text()
    assert "Words between.\n\n<!-- bench size, small -->\n<!-- code 0123456789abcdef" in text
    assert text.startswith("# Page\n\nWords before.\n\n<!-- bench speed -->\n<!-- code ffffffffffffffff, measured ")
    assert "| 1 |" not in text


def test_marks_come_and_go(page):
    before = read_blocks(page)
    mark_blocks(page, lambda block: "stale")
    assert page.read_text().count("> **Stale:** the code or the data") == 2
    mark_blocks(page, lambda block: "unknown")
    assert page.read_text().count("> **Stale:** these figures were measured before") == 2
    assert "`bromeliad bench size --write` measures them again" in page.read_text()
    mark_blocks(page, lambda block: "fresh")
    assert "Stale" not in page.read_text()
    assert read_blocks(page) == before
    assert "Words before." in page.read_text()
    once = page.read_text()
    mark_blocks(page, lambda block: "fresh")
    assert page.read_text() == once


@pytest.mark.parametrize("name", ["benchmarks/RESULTS.md", "docs/strength.md"])
def test_the_documents_mark_what_is_stale(name, tmp_path):
    """If this fails, run `bromeliad bench status --write`: code or data behind some figures have changed."""
    copy = tmp_path / "copy.md"
    copy.write_text((ROOT / name).read_text("utf-8"), "utf-8")
    assert len(read_blocks(copy)) > 10
    mark_blocks(copy, state_of)
    assert copy.read_text("utf-8") == (ROOT / name).read_text("utf-8")
