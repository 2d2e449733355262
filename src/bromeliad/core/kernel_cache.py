"""The disk cache of compiled kernels and tables, and the warm-ups that compile kernels.

A warm-up is a function that calls every kernel of its module once, on tiny arguments. Callers ask for warm-ups by the
name of the module, so there is no list to maintain.
"""

import json
import math
import os
import pickle
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import numpy as np

from bromeliad.core.files import read_checked, write_checked
from bromeliad.core.fingerprint import closure, fingerprint, module_source, package_modules
from bromeliad.core.machine import cache_root, cores, has_v3, own_directory
from bromeliad.errors import KernelError

F = TypeVar("F", bound=Callable[[], None])
T = TypeVar("T")
_SEARCHED = re.compile(r"bromeliad\.(core|search|games)\.")
_warmups: dict[str, Callable[[], None]] = {}
_ready: set[str] = set()  # modules warmed up by this process
AHEAD = Path(__file__).with_name("ahead")
"""The directory of kernels built ahead, in a platform wheel."""
AHEAD_CPU = "x86-64-v3"
"""The processor for which kernels are built ahead, as LLVM names it."""
AHEAD_FEATURES = "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"
COMPILER = "bromeliad.core.compiler"
"""Part of the fingerprint of every compiled kernel, though no kernel's module imports it."""


@cache
def cache_directory() -> Path:
    """Return the directory of compiled kernels and tables (created if missing).

    Versions of numba and Python, and runs with bounds checks, have separate directories. File names contain the
    fingerprint of the code.
    """
    with suppress(OSError):  # no temporary directory can be made
        if (directory := own_directory(cache_root() / _versions())) is not None:
            return directory
    raise KernelError("there is no writable directory for compiled kernels: set BROMELIAD_CACHE_DIR")


@cache
def ahead_directory() -> Path | None:
    """Return the directory of the kernels in a platform wheel, None if there are none for this machine.

    They were compiled for :data:`AHEAD_CPU`. File names contain the fingerprint of the code, so kernels of other code
    are not found, and files with wrong checksums are ignored. ``BROMELIAD_AHEAD=0`` switches them off.
    """
    place = AHEAD / _versions()
    wanted = os.environ.get("BROMELIAD_AHEAD") != "0" and "NUMBA_CPU_NAME" not in os.environ
    usable = wanted and place.is_dir() and has_v3()
    return place if usable else None


def ahead_environment() -> dict[str, str]:
    """Create :data:`AHEAD` and return the environment variables with which kernels are compiled into it."""
    AHEAD.mkdir(exist_ok=True)
    variables = {"NUMBA_CPU_NAME": AHEAD_CPU, "NUMBA_CPU_FEATURES": AHEAD_FEATURES}
    return {**variables, "BROMELIAD_CACHE_DIR": str(AHEAD)}


@cache
def _versions() -> str:
    """Return a hash of everything besides code that compiled kernels depend on."""
    numba = find_spec("numba")  # its version without importing it, or reading the metadata of packages
    version = Path(numba.origin).with_name("_version.py").read_bytes() if numba and numba.origin else b""
    about = [version, sys.version_info[:2], os.environ.get("NUMBA_BOUNDSCHECK", "0")]
    return sha256(str(about).encode()).hexdigest()[:16]


def _stored(name: str) -> bytes | None:
    """Return the content of a file of the cache, or of the files built ahead; None if it is missing or damaged."""
    for directory in filter(None, (cache_directory(), ahead_directory())):
        with suppress(OSError):
            if (found := read_checked(directory / name)) is not None:
                return found
    return None


def _cached(
    name: str, kind: str, build: Callable[[], T], pack: Callable[[T], bytes], unpack: Callable[[bytes], T]
) -> T:
    """Return the result of ``build``, from the disk cache if the same code has made it before."""
    file = f"{name}-{fingerprint([build.__module__])[:24]}.{kind}"
    if (stored := _stored(file)) is not None:
        return unpack(stored)
    made = build()
    with suppress(OSError):  # a cache that cannot be written only costs time
        write_checked(cache_directory() / file, pack(made))
    return made


def cached_arrays(name: str, build: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the arrays made by ``build``, from the disk cache if the same code has made them before."""
    return _cached(name, "arrays", build, _packed, _unpacked)


def _packed(arrays: dict[str, np.ndarray]) -> bytes:
    """Return arrays as bytes: a line of JSON, then their elements. Numpy's own format takes longer to load."""
    heads = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
    return b"".join((json.dumps(heads).encode(), b"\n", *(array.tobytes() for array in arrays.values())))


def _unpacked(data: bytes) -> dict[str, np.ndarray]:
    head, _, rest = data.partition(b"\n")
    found, start = {}, 0
    for name, kind, shape in json.loads(head):
        count = math.prod(shape)
        array = np.frombuffer(rest, kind, count, start).reshape(shape).copy()  # aligned, as kernels expect
        found[name], start = array, start + array.nbytes
    return found


def cached_object(name: str, build: Callable[[], T]) -> T:
    """Return the object made by ``build``, from the disk cache if the same code has made it before.

    It is pickled, as compiled kernels are: whoever can write to the cache directory can run code anyway.
    """
    return _cached(name, "object", build, pickle.dumps, pickle.loads)


@cache
def program() -> str:
    """Return the fingerprint of all search code, which shows whether a stored answer comes from the present code."""
    return fingerprint(
        name for name in package_modules() if _SEARCHED.match(name) and "\n@kernel" in module_source(name)
    )


# --- warm-ups ------------------------------------------------------------------------------------------------------


def warmup(function: F) -> F:
    """Register the function that calls every kernel of its module once."""
    _warmups[function.__module__] = function
    return function


def warmups() -> tuple[str, ...]:
    """Return the modules that have a warm-up: all in this package, and the loaded ones of other packages."""
    own = (name for name in package_modules() if "\n@warmup\n" in module_source(name))
    return tuple(dict.fromkeys((*own, *_warmups)))


def short_name(module: str) -> str:
    """Return the name of a module as shown to people while its kernels are compiled."""
    return module.removeprefix("bromeliad.").removeprefix("games.")


def _stamp(module: str) -> str:
    return f"{module}-{fingerprint([module, COMPILER])[:24]}.warm"


def compiles() -> bool:
    """Return whether kernels are compiled; False with ``NUMBA_DISABLE_JIT=1``."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def is_cold(module: str) -> bool:
    """Return whether the kernels of a module have not been compiled on this machine yet."""
    places = filter(None, (cache_directory(), ahead_directory()))
    return compiles() and not any((place / _stamp(module)).exists() for place in places)


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
            (cache_directory() / _stamp(module)).touch()


def compile_cold(modules: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Compile the kernels of cold modules, one process per core; yield (module, seconds) as each is done.

    The processes share the cache: a kernel stored by one is loaded by the others. Modules with many kernels come first.
    Ctrl-C ends the processes.
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
