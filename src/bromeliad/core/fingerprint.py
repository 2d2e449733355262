"""What code means: hashes of modules that change when their behaviour can, and not when words about it do.

Comments, docstrings, layout and the annotations of functions do not count. Compiled kernels are kept by such hashes,
and measured figures know by them whether the code that they were measured with has changed.
"""

import ast
import hashlib
import json
import os
import re
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from bromeliad.core.machine import cache_root

__all__ = ["closure", "fingerprint", "loose_fingerprint", "module_source", "package_modules", "source_path"]

PACKAGE = "bromeliad"
_ROOT = Path(__file__).resolve().parent.parent
_WITHOUT_EFFECT = {"bromeliad", "bromeliad.errors", "bromeliad.i18n", "bromeliad.lazy", "bromeliad.logs"}
_MODULE = re.compile(rf"{PACKAGE}(\.\w+)+")
_MEMO = "meanings.json"
_FORM = "2"  # of the memo and of the hashes in it


class _Meaning(NamedTuple):
    """What is known of one source file."""

    strict: str  # hash with its import statements
    loose: str  # hash without them, for any Python: stays the same when modules are renamed
    imports: tuple[str, ...]  # what loading it imports
    lazy_imports: tuple[str, ...]  # what its functions import when they are called


class _Memo:
    """Meanings by the hash of the source, kept on disk: parsing all modules at every start would take a second."""

    def __init__(self) -> None:
        self._path = cache_root() / f"{_FORM}-{sys.version_info[0]}.{sys.version_info[1]}-{_MEMO}"
        try:
            self._known = {key: _read(entry) for key, entry in json.loads(self._path.read_bytes()).items()}
        except (OSError, ValueError, AttributeError, TypeError):
            self._known = {}
        self._changed = False

    def meaning(self, source: bytes) -> _Meaning:
        key = hashlib.sha256(source).hexdigest()
        if key not in self._known:
            self._known[key] = _parse(source)
            self._changed = True
        return self._known[key]

    def save(self) -> None:
        """Write what was learned since the last time."""
        if not self._changed:
            return
        self._changed = False
        fresh = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps(self._known), "utf-8")
            fresh.replace(self._path)
        except OSError:  # a cache that cannot be written costs time, nothing else
            return


def _read(entry: Any) -> _Meaning:
    """Return a meaning from JSON; raise if it is not one."""
    strict, loose, imports, lazy = entry
    if not all(isinstance(text, str) for text in (strict, loose, *imports, *lazy)):
        raise ValueError(entry)
    return _Meaning(strict, loose, tuple(imports), tuple(lazy))


@cache
def _memo() -> _Memo:
    return _Memo()


class _Stripper(ast.NodeTransformer):
    """Takes off what does not change behaviour."""

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

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815 -- names that ast calls
    visit_ClassDef = visit_Module = _body  # noqa: N815


def _is_text(node: ast.AST) -> bool:
    """Say whether a statement is only text: a docstring, or one behind an attribute."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _ImportRemover(ast.NodeTransformer):
    """Takes off what says where things are: import statements and lists of public names."""

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
    """Return a tree as text that depends neither on Python's version nor on names of our modules in strings."""
    if isinstance(node, list):
        return f"[{' '.join(map(_dump, node))}]"
    if not isinstance(node, ast.AST):
        return "module" if isinstance(node, str) and _MODULE.fullmatch(node) else repr(node)
    fields = (f" {name}={_dump(value)}" for name, value in ast.iter_fields(node) if value is not None and value != [])
    return f"({type(node).__name__}{''.join(fields)})"


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.AST]:
    """Yield what runs when a module is loaded, without what only type checkers read."""
    for node in body:
        yield node
        if isinstance(node, ast.If) and not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            yield from _statements((*node.body, *node.orelse))
        elif isinstance(node, ast.Try):
            yield from _statements((*node.body, *node.orelse, *node.finalbody))


def _imported(nodes: Iterable[ast.AST]) -> Iterable[str]:
    """Yield the names of modules that import statements may mean; relative imports are not used in this project."""
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
    """Return the file of a module of this package, or of a loaded one outside; None for all others."""
    if module.partition(".")[0] == PACKAGE:
        path = _ROOT.joinpath(*module.split(".")[1:])
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
        return None
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file is not None and file.endswith(".py") and Path(file).is_file() else None


@cache
def _is_installed(module: str) -> bool:
    """Say whether a module belongs to Python or to an installed package: those change only by another installation."""
    path = source_path(module)
    places = (sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
    return path is None or any(path.is_relative_to(place) for place in places)


def _matters(module: str, root: str) -> bool:
    """Say whether ``root``, or what it imports, can depend on how ``module`` is written."""
    package = module.partition(".")[0]
    return package in (PACKAGE, root.partition(".")[0]) or not _is_installed(module)


@cache
def _meaning(module: str) -> _Meaning | None:
    path = None if module in _WITHOUT_EFFECT else source_path(module)
    return None if path is None else _memo().meaning(path.read_bytes())


def _is_package(module: str) -> bool:
    """Say whether a module is a package: it loads the names that it offers when somebody asks for them."""
    path = source_path(module)
    return path is not None and path.name == "__init__.py"


@cache
def closure(module: str, lazy: bool = False, without: tuple[str, ...] = ()) -> frozenset[str]:
    """Return a module and all that it imports, without Python itself and installed packages.

    Parameters
    ----------
    lazy
        Count what functions import when they are called, too. A kernel cannot import: for it that would be too much.
    without
        Modules that are left out, with what only they import.
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
    """Return a hash of what some modules and everything that they import mean, names of modules included."""
    names = sorted(set[str]().union(*map(closure, modules)))
    return _hash(" ".join(f"{name} {meaning.strict}" for name in names if (meaning := _meaning(name))))


def loose_fingerprint(modules: Iterable[str], without: tuple[str, ...] = ()) -> str:
    """Return a hash of what some modules and all that they or their functions import mean, wherever they live."""
    names = set[str]().union(*(closure(module, True, without) for module in modules))
    return _hash(" ".join(sorted(meaning.loose for name in names if (meaning := _meaning(name)))))


def package_modules() -> tuple[str, ...]:
    """Return the names of all modules of this package, without loading them."""
    paths = (path.relative_to(_ROOT).with_suffix("") for path in sorted(_ROOT.rglob("*.py")))
    return tuple(".".join((PACKAGE, *path.parts)).removesuffix(".__init__") for path in paths)


def module_source(module: str) -> str:
    """Return the source of a module of this package, '' where there is none."""
    path = source_path(module)
    return "" if path is None else path.read_text("utf-8")
