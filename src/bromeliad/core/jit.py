"""Compiled kernels: the only module that imports numba.

* :func:`kernel` compiles a function that neither allocates nor returns arrays, without the GIL, cached on disk.
* :func:`generic` makes a function that dispatches on the class of its first argument, compiled or not:
  ``functools.singledispatch`` for kernels.
* :func:`atomic_add`, :func:`compare_and_swap`, :func:`load_acquire` and :func:`store_release` are the atomics that
  numba lacks on the CPU; each has a plain-Python twin for runs with ``NUMBA_DISABLE_JIT=1``.

Numba does not notice edits in imported modules, so every kernel is kept on disk by what its module, the modules of its
states and everything that they import mean (:mod:`.fingerprint`). :mod:`.kernel_cache` has the directory.
"""

import inspect
import os
import typing
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, SupportsFloat, TypeVar

import numpy as np
from numba import njit, types
from numba.core import cgutils, config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from bromeliad.core.fingerprint import fingerprint
from bromeliad.core.kernel_cache import cache_directory
from bromeliad.errors import KernelError

__all__ = [
    "JIT",
    "Bools",
    "Floats",
    "Generic",
    "Ints",
    "atomic_add",
    "compare_and_swap",
    "float32",
    "generic",
    "int64",
    "kernel",
    "load_acquire",
    "store_release",
]

JIT = not config.DISABLE_JIT
"""False when ``NUMBA_DISABLE_JIT=1``: kernels are then plain Python, slow and easy to step through."""

if not JIT:
    np.seterr(over="ignore")  # unsigned arithmetic wraps in kernels; numpy scalars would warn

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

if TYPE_CHECKING:  # the numbers of kernels are ints and floats to type checkers, however many bits they have

    def int64(value: SupportsFloat) -> int:
        """Return a 64-bit integer."""

    def float32(value: SupportsFloat) -> float:
        """Return a single-precision number."""

else:
    int64 = np.int64
    float32 = np.float32

_generics: list[Any] = []  # all generic functions, each with its implementations
_INLINE = {"forceinline": True}
_INTERNAL = {"no_cpython_wrapper": True}
config.CACHE_DIR = str(cache_directory())
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


class _MeaningKeyedCache(FunctionCache):  # type: ignore[misc]
    """Numba's on-disk cache, with an index of its own for each set of state classes that a kernel serves.

    An index names the classes that it serves, so one that knew a foreign class could not be read where its module
    cannot be imported. File names hold no line numbers and no paths: a comment more, or another copy of the same
    sources, finds the same kernels.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_path = str(cache_directory())
        self._base = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._files: dict[str, Any] = {}

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._cache_file = self._file_for(sig)
        return super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        self._cache_file = self._file_for(sig)
        super().save_overload(sig, data)

    def _file_for(self, sig: Any) -> Any:
        classes = set[type]().union(*map(_classes, sig))
        modules = {self._py_func.__module__}.union(*map(_modules_of, classes))
        key = fingerprint(modules)[:24] + "".join(sorted(filter(None, map(_unknown_source, classes))))
        if key not in self._files:
            self._files[key] = IndexDataCacheFile(self._cache_path, f"{self._base}-{key}", source_stamp=key)
        return self._files[key]


def _classes(numba_type: Any) -> set[type]:
    """Return the named tuples that a type is made of."""
    cls = getattr(numba_type, "instance_class", None)
    parts = getattr(numba_type, "types", ())
    return ({cls} if cls is not None else set()).union(*map(_classes, parts))


def _modules_of(cls: type) -> set[str]:
    """Return the modules of a class and of everything that is registered for it."""
    implementations = (generic.implementations.get(cls) for generic in _generics)
    return {cls.__module__, *(found.__module__ for found in implementations if found is not None)}


def _unknown_source(cls: type) -> str:
    """Return what tells a class without a file (typed at a prompt) from what earlier processes left in the cache."""
    try:
        inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return f"-{os.getpid()}-{id(cls)}"
    return ""


@typing.overload
def kernel(function: F, /) -> F: ...


@typing.overload
def kernel(*, inline: bool = False, internal: bool = False, fastmath: bool = False) -> Callable[[F], F]: ...


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
        return partial(_compile, inline=inline, internal=internal, fastmath=fastmath)
    return _compile(function, inline, internal, fastmath)


def _compile(function: F, inline: bool, internal: bool, fastmath: bool) -> F:
    if not JIT:
        return function if inline else _wrapping(function)
    options = {**_OPTIONS, **(_INLINE if inline else {}), **(_INTERNAL if internal else {}), "fastmath": fastmath}
    dispatcher = njit(**options)(function)
    if Path(function.__code__.co_filename).exists():  # not for what is typed at a prompt
        dispatcher._cache = _MeaningKeyedCache(function)
    return typing.cast(F, dispatcher)


def _wrapping(function: F) -> F:
    """Let unsigned arithmetic wrap silently in a kernel that runs as plain Python, in whichever thread it runs."""

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return run  # type: ignore[return-value]


class Generic(Protocol[P, R_co]):
    """A function that :func:`generic` made."""

    required: bool  # every class has to provide its own
    implementations: dict[type, Callable[..., Any]]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the implementation for the class of the first argument."""

    def register(self, cls: type) -> Callable[[F], F]:
        """Make the decorated function the implementation for a class."""

    def provided_by(self, cls: type) -> bool:
        """Say whether a class has an implementation of its own."""


@typing.overload
def generic(default: Callable[P, R_co], /) -> Generic[P, R_co]: ...


@typing.overload
def generic(*, optional: bool) -> Callable[[Callable[P, R_co]], Generic[P, R_co]]: ...


def generic(default: Callable[..., Any] | None = None, /, *, optional: bool = False) -> Any:
    """Make a function that dispatches on the class of its first argument, in kernels and in plain Python alike.

    The decorated function is the default; its docstring says what an implementation must do. An implementation is
    added by ``@name.register(StateClass)``, where the class is a ``NamedTuple`` of arrays. A default whose body is
    only a docstring (or ``...``) means that every game has to provide its own, unless it is marked ``optional``.
    """
    if default is None:
        return partial(_make_generic, optional=optional)
    return _make_generic(default, optional)


def _make_generic(default: Callable[..., Any], optional: bool) -> Any:
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

    @wraps(default)
    def dispatch(*args: Any) -> Any:
        return implementation(type(args[0]))(*args)

    def register(cls: type) -> Callable[[F], F]:
        def add(function: F) -> F:
            implementations[cls] = function
            return function

        return add

    made: Any = dispatch
    made.register = register
    made.provided_by = implementations.__contains__
    made.required = abstract
    made.implementations = implementations
    _generics.append(made)

    if JIT:

        @overload(dispatch, strict=False, jit_options={**_OPTIONS, **_INLINE})
        def typer(*args: Any) -> Any:
            cls = getattr(args[0], "instance_class", None)
            return None if cls is None else implementation(cls)

    return made


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


if JIT:  # not strict: annotations are a difference to numba

    @overload(atomic_add, strict=False, jit_options={**_OPTIONS, **_INLINE})
    def _(array: Any, index: Any, value: Any) -> Any:
        return lambda array, index, value: _add(array, index, value)

    @overload(compare_and_swap, strict=False, jit_options={**_OPTIONS, **_INLINE})
    def _(array: Any, index: Any, old: Any, new: Any) -> Any:
        return lambda array, index, old, new: _swap(array, index, old, new)

    @overload(load_acquire, strict=False, jit_options={**_OPTIONS, **_INLINE})
    def _(array: Any, index: Any) -> Any:
        return lambda array, index: _load(array, index)

    @overload(store_release, strict=False, jit_options={**_OPTIONS, **_INLINE})
    def _(array: Any, index: Any, value: Any) -> Any:
        return lambda array, index, value: _store(array, index, value)
