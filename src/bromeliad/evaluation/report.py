"""How a measurement is told: sections of rows, in the terminal, as JSON, and in benchmarks/RESULTS.md."""

import math
import os
import platform
from dataclasses import is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["PlainResult", "Section", "machine", "to_json", "write_results"]


class Section(NamedTuple):
    """One table of a measurement."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]
    notes: list[str]


def _plain(value: Any) -> Any:
    """Return data as JSON can hold it: named tuples and dataclasses by name, what is no number as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value


class PlainResult:
    """Of a dataclass: a result that can be told as JSON."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        data: dict[str, Any] = _plain(vars(self))
        return data


def machine() -> str:
    """Return the processor, the system and the versions that a figure depends on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor()
    )
    parts = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy"))
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {parts}"


def to_json(name: str, sections: list[Section]) -> dict[str, Any]:
    """Return a bench as plain data, a mapping a row."""
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
    """Return what JSON can say: it has no word for a figure that was not measured."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _markdown(name: str, command: str, sections: list[Section]) -> str:
    lines = [f"## {name}", "", f"`{command}` on {machine()}", ""]
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


def cell(value: object) -> str:
    """Write one value of a row: four significant digits."""
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def write_results(path: Path, name: str, command: str, sections: list[Section]) -> None:
    """Put a bench's figures into the results file, in place of its earlier ones."""
    begin, end = f"<!-- bench {name} -->", f"<!-- end {name} -->"
    text = (
        path.read_text(encoding="utf-8")
        if path.exists()
        else "# Results\n\nWritten by `bromeliad bench NAME --write`.\n"
    )
    block = f"{begin}\n{_markdown(name, command, sections)}{end}\n"
    before, found, rest = text.partition(begin)
    after = rest.partition(end + "\n")[2] if found else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((before if found else text.rstrip() + "\n\n") + block + after, encoding="utf-8")
