"""Every text that a user can see has its translations, and no catalogue keeps what nobody shows."""

import ast
import string
from collections.abc import Iterator
from contextvars import copy_context
from importlib import import_module, resources
from pathlib import Path

import polib
import pytest

import bromeliad
from bromeliad import errors
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.i18n import LANGUAGES, detect_language, language, tr, use_language

SOURCE = Path(bromeliad.__file__).parent
CATALOGUES = {name: polib.pofile((SOURCE / "locale" / f"{name}.po").read_text("utf-8")) for name in LANGUAGES[1:]}

# Calls whose text arguments are shown: our errors, tr(), and helpers that pass a template on to an error.
CALLS = {*(name for name in vars(errors) if name.endswith(("Error", "Exception"))), "tr"}
CALLS |= {"_verify_phase", "_verify_status"}
# Texts that are looked up in a table or made elsewhere, and translated when they are shown.
TABLES = [
    ("bromeliad.core.validation", "MESSAGES"),
    ("bromeliad.games.ofc.hands.automaton", "CATEGORIES"),
    ("bromeliad.games.ofc.play.game_state", "_TODO"),
    ("bromeliad.solving.session", "_STATES"),
    ("bromeliad.matches.games", "VERDICTS"),
    ("bromeliad.games.gomoku.playable", "SIDES"),
    ("bromeliad.analysis.anomalies", "KINDS"),
    ("bromeliad.cli.model", "_NAMES"),
    ("bromeliad.service.problems", "MESSAGES"),
    ("bromeliad.service.problems", "REFUSED"),
    ("bromeliad.cli.store", "LABELS"),
    ("bromeliad.evaluation.book.stats", "KINDS"),
    ("bromeliad.bench.registry", "STATES"),
]
# Names whose values are shown: texts, or tables with texts in them.
SHOWN = ("_OTHER", "_COMMANDS", "OFC_COMMANDS", "_OWN_COMMANDS", "_SUMMARIES", "solve_help", "play_help", "match_help")
HEADINGS = {"Options", "Commands", "solo", "versus", "top", "middle", "back"}


def constants(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an argument can be: a literal, or either side of a condition."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from constants(node.body)
        yield from constants(node.orelse)


def texts_of(tree: ast.Module) -> Iterator[str]:
    """Yield the texts that a module shows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in CALLS:
                for argument in node.args:
                    yield from constants(argument)
            for keyword in node.keywords:
                if keyword.arg in ("help", "short_help"):
                    yield from constants(keyword.value)
        elif isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id in SHOWN for target in node.targets
        ):
            yield from (
                part.value
                for part in ast.walk(node.value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value
            )


def all_texts() -> set[str]:
    found = set(HEADINGS)
    for path in SOURCE.rglob("*.py"):
        found.update(texts_of(ast.parse(path.read_text("utf-8"))))
    for module, name in TABLES:
        table = getattr(import_module(module), name)
        found.update(table.values() if isinstance(table, dict) else table)
    found.update(preset(name).summary for name in preset_names())
    return {text for text in found if any(letter.isalpha() for letter in without_fields(text))}


def without_fields(text: str) -> str:
    return "".join(literal for literal, *_ in string.Formatter().parse(text))


def fields(text: str) -> list[tuple[str, str | None]]:
    parts = string.Formatter().parse(text)
    return sorted((name, conversion or "") for _, name, _, conversion in parts if name is not None)


@pytest.mark.parametrize("name", CATALOGUES)
class TestCatalogue:
    def test_has_every_text(self, name):
        translated = {entry.msgid for entry in CATALOGUES[name] if entry.msgstr}
        assert sorted(all_texts() - translated) == []

    def test_has_nothing_else(self, name):
        assert sorted({entry.msgid for entry in CATALOGUES[name]} - all_texts()) == []

    def test_keeps_the_fields(self, name):
        wrong = [entry.msgid for entry in CATALOGUES[name] if fields(entry.msgid) != fields(entry.msgstr)]
        assert wrong == []

    def test_has_no_entry_twice_or_in_doubt(self, name):
        ids = [entry.msgid for entry in CATALOGUES[name]]
        assert len(ids) == len(set(ids))
        assert not any(entry.fuzzy or entry.obsolete for entry in CATALOGUES[name])

    def test_says_what_it_is(self, name):
        metadata = CATALOGUES[name].metadata
        assert metadata["Language"] == name.replace("-", "_")
        assert metadata["Content-Type"] == "text/plain; charset=UTF-8"


def test_catalogues_ship_with_the_package():
    assert {path.name for path in (resources.files("bromeliad") / "locale").iterdir()} == {"zh-TW.po", "zh-CN.po"}


@pytest.mark.parametrize(("name", "charset"), [("zh-TW", "big5"), ("zh-CN", "gb2312")])
def test_the_two_scripts_are_not_mixed(name, charset):
    letters = {letter for entry in CATALOGUES[name] for letter in entry.msgstr if "\u4e00" <= letter <= "\u9fff"}
    assert "".join(sorted(letters)).encode(charset, "ignore").decode(charset) == "".join(sorted(letters))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_TW.UTF-8"}, "zh-TW"),
        ({"LANG": "zh_HK"}, "zh-TW"),
        ({"LANG": "zh-Hant"}, "zh-TW"),
        ({"LANG": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_SG"}, "zh-CN"),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": ""}, "zh-TW"),
    ],
)
def test_language_of_the_locale(environ, expected):
    assert detect_language(environ) == expected


def speaking(name, function, *args):
    """Call a function in a context of another language."""
    context = copy_context()
    context.run(use_language, name)
    return context.run(function, *args)


def test_errors_are_translated_with_what_is_inside_them():
    inner = errors.FieldError("place may not be more than deal")
    outer = errors.InputError("{field}: {problem}", field="streets", problem=inner)
    assert str(outer) == "streets: place may not be more than deal"
    assert speaking("zh-TW", outer.render, tr) != str(outer)


def test_unknown_texts_stay_english():
    assert speaking("zh-CN", tr, "no such text") == "no such text"


def test_language_is_of_the_context():
    before = language()
    try:
        use_language("zh-TW")
        assert tr("top") == "頭道"
        use_language("zh-CN")
        assert tr("top") == "头道"
    finally:
        use_language(before)
