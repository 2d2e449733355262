"""What is made once and kept between runs: the directory of compiled kernels, tables beside them, and warm-ups.

A warm-up is a function that calls every kernel of its module once, on tiny arguments. It is known by the name of its
module, so whoever needs kernels names the module, and nobody has to keep a list.
"""

import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import numpy as np

from bromeliad.core.fingerprint import fingerprint, module_source, package_modules
from bromeliad.core.machine import cache_root
from bromeliad.errors import KernelError

__all__ = [
    "cache_directory",
    "cached_arrays",
    "ensure",
    "is_cold",
    "program",
    "short_name",
    "warmup",
    "warmups",
]

F = TypeVar("F", bound=Callable[[], None])
_SEARCHED = re.compile(r"bromeliad\.(core|search|games)\.")
_warmups: dict[str, Callable[[], None]] = {}
_ready: set[str] = set()  # what this process has run


@cache
def cache_directory() -> Path:
    """Return the directory of compiled kernels and tables (made if missing).

    It depends on what changes compiled code wherever it comes from; what the code is stands in the names of the files.
    """
    about = [version("numba"), sys.version_info[:2], os.environ.get("NUMBA_BOUNDSCHECK", "0")]
    name = sha256(str(about).encode()).hexdigest()[:16]
    own = f"bromeliad-{os.getuid() if os.name == 'posix' else 0}"
    for candidate in (cache_root(), Path(tempfile.gettempdir()) / own):
        directory = candidate / name
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(directory, os.W_OK):
            return directory
    raise KernelError("no place to keep compiled kernels: set BROMELIAD_CACHE_DIR to a writable directory")


def cached_arrays(name: str, build: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the arrays that ``build`` makes, from the disk cache if the same code has made them before."""
    path = cache_directory() / f"{name}-{fingerprint([build.__module__])[:24]}.npz"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return dict(stored)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        arrays = build()
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npz", delete=False) as fresh:
        np.savez(fresh, allow_pickle=False, **arrays)
    Path(fresh.name).replace(path)
    return arrays


@cache
def program() -> str:
    """Return a name for how games are searched: answers that other code gave have another one."""
    return fingerprint(
        name for name in package_modules() if _SEARCHED.match(name) and "\n@kernel" in module_source(name)
    )


# --- warm-ups ------------------------------------------------------------------------------------------------------


def warmup(function: F) -> F:
    """Register the function that calls every kernel of its module once."""
    _warmups[function.__module__] = function
    return function


def warmups() -> tuple[str, ...]:
    """Return the modules of this package that have a warm-up, and of other packages those that are loaded."""
    own = (name for name in package_modules() if "\n@warmup\n" in module_source(name))
    return tuple(dict.fromkeys((*own, *_warmups)))


def short_name(module: str) -> str:
    """Return what a person is told of a module whose kernels are compiled."""
    return module.removeprefix("bromeliad.").removeprefix("games.")


def _stamp(module: str) -> Path:
    return cache_directory() / f"{module}-{fingerprint([module])[:24]}.warm"


def is_cold(module: str) -> bool:
    """Say whether the kernels of a module still have to be compiled on this machine."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0") and not _stamp(module).exists()


def ensure(modules: Iterable[str], announce: Callable[[str], None] | None = None) -> None:
    """Make the kernels of some modules ready, from the disk cache or by compiling, once per process.

    ``announce`` gets the name of each module before it is compiled.
    """
    for module in modules:
        if module in _ready:
            continue
        if announce is not None and is_cold(module):
            announce(module)
        import_module(module)
        _warmups[module]()
        _ready.add(module)
        _stamp(module).touch()
