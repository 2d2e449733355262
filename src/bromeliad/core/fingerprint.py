"""Fingerprints of modules: hashes that change with the code, but not with comments or docstrings.

Formatting and the annotations of functions do not count either. Fingerprints are the keys of cached kernels, and they
show whether code has changed since a benchmark measured it.
"""

import ast
import hashlib
import json
import re
import sys
import sysconfig
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bromeliad.core.files import read_checked, write_checked
from bromeliad.core.machine import cache_root

PACKAGE = "bromeliad"
_ROOT = Path(__file__).resolve().parent.parent
_WITHOUT_EFFECT = {
    "bromeliad",
    "bromeliad.core.arrays",
    "bromeliad.core.files",
    "bromeliad.core.kernel_cache",
    "bromeliad.core.machine",
    "bromeliad.errors",
    "bromeliad.i18n",
    "bromeliad.lazy",
    "bromeliad.logs",
}
"""Modules that change no result: they deal with storage, messages and loading."""

_MODULE = re.compile(rf"{PACKAGE}(\.\w+)+")
_MEMO = "meanings.json"
_FORM = "3"  # version of the memo and its hashes


class _Meaning(NamedTuple):
    """The hashes and the imports of one source file."""

    strict: str  # hash including the import statements
    loose: str  # hash without them, the same for every Python version and when modules are renamed
    imports: tuple[str, ...]  # imported when the module is loaded
    lazy_imports: tuple[str, ...]  # the same, plus the imports inside functions


class _Memo:
    """Meanings by hash of the source, kept on disk: parsing all modules at every start would take a second."""

    def __init__(self) -> None:
        self._path = cache_root() / f"{_FORM}-{sys.version_info[0]}.{sys.version_info[1]}-{_MEMO}"
        try:
            stored = json.loads(read_checked(self._path) or b"{}")
        except (OSError, ValueError):
            stored = {}
        self._stored: dict[str, Any] = stored if isinstance(stored, dict) else {}  # one entry per source ever seen
        self._known: dict[str, _Meaning] = {}  # those asked for by this process
        self._changed = False

    def meaning(self, source: bytes) -> _Meaning:
        key = hashlib.sha256(source).hexdigest()
        if key not in self._known:
            try:
                self._known[key] = _read(self._stored[key])
            except (KeyError, ValueError, TypeError):
                self._known[key] = self._stored[key] = _parse(source)
                self._changed = True
        return self._known[key]

    def save(self) -> None:
        """Write new entries to disk."""
        if not self._changed:
            return
        self._changed = False
        with suppress(OSError):  # a cache that cannot be written only costs time
            write_checked(self._path, json.dumps(self._stored).encode())


def _read(entry: Any) -> _Meaning:
    """Return a meaning from JSON; raise ValueError or TypeError if the entry is damaged."""
    strict, loose, imports, lazy = entry
    if not all(isinstance(text, str) for text in (strict, loose, *imports, *lazy)):
        raise ValueError(entry)
    return _Meaning(strict, loose, tuple(imports), tuple(lazy))


@cache
def _memo() -> _Memo:
    return _Memo()


class _Stripper(ast.NodeTransformer):
    """Removes everything that does not change behaviour."""

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            argument.annotation = None
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                rest.annotation = None
        return self._body(node)

    def _body(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        node.body = [item for item in node.body if not _is_text(item)]  # type: ignore[attr-defined]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815 -- ast expects these names
    visit_ClassDef = visit_Module = _body  # noqa: N815


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is only a string: a docstring of a function, class, module or attribute."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _ImportRemover(ast.NodeTransformer):
    """Removes import statements and ``__all__``, which do not change behaviour."""

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        return None if any(isinstance(name, ast.Name) and name.id == "__all__" for name in node.targets) else node


def _parse(source: bytes) -> _Meaning:
    tree = ast.parse(source)
    loading = set(_imported(_statements(tree.body)))
    everything = set(_imported(ast.walk(tree)))
    stripped = _Stripper().visit(tree)
    strict = _hash(ast.dump(stripped))
    loose = _hash(_dump(_ImportRemover().visit(stripped)))
    return _Meaning(strict, loose, tuple(sorted(loading)), tuple(sorted(everything)))


def _dump(node: object) -> str:
    """Return a syntax tree as text, independent of the Python version and of our module names in strings."""
    if isinstance(node, list):
        return f"[{' '.join(map(_dump, node))}]"
    if not isinstance(node, ast.AST):
        return "module" if isinstance(node, str) and _MODULE.fullmatch(node) else repr(node)
    fields = (f" {name}={_dump(value)}" for name, value in ast.iter_fields(node) if value is not None and value != [])
    return f"({type(node).__name__}{''.join(fields)})"


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.AST]:
    """Yield the statements that run when a module is loaded, except those for type checkers."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            yield from _statements((*node.body, *node.orelse))
        elif isinstance(node, ast.Try):
            yield from _statements((*node.body, *node.orelse, *node.finalbody))


def _imported(nodes: Iterable[ast.AST]) -> Iterable[str]:
    """Yield the modules that import statements may refer to; this project has no relative imports."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def source_path(module: str) -> Path | None:
    """Return the file of a module of this package or of a loaded module of another one; None for all others."""
    if module.partition(".")[0] == PACKAGE:
        path = _ROOT.joinpath(*module.split(".")[1:])
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
        return None
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file is not None and file.endswith(".py") and Path(file).is_file() else None


@cache
def _installed() -> tuple[str, ...]:
    """Return the directories of Python and of installed packages."""
    return tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))


@cache
def _is_installed(module: str) -> bool:
    """Return whether a module belongs to Python or to an installed package, which only an installation changes."""
    path = source_path(module)
    return path is None or any(map(path.is_relative_to, _installed()))


def _matters(module: str, root: str) -> bool:
    """Return whether the source of ``module`` counts in the fingerprint of ``root``."""
    package = module.partition(".")[0]
    return package in (PACKAGE, root.partition(".")[0]) or not _is_installed(module)


@cache
def _meaning(module: str) -> _Meaning | None:
    path = None if module in _WITHOUT_EFFECT else source_path(module)
    return None if path is None else _memo().meaning(path.read_bytes())


def _is_package(module: str) -> bool:
    """Return whether a module is a package, which loads its public names on first use."""
    path = source_path(module)
    return path is not None and path.name == "__init__.py"


@cache
def closure(module: str, lazy: bool = False, without: tuple[str, ...] = ()) -> frozenset[str]:
    """Return a module and everything it imports, except Python itself and other installed packages.

    ``lazy`` includes imports inside functions, which kernels do not have. ``without`` excludes modules, and everything
    that only they import.
    """
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        meaning = _meaning(name) if name not in (*found, *without) and _matters(name, module) else None
        if meaning is not None:
            found.add(name)
            waiting.extend(meaning.lazy_imports if lazy or _is_package(name) else meaning.imports)
    _memo().save()
    return frozenset(found)


def fingerprint(modules: Iterable[str]) -> str:
    """Return a hash of the given modules and everything they import, including the modules' names."""
    names = sorted(set[str]().union(*map(closure, modules)))
    return _hash(" ".join(f"{name} {meaning.strict}" for name in names if (meaning := _meaning(name))))


def loose_fingerprint(modules: Iterable[str], without: tuple[str, ...] = ()) -> str:
    """Return a hash of the given modules and everything they or their functions import; module names do not count."""
    names = set[str]().union(*(closure(module, True, without) for module in modules))
    return _hash(" ".join(sorted(meaning.loose for name in names if (meaning := _meaning(name)))))


def package_modules() -> tuple[str, ...]:
    """Return the names of all modules of this package, without loading them."""
    paths = (path.relative_to(_ROOT).with_suffix("") for path in sorted(_ROOT.rglob("*.py")))
    return tuple(".".join((PACKAGE, *path.parts)).removesuffix(".__init__") for path in paths)


def module_source(module: str) -> str:
    """Return the source of a module of this package, or '' if there is no such module."""
    path = source_path(module)
    return "" if path is None else path.read_text("utf-8")
