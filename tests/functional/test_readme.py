"""What the READMEs show is what the commands print; only times may differ."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bromeliad.bench.readme import CHART, READMES, Figures, block, chart, write
from bromeliad.bench.results import Section, mark_blocks, write_results

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```console\n\$ (?P<command>(?:.*\\\n)*.*)\n(?P<output>(?:.*\n)*?)```")
TIME = re.compile(r"\d+\.\d+ (ms|毫秒)")
LOCALES = {"README.md": "en_US.UTF-8", "README.zh-TW.md": "zh_TW.UTF-8"}
BLOCKS = [
    pytest.param(name, found["command"].replace("\\\n", ""), found["output"], id=f"{name} {number}")
    for name in LOCALES
    for number, found in enumerate(BLOCK.finditer((ROOT / name).read_text(encoding="utf-8")), start=1)
]


def plain(text):
    return [TIME.sub("0 ms", line.rstrip()) for line in text.splitlines()]


@pytest.mark.parametrize(("name", "command", "output"), BLOCKS)
def test_console_block(run, monkeypatch, name, command, output):
    monkeypatch.setenv("LANG", LOCALES[name])
    monkeypatch.setenv("COLUMNS", "100")
    if not command.startswith("bromeliad "):
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        printed = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300, check=True).stdout
    else:
        result = run(*shlex.split(command)[1:])
        printed = result.err if result.code else result.out  # a cold cache says on the way that it compiles
    assert plain(printed) == plain(output)


def test_both_tours_show_the_same_commands():
    shown = [[block.values[1] for block in BLOCKS if block.values[0] == name] for name in LOCALES]
    assert shown[0] == shown[1]
    assert len(shown[0]) >= 6


@pytest.mark.parametrize("name", LOCALES)
def test_python_block_runs(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    said = code.rpartition("# ")[2].strip()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.strip() == said


@pytest.mark.parametrize("name", READMES)
def test_figures_are_those_of_the_results(name):
    """If this fails, run `bromeliad bench readme --write`: figures have been measured again."""
    figures = Figures(ROOT / "benchmarks" / "RESULTS.md")
    text = (ROOT / name).read_text(encoding="utf-8")
    shown = re.search(r"<!-- measured -->\n(.*?)<!-- end measured -->", text, re.DOTALL)[1]
    assert shown == block(figures, READMES[name])
    assert (ROOT / CHART).read_text(encoding="utf-8") == chart(figures)


def test_figures_follow_the_results(tmp_path):
    sections = [Section("Exact answers", ("street", "median ms"), [("5", 0.25), ("4", 2.0), ("3", 100.0)], [])]
    write_results(tmp_path / "RESULTS.md", "solver", "0123", "bromeliad bench solver --seed 1", sections)
    (tmp_path / "README.md").write_text("before\n<!-- measured -->\nold\n<!-- end measured -->\nafter\n")
    write(tmp_path, tmp_path / "RESULTS.md")
    text = (tmp_path / "README.md").read_text()
    assert "street 5 in 0.25 ms, street 4 in 2.0 ms, street 3 in 100 ms" in text
    assert "old" not in text
    assert "†" not in text
    assert (text.startswith("before\n"), text.endswith("after\n")) == (True, True)
    assert "100 ms" in (tmp_path / CHART).read_text()
    mark_blocks(tmp_path / "RESULTS.md", lambda block: "stale")
    write(tmp_path, tmp_path / "RESULTS.md")
    assert "one thread† |" in (tmp_path / "README.md").read_text()


def test_contributing_names_places_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = re.findall(r"`((?:src|tests|docs|examples|benchmarks|requirements)/[\w./-]+)`", text)
    assert len(places) > 5
    assert [place for place in places if not (ROOT / place).exists()] == []


@pytest.mark.parametrize("name", ["architecture.md", "glossary.md"])
def test_the_documents_for_engineers_name_modules_that_exist(name):
    """Paths are relative to the package or to the folder of open-face Chinese poker."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    places = re.findall(r"`?((?:\w+/)+\w+\.(?:py|ts|tsx))`?", text)
    package = ROOT / "src" / "bromeliad"
    roots = (ROOT, package, package / "games" / "ofc")
    assert len(places) > 5
    assert [place for place in places if not any((root / place).exists() for root in roots)] == []


def test_the_architecture_names_every_package():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "bromeliad"
    folders = {path.parent.relative_to(package).as_posix() for path in package.rglob("__init__.py")} - {"."}
    named = {folder for folder in folders if f"`{folder}`" in text or f"`{folder.removeprefix('games/ofc/')}`" in text}
    assert named == folders


def test_contributing_names_targets_that_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for name in ("CONTRIBUTING.md", *LOCALES):
        assert set(re.findall(r"make ([a-z]+)`", (ROOT / name).read_text(encoding="utf-8"))) <= targets


def test_make_lists_every_target_with_its_purpose():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = set(re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split())
    assert set(re.findall(r"^([a-z]+):.*?  ## \w", text, re.MULTILINE)) == phony


@pytest.mark.parametrize("name", [*LOCALES, "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        if link != "benchmarks/RESULTS.md":  # written by `bromeliad bench`
            assert (ROOT / link).exists(), link
