"""The public API: every name resolves, is known to type checkers and to docs/api.md, and importing it costs nothing."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "bromeliad",
    "bromeliad.search",
    "bromeliad.games.ofc",
    "bromeliad.games.gomoku",
    "bromeliad.games.sequence",
)
DOCUMENT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)


def section(package):
    """Return what the document says about a package."""
    return DOCUMENT.partition(f"\n## {package}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", PACKAGES)
class TestPackage:
    def test_every_name_resolves_to_what_its_module_offers(self, name):
        package = import_module(name)
        assert len(set(package.__all__)) == len(package.__all__) > 10
        for module, names in package._HOMES.items():
            for each in names.split():
                assert getattr(package, each) is getattr(import_module(module), each)
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            package.nothing  # noqa: B018

    def test_type_checkers_see_the_same_names(self, name):
        package = import_module(name)
        (checked,) = (node for node in ast.parse(Path(package.__file__).read_text()).body if isinstance(node, ast.If))
        seen = {}
        for node in checked.body:
            assert [alias.name for alias in node.names] == [alias.asname for alias in node.names]
            seen.setdefault(node.module, set()).update(alias.name for alias in node.names)
        assert seen == {module: set(names.split()) for module, names in package._HOMES.items()}

    def test_the_document_has_exactly_these_names(self, name):
        rows = [line.split(" | ")[0] for line in section(name).splitlines() if line.startswith("| `")]
        documented = [each for row in rows for each in re.findall(r"`(\w+)`", row)]
        assert sorted(documented) == sorted(import_module(name).__all__)


def test_importing_loads_nothing_costly():
    costly = ("numba", "numpy", "pydantic")
    program = f"import sys, {', '.join(PACKAGES)}; print([name for name in {costly} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("code", BLOCKS, ids=lambda code: code.partition(" import")[0])
def test_what_the_document_shows_is_what_is_printed(capsys, code):
    said = re.findall(r"print\(.*\)  # (.*)", code)
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == said
    assert said
