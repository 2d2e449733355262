"""Figures as tables, as JSON, and as blocks in benchmarks/RESULTS.md and docs/.

A block carries a fingerprint of the code and data behind its figures. :func:`mark_blocks` marks blocks whose code or
data have changed since.
"""

import math
import os
import platform
import re
from collections.abc import Callable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

UNKNOWN = "unknown"
"""The fingerprint of figures that were measured before fingerprints were recorded."""

_BLOCK = re.compile(
    r"<!-- bench (?P<label>.+?) -->\n"
    r"(?:<!-- code (?P<code>\w+)(?:, measured (?P<date>[\d-]+))? -->\n)?"
    r"(?:## [^\n]*\n\n?)?(?:> \*\*Stale[^\n]*\n\n)?(?P<text>.*?)<!-- end (?P=label) -->\n",
    re.DOTALL,
)
_MARKS = {
    "stale": "the code or the data behind these figures have changed since they were measured",
    UNKNOWN: "these figures were measured before a fingerprint of their code was kept",
}


class Section(NamedTuple):
    """One table of a bench."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    notes: Sequence[str]

    @classmethod
    def of(cls, title: str, rows: Sequence[dict[str, object]], notes: Sequence[str]) -> "Section":
        """Return a table from one dictionary per row; their common keys are the columns."""
        return cls(title, tuple(rows[0]), [tuple(row.values()) for row in rows], notes)


class Block(NamedTuple):
    """The figures of one measurement in a document."""

    label: str  # name of the bench, then its options after a comma
    code: str  # fingerprint, or UNKNOWN
    measured: str  # date; '' if unknown
    text: str

    @property
    def bench(self) -> str:
        """The bench that measured it."""
        return self.label.partition(",")[0]

    @property
    def command(self) -> str:
        """The command that measured it; '' if unknown."""
        found = re.search(r"^`(bromeliad .+?)`", self.text, re.MULTILINE)
        return found[1] if found else ""

    @property
    def seed(self) -> int:
        """The seed of the measurement; 1 if the command names none."""
        found = re.search(r" --seed (\d+)", self.command)
        return int(found[1]) if found else 1


def machine() -> str:
    """Return the processor and the software versions that figures depend on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )
    parts = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy"))
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {parts}"


def to_json(name: str, sections: list[Section]) -> dict[str, Any]:
    """Return the tables of a bench as plain data, with one mapping per row."""
    return {
        "bench": name,
        "machine": machine(),
        "sections": [
            {
                "title": section.title,
                "rows": [dict(zip(section.columns, map(_finite, row), strict=True)) for row in section.rows],
                "notes": section.notes,
            }
            for section in sections
        ],
    }


def _finite(value: object) -> object:
    """Return None instead of NaN and infinity, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def cell(value: object) -> str:
    """Return one value as text; floats get four significant digits."""
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def _markdown(command: str, sections: list[Section]) -> str:
    lines = [f"`{command}` on {machine()}", ""]
    for section in sections:
        lines += [
            f"### {section.title}",
            "",
            "| " + " | ".join(section.columns) + " |",
            "|" + "---|" * len(section.columns),
        ]
        lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in section.rows]
        lines += ["", *(f"- {note}" for note in section.notes), ""]
    return "\n".join(lines)


def read_blocks(path: Path) -> list[Block]:
    """Return the blocks of a document; none if the file is missing."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [_block(found) for found in _BLOCK.finditer(text)]


def _block(found: re.Match[str]) -> Block:
    return Block(found["label"], found["code"] or UNKNOWN, found["date"] or "", found["text"])


def _render(block: Block, state: str = "fresh") -> str:
    measured = f", measured {block.measured}" if block.measured else ""
    head = f"<!-- bench {block.label} -->\n<!-- code {block.code}{measured} -->\n## {block.label}\n\n"
    if state in _MARKS:
        head += f"> **Stale:** {_MARKS[state]}; `bromeliad bench {block.bench} --write` measures them again.\n\n"
    return f"{head}{block.text}<!-- end {block.label} -->\n"


def mark_blocks(path: Path, state_of: Callable[[Block], str]) -> None:
    """Mark the stale and unknown blocks of a document, and unmark the others."""
    if path.exists():
        text = path.read_text(encoding="utf-8")
        marked = _BLOCK.sub(lambda found: _render(block := _block(found), state_of(block)), text)
        path.write_text(marked, encoding="utf-8")


def write_results(path: Path, label: str, code: str, command: str, sections: list[Section]) -> None:
    """Write figures to a document, replacing earlier ones with the same label."""
    text = (
        path.read_text(encoding="utf-8")
        if path.exists()
        else "# Results\n\nWritten by `bromeliad bench NAME --write`.\n"
    )
    fresh = _render(Block(label, code, date.today().isoformat(), _markdown(command, sections)))
    found = next((each for each in _BLOCK.finditer(text) if each["label"] == label), None)
    before, after = (text[: found.start()], text[found.end() :]) if found else (text.rstrip() + "\n\n", "")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before + fresh + after, encoding="utf-8")
