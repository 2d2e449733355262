"""Files: errors of the file system as :class:`~bromeliad.errors.InputError`, and files with checksums."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from bromeliad.errors import InputError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

_DIGEST = sha256().digest_size


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


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let only one process at a time run the ``with`` block, where the system can lock files."""
    with path.open("ab") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read_checked(path: Path) -> bytes | None:
    """Return what :func:`write_checked` wrote; None, and the file is deleted, if it is damaged or has another name."""
    try:
        whole = path.read_bytes()
    except FileNotFoundError:
        return None
    data = whole[_DIGEST:]
    if whole[:_DIGEST] == _digest(path, data):
        return data
    path.unlink(missing_ok=True)
    return None


def write_checked(path: Path, data: bytes) -> None:
    """Write a file with its checksum, whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".new", delete=False) as fresh:
        try:
            fresh.write(_digest(path, data) + data)
            fresh.close()
            Path(fresh.name).replace(path)
        except OSError:
            Path(fresh.name).unlink(missing_ok=True)
            raise


def _digest(path: Path, data: bytes) -> bytes:
    return sha256(path.name.encode() + b"\n" + data).digest()
