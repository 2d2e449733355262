"""Kernels: functions that are compiled when they are first called.

* :func:`kernel` compiles a function that neither allocates nor returns arrays; it runs without the GIL, cached on disk.
* :func:`generic` makes a function that dispatches on the class of its first argument, compiled or not:
  ``functools.singledispatch`` for kernels.
* :func:`atomic_add`, :func:`compare_and_swap`, :func:`load_acquire` and :func:`store_release` are the atomics that
  numba lacks on the CPU; each has a plain-Python twin for runs with ``NUMBA_DISABLE_JIT=1``.

Importing numba takes longer than many commands, so :mod:`.compiler`, which imports it, is loaded on the first call.
"""

import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, update_wrapper, wraps
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, SupportsFloat, TypeVar

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.kernel_cache import COMPILER, compiles
from bromeliad.errors import KernelError

JIT = compiles()
"""False with ``NUMBA_DISABLE_JIT=1``: kernels are then plain Python, slow but easy to step through."""

if not JIT:
    np.seterr(over="ignore")  # unsigned arithmetic wraps in kernels; numpy scalars would warn

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

if TYPE_CHECKING:  # to type checkers, numbers in kernels are ints and floats of any size

    def int64(value: SupportsFloat) -> int:
        """Return a 64-bit integer."""

    def float32(value: SupportsFloat) -> float:
        """Return a single-precision number."""

else:
    int64 = np.int64
    float32 = np.float32

generics: list[Any] = []
"""All generic functions, in order of definition."""

_loading = RLock()
_loaded: Any = None  # the module bromeliad.core.compiler
_interpreting: ContextVar[bool] = ContextVar("interpreting", default=False)


@contextmanager
def interpreted() -> Iterator[None]:
    """Run kernels as plain Python inside the block, unless numba is loaded: for a few calls, loading takes longer."""
    token = _interpreting.set(True)
    try:
        with np.errstate(over="ignore"):
            yield
    finally:
        _interpreting.reset(token)


def is_interpreting() -> bool:
    """Return whether kernels that are called here run as plain Python."""
    return not JIT or (_loaded is None and _interpreting.get())


def _compiler() -> Any:
    """Return the compiler; the first call loads numba and registers the generic functions defined so far."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                found = import_module(COMPILER)
                for made in generics:
                    found.compile_generic(made, made.implementation)
                _loaded = found
    return _loaded


class Kernel:
    """A function that is compiled when it is first called; in other kernels, numba uses its dispatcher instead."""

    def __init__(self, function: Callable[..., Any], inline: bool | None, internal: bool, fastmath: bool) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._options = inline, internal, fastmath
        self._dispatcher: Any = None

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of the function, made on first use."""
        if self._dispatcher is None:
            with _loading:
                if self._dispatcher is None:
                    self._dispatcher = _compiler().compile_kernel(self.py_func, *self._options)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    @property
    def stats(self) -> Any:
        """Numba's counts of cache hits and misses."""
        return self.dispatcher.stats

    def __call__(self, *args: Any) -> Any:
        """Run the compiled function."""
        if self._dispatcher is None and is_interpreting():
            return self.py_func(*args)
        return (self._dispatcher or self.dispatcher)(*args)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__  # pickled by name: other processes import it


@typing.overload
def kernel(function: F, /) -> F: ...


@typing.overload
def kernel(*, inline: bool | None = None, internal: bool = False, fastmath: bool = False) -> Callable[[F], F]: ...


def kernel(
    function: F | None = None, /, *, inline: bool | None = None, internal: bool = False, fastmath: bool = False
) -> Any:
    """Compile ``function`` on its first call, or load it from the disk cache; it then runs without the GIL.

    The function must not allocate or return arrays: reference counting is off in it.

    Parameters
    ----------
    inline
        Force inlining into the calling kernel: for small functions in hot loops. By default, the kernels that an
        inlined kernel calls are inlined with it. False keeps a large kernel out of its callers: this makes the search
        of Sequence compile four times faster, but would make that of open-face Chinese poker a quarter slower.
    internal
        Called by other kernels only. Without an entry point for Python, a kernel with many arrays compiles much faster.
    fastmath
        Allow sums to be reordered, so that loops over floats are vectorised; values must be finite.
    """
    if function is None:
        return partial(_compile, inline=inline, internal=internal, fastmath=fastmath)
    return _compile(function, inline, internal, fastmath)


def _compile(function: F, inline: bool | None, internal: bool, fastmath: bool) -> F:
    if not JIT:
        return function if inline else _wrapping(function)
    return typing.cast(F, Kernel(function, inline, internal, fastmath))


def _wrapping(function: F) -> F:
    """Let unsigned arithmetic wrap silently in a kernel that runs as plain Python, in any thread."""

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return run  # type: ignore[return-value]


class Generic(Protocol[P, R_co]):
    """A function made by :func:`generic`."""

    required: bool  # every class must register an implementation
    implementations: dict[type, Callable[..., Any]]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Call the implementation for the class of the first argument."""

    def register(self, cls: type) -> Callable[[F], F]:
        """Make the decorated function the implementation for a class."""

    def provided_by(self, cls: type) -> bool:
        """Return whether an implementation is registered for a class."""


@typing.overload
def generic(default: Callable[P, R_co], /) -> Generic[P, R_co]: ...


@typing.overload
def generic(*, optional: bool) -> Callable[[Callable[P, R_co]], Generic[P, R_co]]: ...


def generic(default: Callable[..., Any] | None = None, /, *, optional: bool = False) -> Any:
    """Make a function that dispatches on the class of its first argument, both in kernels and in plain Python.

    The decorated function is the default. Its docstring says what implementations must do. Add an implementation with
    ``@name.register(StateClass)``, where the class is a ``NamedTuple`` of arrays. If the body of the default is only a
    docstring (or ``...``), every class must register its own, unless the function is ``optional``.
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
    made.implementation = implementation
    with _loading:
        generics.append(made)
        if _loaded is not None:
            _loaded.compile_generic(made, implementation)
    return made


def _is_stub(function: Callable[..., Any]) -> bool:
    """Return whether the body of a function is only a docstring or ``...``."""

    def empty() -> None:
        """Do nothing."""

    code = function.__code__
    return code.co_code == empty.__code__.co_code and code.co_consts[-1] in (None, ..., function.__doc__)


# --- atomics -----------------------------------------------------------------------------------------------------


def atomic_add(array: Any, index: int, value: Any) -> Any:
    """Add ``value`` to ``array[index]`` atomically; return the old value."""
    before = array[index]
    array[index] += value
    return before


def compare_and_swap(array: Any, index: int, old: Any, new: Any) -> bool:
    """Atomically write ``new`` to ``array[index]`` if it holds ``old``; return whether it did."""
    if array[index] == old:
        array[index] = new
        return True
    return False


def load_acquire(array: Any, index: int) -> Any:
    """Read ``array[index]``; everything its writer wrote before :func:`store_release` is then visible."""
    return array[index]


def store_release(array: Any, index: int, value: Any) -> None:
    """Write ``array[index]``, after all earlier writes of this thread."""
    array[index] = value
