"""The cache on disk: compiled kernels, tables, and the warm-ups that compile kernels.

A warm-up is a function that calls every kernel of its module once, on tiny arguments. Callers ask for warm-ups by the
name of the module, so there is no list to maintain.
"""

import io
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import numpy as np

from bromeliad.core.files import read_checked, write_checked
from bromeliad.core.fingerprint import closure, fingerprint, module_source, package_modules
from bromeliad.core.machine import cache_root, cores, own_directory
from bromeliad.errors import KernelError

F = TypeVar("F", bound=Callable[[], None])
_SEARCHED = re.compile(r"bromeliad\.(core|search|games)\.")
_warmups: dict[str, Callable[[], None]] = {}
_ready: set[str] = set()  # modules warmed up by this process
COMPILER = "bromeliad.core.compiler"
"""Counts in the fingerprint of every compiled kernel, though no kernel's module imports it."""


@cache
def cache_directory() -> Path:
    """Return the directory of compiled kernels and tables (created if missing).

    There is one directory per version of numba and Python; the names of the files contain the code's fingerprints.
    """
    about = [version("numba"), sys.version_info[:2], os.environ.get("NUMBA_BOUNDSCHECK", "0")]
    name = sha256(str(about).encode()).hexdigest()[:16]
    with suppress(OSError):  # no room for temporary files
        if (directory := own_directory(cache_root() / name)) is not None:
            return directory
    raise KernelError("there is no writable directory for compiled kernels: set BROMELIAD_CACHE_DIR")


def cached_arrays(name: str, build: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the arrays made by ``build``, from the disk cache if the same code has made them before."""
    path = cache_directory() / f"{name}-{fingerprint([build.__module__])[:24]}.arrays"
    with suppress(OSError):
        if (stored := read_checked(path)) is not None:
            with np.load(io.BytesIO(stored), allow_pickle=False) as found:
                return dict(found)
    arrays = build()
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    with suppress(OSError):  # a cache that cannot be written only costs time
        write_checked(path, packed.getvalue())
    return arrays


def cached_text(name: str, build: Callable[[], str]) -> str:
    """Return the text made by ``build``, from the disk cache if the same code has made it before."""
    path = cache_directory() / f"{name}-{fingerprint([build.__module__])[:24]}.text"
    with suppress(OSError):
        if (stored := read_checked(path)) is not None:
            return stored.decode()
    text = build()
    with suppress(OSError):
        write_checked(path, text.encode())
    return text


@cache
def program() -> str:
    """Return the fingerprint of all search code: answers of another version of the code have another one."""
    return fingerprint(
        name for name in package_modules() if _SEARCHED.match(name) and "\n@kernel" in module_source(name)
    )


# --- warm-ups ------------------------------------------------------------------------------------------------------


def warmup(function: F) -> F:
    """Register the function that calls every kernel of its module once."""
    _warmups[function.__module__] = function
    return function


def warmups() -> tuple[str, ...]:
    """Return the modules that have a warm-up: all of this package, and the loaded ones of other packages."""
    own = (name for name in package_modules() if "\n@warmup\n" in module_source(name))
    return tuple(dict.fromkeys((*own, *_warmups)))


def short_name(module: str) -> str:
    """Return the name of a module as shown to people while its kernels are compiled."""
    return module.removeprefix("bromeliad.").removeprefix("games.")


def _stamp(module: str) -> Path:
    return cache_directory() / f"{module}-{fingerprint([module, COMPILER])[:24]}.warm"


def compiles() -> bool:
    """Return whether kernels are compiled: not with ``NUMBA_DISABLE_JIT=1``."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def is_cold(module: str) -> bool:
    """Return whether the kernels of a module have not been compiled on this machine yet."""
    return compiles() and not _stamp(module).exists()


def ensure(modules: Iterable[str], announce: Callable[[str], None] | None = None) -> None:
    """Load or compile the kernels of some modules, once per process.

    ``announce`` is called with the name of each module before it is compiled.
    """
    for module in modules:
        if module in _ready:
            continue
        if announce is not None and is_cold(module):
            announce(module)
        import_module(module)
        _warmups[module]()
        _ready.add(module)
        with suppress(OSError):  # a full disk
            _stamp(module).touch()


def compile_cold(modules: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Compile the kernels of cold modules, one process per core; yield each module when it is done, and its seconds.

    The processes share the cache: a kernel that one of them has stored, the others load. Modules with many kernels come
    first. Ctrl-C ends the processes.
    """
    from concurrent.futures import ProcessPoolExecutor, as_completed  # here, because most runs compile nothing
    from multiprocessing import active_children, get_context

    cold = sorted(filter(is_cold, modules), key=_kernel_count, reverse=True)
    with ProcessPoolExecutor(cores(), get_context("spawn"), _ignore_interrupts) as pool:
        try:
            for future in as_completed([pool.submit(_compile, module) for module in cold]):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
            raise


def _kernel_count(module: str) -> int:
    return sum(module_source(name).count("\n@kernel") for name in closure(module))


def _compile(module: str) -> tuple[str, float]:
    began = time.perf_counter()
    ensure([module])
    return module, time.perf_counter() - began


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted compiler fails with obscure errors
