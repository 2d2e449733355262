"""Compiles kernels: the only module that imports numba. :mod:`.jit` loads it when the first kernel is called.

Numba does not notice edits in imported modules. Compiled kernels are therefore cached by a fingerprint of their module,
of the modules of their states, and of everything these import (:mod:`.fingerprint`). :mod:`.kernel_cache` provides the
directory.
"""

import inspect
import os
import pickle
from collections.abc import Callable
from importlib import import_module
from logging import getLogger
from pathlib import Path
from typing import Any

from numba import njit, types
from numba.core import cgutils, config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic, overload
from numba.np import linalg

from bromeliad.core import jit
from bromeliad.core.files import locked, read_checked, write_checked
from bromeliad.core.fingerprint import fingerprint
from bromeliad.core.kernel_cache import AHEAD_CPU, AHEAD_FEATURES, COMPILER, ahead_directory, cache_directory

_INTERNAL = {"no_cpython_wrapper": True}
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
_INLINED = {**_OPTIONS, **_INTERNAL, "forceinline": True}
_OVERLOAD: dict[str, Any] = {"strict": False, "jit_options": _INLINED}  # strict would compare annotations
config.CACHE_DIR = str(cache_directory())


def _skip_blas_check() -> None:
    """Load numba's array functions without its check for BLAS, which imports scipy: that adds 0.1 s to every start."""
    check = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = check


_skip_blas_check()


def compile_kernel(function: Callable[..., Any], inline: bool | None, internal: bool, fastmath: bool) -> Any:
    """Return numba's dispatcher of a function; it compiles each signature, or loads it from the cache."""
    options = {**_OPTIONS, **(_INTERNAL if internal else {}), "fastmath": fastmath}
    if inline is not None:  # a kernel inherits the options that it does not set from its caller
        options["forceinline"] = inline
    dispatcher = njit(**options)(function)
    if Path(function.__code__.co_filename).exists():  # not for functions typed at a prompt
        dispatcher._cache = _MeaningKeyedCache(function)
    return dispatcher


def compile_generic(dispatch: Callable[..., Any], implementation: Callable[[type], Callable[..., Any]]) -> None:
    """Let kernels call a generic function."""

    @overload(dispatch, **_OVERLOAD)
    def typer(*args: Any) -> Any:
        cls = getattr(args[0], "instance_class", None)
        return None if cls is None else implementation(cls)


# --- the cache -----------------------------------------------------------------------------------------------------


class _CheckedFile(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data files with checksums: a damaged file counts as missing and is written again."""

    def save(self, key: Any, data: Any) -> None:
        """Store a kernel; the lock keeps processes that compile at once from losing each other's entries."""
        with locked(Path(self._index_path).with_name("lock")):
            super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        """Return a kernel; None if it is missing, or another process has overwritten its file with another kernel."""
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None

    def _load_index(self) -> dict[Any, str]:
        found = read_checked(Path(self._index_path))
        if found is None:
            return {}
        version, stamp, overloads = pickle.loads(found)
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        write_checked(Path(self._index_path), self._dump((self._version, self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        found = read_checked(Path(self._data_path(name)))
        if found is None:
            raise FileNotFoundError(name)  # numba compiles again
        return pickle.loads(found)

    def _save_data(self, name: str, data: Any) -> None:
        write_checked(Path(self._data_path(name)), self._dump(data))


class _MeaningKeyedCache(FunctionCache):  # type: ignore[misc]
    """Numba's on-disk cache, with a separate index for each set of state classes of a kernel.

    An index refers to its classes, so it can only be read where their modules can be imported. File names contain no
    line numbers or paths, so kernels are found again after comments change, and from other copies of the sources.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_path = str(cache_directory())
        self._base = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._files: dict[tuple[str, str], Any] = {}
        self._ahead = False  # whether the present file was built ahead, for another processor than this one

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._cache_file = self._file_for(sig, self._cache_path)
        found = super().load_overload(sig, target_context)
        ahead = ahead_directory()
        if found is None and ahead is not None:
            self._cache_file, self._ahead = self._file_for(sig, str(ahead)), True
            try:
                found = super().load_overload(sig, target_context)
            finally:
                self._ahead = False
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        self._cache_file = self._file_for(sig, self._cache_path)
        try:
            super().save_overload(sig, data)
        except OSError as error:  # a kernel that cannot be stored only costs time
            getLogger("bromeliad").warning("a compiled kernel was not kept: %s", error)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        signature, machine, code = super()._index_key(sig, codegen)
        return signature, (machine[0], AHEAD_CPU, AHEAD_FEATURES) if self._ahead else machine, code

    def _file_for(self, sig: Any, directory: str) -> Any:
        classes = set[type]().union(*map(_classes, sig))
        modules = {self._py_func.__module__, COMPILER}.union(*map(_modules_of, classes))
        key = fingerprint(modules)[:24] + "".join(sorted(filter(None, map(_unknown_source, classes))))
        if (directory, key) not in self._files:
            self._files[directory, key] = _CheckedFile(directory, f"{self._base}-{key}", source_stamp=key)
        return self._files[directory, key]


def _classes(numba_type: Any) -> set[type]:
    """Return the named tuple classes inside a numba type."""
    cls = getattr(numba_type, "instance_class", None)
    parts = getattr(numba_type, "types", ())
    return ({cls} if cls is not None else set()).union(*map(_classes, parts))


def _modules_of(cls: type) -> set[str]:
    """Return the modules of a class and of all functions registered for it."""
    implementations = (generic.implementations.get(cls) for generic in jit.generics)
    return {cls.__module__, *(found.__module__ for found in implementations if found is not None)}


def _unknown_source(cls: type) -> str:
    """Return a suffix unique to this process for a class without a source file (typed at a prompt), '' for others."""
    try:
        inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return f"-{os.getpid()}-{id(cls)}"
    return ""


# --- atomics -----------------------------------------------------------------------------------------------------


def _element_pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    struct = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, struct, [index], wraparound=False)


@intrinsic
def _add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        operation = "fadd" if isinstance(kind.dtype, types.Float) else "add"
        pointer = _element_pointer(context, builder, kind, args[0], args[1])
        return builder.atomic_rmw(operation, pointer, args[2], "monotonic")

    return array.dtype(array, types.intp, array.dtype), codegen


@intrinsic
def _swap(typing_context: Any, array: Any, index: Any, old: Any, new: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _element_pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.extract_value(builder.cmpxchg(pointer, args[2], args[3], "acq_rel", "acquire"), 1)

    return types.boolean(array, types.intp, array.dtype, array.dtype), codegen


@intrinsic
def _load(typing_context: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        pointer = _element_pointer(context, builder, kind, args[0], args[1])
        return builder.load_atomic(pointer, "acquire", kind.dtype.bitwidth // 8)

    return array.dtype(array, types.intp), codegen


@intrinsic
def _store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        pointer = _element_pointer(context, builder, kind, args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), codegen


@overload(jit.atomic_add, **_OVERLOAD)
def _(array: Any, index: Any, value: Any) -> Any:
    return lambda array, index, value: _add(array, index, value)


@overload(jit.compare_and_swap, **_OVERLOAD)
def _(array: Any, index: Any, old: Any, new: Any) -> Any:
    return lambda array, index, old, new: _swap(array, index, old, new)


@overload(jit.load_acquire, **_OVERLOAD)
def _(array: Any, index: Any) -> Any:
    return lambda array, index: _load(array, index)


@overload(jit.store_release, **_OVERLOAD)
def _(array: Any, index: Any, value: Any) -> Any:
    return lambda array, index, value: _store(array, index, value)
