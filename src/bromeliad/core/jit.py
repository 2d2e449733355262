"""Compiled kernels: the only module that imports numba.

* :func:`kernel` compiles a function that neither allocates nor returns arrays, without the GIL, cached on disk.
* :func:`generic` makes a function that dispatches on the class of its first argument, compiled or not:
  ``functools.singledispatch`` for kernels.
* :func:`atomic_add`, :func:`compare_and_swap`, :func:`load_acquire` and :func:`store_release` are the atomics that
  numba lacks on the CPU; each has a plain-Python twin for runs with ``NUMBA_DISABLE_JIT=1``.
* :func:`warmup` registers what ``bromeliad warmup`` compiles; :func:`ensure` compiles what a command needs.

Numba does not notice edits in imported modules, so the cache directory is keyed by a hash of all kernel sources, and
the kernels of a game that lives outside this package also by the source of that game's module.
"""

import hashlib
import inspect
import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import platformdirs
from numba import njit, types
from numba.core import cgutils, config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic, overload

from bromeliad.errors import KernelError

__all__ = [
    "JIT",
    "atomic_add",
    "cache_directory",
    "cached_arrays",
    "compare_and_swap",
    "ensure",
    "generic",
    "is_cold",
    "kernel",
    "kernel_sources",
    "load_acquire",
    "store_release",
    "warmup",
    "warmups",
]

JIT = not config.DISABLE_JIT
"""False when ``NUMBA_DISABLE_JIT=1``: kernels are then plain Python, slow and easy to step through."""

if not JIT:
    np.seterr(over="ignore")  # unsigned arithmetic wraps in kernels; numpy scalars would warn

F = TypeVar("F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r"^\s*from bromeliad\.([\w.]+) import", re.MULTILINE)
_KERNEL_MODULES = {"core", "core.jit", "core.game"}  # who imports one of them has kernels, or is a game


def kernel_sources() -> list[Path]:
    """Return the sources that compiled kernels can depend on: modules of kernels and of games, and what these import.

    Editing anything else must not make everybody compile again.
    """
    imports = {
        path: set(_IMPORT.findall(path.read_text("utf-8")))
        for folder in ("core", "search", "games")
        for path in (_PACKAGE / folder).rglob("*.py")
    }
    found: set[Path] = set()
    waiting = [path for path, names in imports.items() if names & _KERNEL_MODULES]
    while waiting:
        path = waiting.pop()
        if path in imports and path not in found:
            found.add(path)
            waiting.extend(_PACKAGE.joinpath(*name.split(".")).with_suffix(".py") for name in imports[path])
    return sorted(found)


@cache
def cache_directory() -> Path:
    """Return the directory of compiled kernels and tables for exactly these sources (made if missing)."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {config.BOUNDSCHECK}".encode())
    for path in kernel_sources():
        digest.update(str(path.relative_to(_PACKAGE)).encode())
        digest.update(path.read_bytes())
    base = os.environ.get("BROMELIAD_CACHE_DIR") or platformdirs.user_cache_dir("bromeliad", appauthor=False)
    for candidate in (
        Path(base),
        Path(tempfile.gettempdir()) / f"bromeliad-{os.getuid() if os.name == 'posix' else 0}",
    ):
        directory = candidate / digest.hexdigest()[:16]
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(directory, os.W_OK):
            return directory
    raise KernelError("no place to keep compiled kernels: set BROMELIAD_CACHE_DIR to a writable directory")


config.CACHE_DIR = str(cache_directory())
_INLINE = {"forceinline": True}
_INTERNAL = {"no_cpython_wrapper": True}
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


class _SourceKeyedCache(FunctionCache):  # type: ignore[misc]
    """Numba's on-disk cache, with an index of its own for each foreign module whose state classes a kernel serves.

    An index names the classes that it serves, so one that knew a foreign class could not be read where its module
    cannot be imported; and an index by the module's source forgets what an older source was compiled to.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._files = {"": self._cache_file}

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._cache_file = self._file_for(sig)
        return super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        self._cache_file = self._file_for(sig)
        super().save_overload(sig, data)

    def _file_for(self, sig: Any) -> Any:
        key = "-".join(filter(None, (_foreign_source(arg) for arg in sig)))
        if key not in self._files:
            base = f"{self._impl.filename_base}-{key}"
            self._files[key] = IndexDataCacheFile(self._cache_path, base, self._impl.locator.get_source_stamp())
        return self._files[key]


def _foreign_source(numba_type: Any) -> str:
    """Return a hash of the module that defines the class behind ``numba_type``, '' for what is part of Bromeliad."""
    cls = getattr(numba_type, "instance_class", None)
    if cls is None or cls.__module__.split(".")[0] == "bromeliad":
        return ""
    try:
        path = inspect.getsourcefile(cls)
    except (OSError, TypeError):  # a class typed at a prompt: it must not meet what an earlier one left in the cache
        path = None
    source = Path(path).read_bytes() if path else f"{os.getpid()} {id(cls)}".encode()
    return hashlib.sha256(source).hexdigest()[:16]


def kernel(
    function: F | None = None, /, *, inline: bool = False, internal: bool = False, fastmath: bool = False
) -> Any:
    """Compile ``function`` on its first call, without the GIL, from the disk cache if it is there.

    The function may not allocate arrays nor return one: reference counting is switched off in it.

    Parameters
    ----------
    inline
        Force inlining into the calling kernel: for small functions in hot loops.
    internal
        Called by other kernels only. Without an entry for Python a kernel that takes many arrays compiles much faster.
    fastmath
        Let sums be reordered, so that loops over floats are vectorised; values must be finite.
    """
    if function is None:
        return lambda decorated: kernel(decorated, inline=inline, internal=internal, fastmath=fastmath)
    if not JIT:
        return function if inline else _wrapping(function)
    options = {**_OPTIONS, **(_INLINE if inline else {}), **(_INTERNAL if internal else {}), "fastmath": fastmath}
    dispatcher = njit(**options)(function)
    if Path(function.__code__.co_filename).exists():  # not for what is typed at a prompt
        dispatcher._cache = _SourceKeyedCache(function)
    return dispatcher


def _wrapping(function: F) -> F:
    """Let unsigned arithmetic wrap silently in a kernel that runs as plain Python, in whichever thread it runs."""

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return run  # type: ignore[return-value]


def generic(default: F | None = None, /, *, optional: bool = False) -> Any:
    """Make a function that dispatches on the class of its first argument, in kernels and in plain Python alike.

    The decorated function is the default; its docstring says what an implementation must do. An implementation is
    added by ``@name.register(StateClass)``, where the class is a ``NamedTuple`` of arrays. A default whose body is
    only a docstring (or ``...``) means that every game has to provide its own, unless it is marked ``optional``.
    """
    if default is None:
        return lambda decorated: generic(decorated, optional=optional)
    implementations: dict[type, Callable[..., Any]] = {}
    abstract = not optional and _is_stub(default)

    def implementation(cls: type) -> Callable[..., Any]:
        found = implementations.get(cls)
        if found is None and abstract:
            raise KernelError(
                "{game} does not provide {function}(): register it with @{function}.register({game})",
                game=cls.__name__,
                function=default.__name__,
            )
        return found or default

    def dispatch(*args: Any) -> Any:
        return implementation(type(args[0]))(*args)

    def register(cls: type) -> Callable[[F], F]:
        def add(function: F) -> F:
            implementations[cls] = function
            return function

        return add

    dispatch.__name__ = default.__name__
    dispatch.__qualname__ = default.__qualname__
    dispatch.__module__ = default.__module__
    dispatch.__doc__ = default.__doc__
    dispatch.register = register  # type: ignore[attr-defined]
    dispatch.provided_by = lambda cls: cls in implementations  # type: ignore[attr-defined]
    dispatch.required = abstract  # type: ignore[attr-defined]

    if JIT:

        @overload(dispatch, strict=False, jit_options={**_OPTIONS, **_INLINE})
        def typer(*args: Any) -> Any:
            cls = getattr(args[0], "instance_class", None)
            return None if cls is None else implementation(cls)

    return dispatch


def _is_stub(function: Callable[..., Any]) -> bool:
    """Say whether a function's body is nothing but a docstring or ``...``."""

    def empty() -> None:
        """Do nothing."""

    code = function.__code__
    return code.co_code == empty.__code__.co_code and code.co_consts[-1] in (None, ..., function.__doc__)


# --- atomics -----------------------------------------------------------------------------------------------------


def _element_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    struct = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, struct, [index], wraparound=False)


@intrinsic
def _add(typing_context, array, index, value):
    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        operation = "fadd" if isinstance(kind.dtype, types.Float) else "add"
        pointer = _element_pointer(context, builder, kind, args[0], args[1])
        return builder.atomic_rmw(operation, pointer, args[2], "monotonic")

    return array.dtype(array, types.intp, array.dtype), codegen


@intrinsic
def _swap(typing_context, array, index, old, new):
    def codegen(context, builder, signature, args):
        pointer = _element_pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.extract_value(builder.cmpxchg(pointer, args[2], args[3], "acq_rel", "acquire"), 1)

    return types.boolean(array, types.intp, array.dtype, array.dtype), codegen


@intrinsic
def _load(typing_context, array, index):
    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        pointer = _element_pointer(context, builder, kind, args[0], args[1])
        return builder.load_atomic(pointer, "acquire", kind.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), codegen


@intrinsic
def _store(typing_context, array, index, value):
    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        pointer = _element_pointer(context, builder, kind, args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), codegen


def atomic_add(array: Any, index: int, value: Any) -> Any:
    """Add ``value`` to ``array[index]`` as one step; return what was there before."""
    before = array[index]
    array[index] += value
    return before


def compare_and_swap(array: Any, index: int, old: Any, new: Any) -> bool:
    """Write ``new`` to ``array[index]`` if it holds ``old``, as one step; return whether it did."""
    if array[index] == old:
        array[index] = new
        return True
    return False


def load_acquire(array: Any, index: int) -> Any:
    """Read ``array[index]``; what its writer stored before releasing it is visible afterwards."""
    return array[index]


def store_release(array: Any, index: int, value: Any) -> None:
    """Write ``array[index]`` after everything that this thread wrote before."""
    array[index] = value


if JIT:

    @overload(atomic_add, jit_options={**_OPTIONS, **_INLINE})
    def _(array, index, value):
        return lambda array, index, value: _add(array, index, value)

    @overload(compare_and_swap, jit_options={**_OPTIONS, **_INLINE})
    def _(array, index, old, new):
        return lambda array, index, old, new: _swap(array, index, old, new)

    @overload(load_acquire, jit_options={**_OPTIONS, **_INLINE})
    def _(array, index):
        return lambda array, index: _load(array, index)

    @overload(store_release, jit_options={**_OPTIONS, **_INLINE})
    def _(array, index, value):
        return lambda array, index, value: _store(array, index, value)


# --- tables and warm-up --------------------------------------------------------------------------------------------

_warmups: dict[str, Callable[[], None]] = {}
_ready: set[str] = set()  # what this process has run


def cached_arrays(name: str, build: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the arrays that ``build`` makes, from the disk cache if these sources have made them before."""
    path = cache_directory() / f"{name}.npz"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return dict(stored)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        arrays = build()
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npz", delete=False) as fresh:
        np.savez(fresh, allow_pickle=False, **arrays)
    Path(fresh.name).replace(path)
    return arrays


def warmup(name: str) -> Callable[[F], F]:
    """Register a function that calls every kernel of one module once, on tiny arguments."""

    def add(function: F) -> F:
        _warmups[name] = function
        return function

    return add


def warmups() -> tuple[str, ...]:
    """Return the names of all registered warm-ups."""
    return tuple(_warmups)


def _stamp(name: str) -> Path:
    return cache_directory() / f"{name}.warm"


def is_cold(name: str) -> bool:
    """Say whether the kernels of the warm-up ``name`` still have to be compiled on this machine."""
    return JIT and not _stamp(name).exists()


def ensure(names: Iterable[str], announce: Callable[[str], None] | None = None) -> None:
    """Make the kernels of ``names`` ready, from the disk cache or by compiling, once a process.

    ``announce`` is told the name before each compilation.
    """
    for name in names:
        if name in _ready:
            continue
        if announce is not None and is_cold(name):
            announce(name)
        _warmups[name]()
        _ready.add(name)
        _stamp(name).touch()
