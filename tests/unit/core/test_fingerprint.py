"""Fingerprints of code: comments do not count, behaviour does."""

import ast

import pytest

from bromeliad.core import fingerprint
from bromeliad.core.fingerprint import closure, loose_fingerprint, package_modules

PLAIN = """
from typing import NamedTuple

class Pair(NamedTuple):
    one: int

def f(x):
    return x + 1
"""


def parsed(source):
    return fingerprint._parse(source.encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def f(x):", "# why\ndef f(x):"),
        ("def f(x):", "def f(x: int) -> int:"),
        ("    return", '    """Add one."""\n    return'),
        ("    one: int", '    one: int\n    """The first."""'),
        ("x + 1", "(x\n        + 1)"),
    ],
)
def test_comments_and_annotations_do_not_count(old, new):
    assert parsed(PLAIN.replace(old, new)) == parsed(PLAIN)


@pytest.mark.parametrize(
    ("old", "new"), [("x + 1", "x + 2"), ("one: int", "one: float"), ("def f(x)", "def f(x, y=1)")]
)
def test_behaviour_counts(old, new):
    assert parsed(PLAIN.replace(old, new)).loose != parsed(PLAIN).loose


def test_where_something_is_imported_from_counts_only_strictly():
    one, two = parsed("from a import f\nprint(f)"), parsed("from b import f\nprint(f)")
    assert one.strict != two.strict
    assert one.loose == two.loose
    assert one.imports == ("a", "a.f")


def test_names_of_modules_count_only_strictly():
    one = parsed('__all__ = ["f"]\nKERNELS = ("bromeliad.old.name",)\nprint("bromeliad solve")')
    two = parsed('__all__ = ["g"]\nKERNELS = ("bromeliad.new_name",)\nprint("bromeliad solve")')
    assert one.strict != two.strict
    assert one.loose == two.loose != parsed('KERNELS = ("bromeliad.new_name",)\nprint("bromeliad play")').loose


def test_the_loose_hash_is_the_same_for_every_python():
    """Newer versions add fields to the nodes of trees, and print them otherwise."""
    assert fingerprint._dump(ast.parse("def f(x=1): pass")) == (
        "(Module body=[(FunctionDef name='f' args=(arguments args=[(arg arg='x')] defaults=[(Constant value=1)])"
        " body=[(Pass)])])"
    )


def test_modules_can_be_left_out_of_a_closure():
    whole = closure("bromeliad.solving.solve", lazy=True)
    rest = closure("bromeliad.solving.solve", lazy=True, without=("bromeliad.games.ofc.book.shelf",))
    assert "bromeliad.games.ofc.book.shelf" in whole - rest
    assert rest < whole


def test_what_only_type_checkers_or_functions_import_is_no_part_of_loading():
    text = "import a\nif TYPE_CHECKING:\n    import b\ndef f():\n    import c\n"
    assert parsed(text).imports == ("a",)
    assert parsed(text).lazy_imports == ("a", "b", "c")


def test_a_closure_has_everything_that_is_imported_on_the_way():
    names = closure("bromeliad.games.ofc.search_spot")
    assert {"bromeliad.search.mcts", "bromeliad.core.rng", "bromeliad.games.ofc.values.heuristics"} <= names
    assert not names & {"bromeliad.games.gomoku.game", "bromeliad.solving.solve", "numpy"}
    assert names < closure("bromeliad.solving.solve", lazy=True)


def test_a_package_counts_with_all_that_it_offers_lazily():
    assert {"bromeliad.search.mcts", "bromeliad.core.budget"} <= closure("bromeliad.search")


def test_every_module_can_be_read():
    names = package_modules()
    assert {"bromeliad", "bromeliad.core.jit", "bromeliad.cli.main"} <= set(names)
    assert len(loose_fingerprint(names)) == 64


def test_a_damaged_memo_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprint, "cache_root", lambda: tmp_path)
    memo = fingerprint._Memo()
    good = memo.meaning(PLAIN.encode())
    memo.save()
    (path,) = tmp_path.iterdir()
    for damage in ("", "{", "[]", '{"a": 1}', '{"a": [1, 2, [], []]}'):
        path.write_text(damage)
        assert fingerprint._Memo().meaning(PLAIN.encode()) == good
