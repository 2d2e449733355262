"""All benches by name. A bench registers itself with :func:`bench`, so a new one needs only its own file."""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TypeVar

from bromeliad import bench as package
from bromeliad.bench.results import UNKNOWN, Block, Section
from bromeliad.core.fingerprint import closure, loose_fingerprint, source_path
from bromeliad.errors import InputError

STATES = ("fresh", "stale", UNKNOWN)
"""States of figures: measured with the present code and data, with other code or data, or unknown."""

F = TypeVar("F", bound=Callable[..., list[Section]])
_MACHINERY = ("bromeliad.bench.registry", "bromeliad.bench.results", "bromeliad.core.fingerprint")  # affect no figure
_BENCHES: dict[str, "Bench"] = {}


@dataclass(frozen=True)
class Bench:
    """A measurement.

    Attributes
    ----------
    run
        Takes (quick, seed), and a :class:`bromeliad.cluster.Batch` if ``batches``; returns its tables.
    minutes
        Rough duration of a full run on two cores.
    batches
        Whether it has many independent parts that workers can share.
    page
        A page of the documentation that also shows its figures.
    depends
        Modules that it measures without importing them: in a new process, or through a registry.
    """

    name: str
    run: Callable[..., list[Section]]
    minutes: float
    batches: bool
    page: str | None
    depends: tuple[str, ...]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the code and data that the figures depend on; file names and paths do not count."""
        modules = (self.run.__module__, *self.depends)
        digest = hashlib.sha256(loose_fingerprint(modules, _MACHINERY).encode())
        names = set[str]().union(*(closure(name, True, _MACHINERY) for name in modules))
        for content in sorted(_content(path) for path in _data_files(names)):
            digest.update(content)
        return digest.hexdigest()[:16]


def bench(
    name: str, *, minutes: float, batches: bool = False, page: str | None = None, depends: tuple[str, ...] = ()
) -> Callable[[F], F]:
    """Register a function as a bench; see :class:`Bench`."""

    def register(run: F) -> F:
        _BENCHES[name] = Bench(name, run, minutes, batches, page, depends)
        return run

    return register


@cache
def find_benches() -> tuple[Bench, ...]:
    """Return all benches, quickest first."""
    for module in iter_modules(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    return tuple(sorted(_BENCHES.values(), key=lambda found: (found.minutes, found.name)))


def get_bench(name: str) -> Bench:
    """Return a bench by name; raise InputError if there is none."""
    names = [found.name for found in find_benches()]
    if name not in names:
        raise InputError("there is no bench {name}; benches: {benches}", name=name, benches=", ".join(("all", *names)))
    return _BENCHES[name]


def state_of(block: Block) -> str:
    """Return the state of a block's figures: fresh, stale or unknown."""
    if block.code == UNKNOWN or block.bench not in {found.name for found in find_benches()}:
        return UNKNOWN
    return "fresh" if block.code == get_bench(block.bench).fingerprint else "stale"


def _data_files(modules: Iterable[str]) -> set[Path]:
    """Return the files in data folders that lie beside a module and are named in its source."""
    found: set[Path] = set()
    for source in filter(None, map(source_path, modules)):
        text = source.read_text("utf-8")
        for folder in source.parent.iterdir():
            if folder.is_dir() and f'"{folder.name}"' in text and not (folder / "__init__.py").exists():
                found.update(path for path in folder.rglob("*") if path.is_file())
    return found


@cache
def _content(path: Path) -> bytes:
    """Return a hash of a file's content; comments in rule files do not count."""
    data = path.read_bytes()
    if path.suffix == ".yaml":
        from ruamel.yaml import YAML

        data = json.dumps(YAML(typ="safe").load(data), default=str).encode()
    return hashlib.sha256(data).digest()
