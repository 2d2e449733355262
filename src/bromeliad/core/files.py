"""Files that cannot be read or written: the system's error as one of ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bromeliad.errors import InputError


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Raise InputError if the ``with`` block cannot read a file."""
    try:
        yield
    except OSError as error:
        raise InputError(
            "{path}: cannot be read: {problem}", path=str(path), problem=error.strerror or str(error)
        ) from None


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Raise InputError if the ``with`` block cannot write a file."""
    try:
        yield
    except OSError as error:
        raise InputError(
            "{path}: cannot be written: {problem}", path=str(path), problem=error.strerror or str(error)
        ) from None
