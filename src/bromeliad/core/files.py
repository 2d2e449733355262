"""File access: :class:`~bromeliad.errors.InputError` for errors of the file system, and files with checksums."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bromeliad.errors import InputError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

_DIGEST = 32  # bytes of a SHA-256 digest


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Raise InputError if the ``with`` block cannot read the file ``path``."""
    try:
        yield
    except OSError as error:
        raise InputError(
            "{path}: cannot be read: {problem}", path=str(path), problem=error.strerror or str(error)
        ) from None


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Raise InputError if the ``with`` block cannot write the file ``path``."""
    try:
        yield
    except OSError as error:
        raise InputError(
            "{path}: cannot be written: {problem}", path=str(path), problem=error.strerror or str(error)
        ) from None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let only one process at a time run the ``with`` block, by locking ``path`` if the system can lock files."""
    with path.open("ab") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read_checked(path: Path) -> bytes | None:
    """Return what :func:`write_checked` wrote, or None; a damaged or renamed file counts as missing and is deleted."""
    try:
        whole = path.read_bytes()
    except FileNotFoundError:
        return None
    data = whole[_DIGEST:]
    if whole[:_DIGEST] == _digest(path, data):
        return data
    with suppress(OSError):  # the files of an installed package may be read-only
        path.unlink(missing_ok=True)
    return None


def write_checked(path: Path, data: bytes) -> None:
    """Write a file with its checksum, whole or not at all."""
    import tempfile  # here, because most commands only read

    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".new", delete=False) as fresh:
        try:
            fresh.write(_digest(path, data) + data)
            fresh.close()
            Path(fresh.name).replace(path)
        except OSError:
            Path(fresh.name).unlink(missing_ok=True)
            raise


def _digest(path: Path, data: bytes) -> bytes:
    from hashlib import sha256  # here, so that --help does not load it

    return sha256(path.name.encode() + b"\n" + data).digest()
