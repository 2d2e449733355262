"""The finished items of a batch in a file, so that a killed run can be resumed.

The file has one JSON value per line: first the provenance, then ``[key, result]`` for each finished item. A kill can
damage only the last line; it is dropped, and its item is done again.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import platformdirs

from bromeliad.cluster.work import fingerprint
from bromeliad.core.files import reading, writing
from bromeliad.core.machine import fresh_directory, own_directory
from bromeliad.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_SYNC_SECONDS = 1.0
_FORMAT = 1
_DIRECTORY = "BROMELIAD_RUNS_DIR"  # environment variable: the directory of unfinished runs
_KEPT_DAYS = 30


class Checkpoint:
    """The finished items of one batch.

    Parameters
    ----------
    path
        The file; it is created, with its directory, for the first finished item.
    provenance
        Everything that the results depend on, as plain data. A file with another provenance is refused.
    """

    def __init__(self, path: str | Path, provenance: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._head = json.loads(json.dumps({"checkpoint": _FORMAT, "provenance": dict(provenance)}))
        self._places: dict[str, int] = {}  # offset of the line of each key
        self._end = 0  # of the last complete line
        self._file: BinaryIO | None = None
        self._synced = 0.0
        self._size = 0  # of the file when it was read
        if self.path.exists():
            with reading(self.path), self.path.open("rb") as file:
                self._read(file)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    @contextmanager
    def writing(self) -> "Iterator[Checkpoint]":
        """Open and lock the file for reading and adding."""
        if self._file is not None:
            yield self
            return
        with self._opened() as file:
            self._lock(file)
            if os.fstat(file.fileno()).st_size != self._size:  # another process has added to it
                self._read(file)
            file.truncate(self._end)  # drops an incomplete last line
            file.seek(self._end)
            self._file = file
            try:
                if self._end == 0:
                    self._write(json.dumps(self._head, ensure_ascii=False))
                yield self
            finally:
                os.fsync(file.fileno())
                self._size = self._end
                self._file = None

    def get(self, key: str) -> Any:
        """Return the result of a finished item (inside :meth:`writing`)."""
        file = self._open_file()
        file.seek(self._places[key])
        result = json.loads(file.readline())[1]
        file.seek(self._end)
        return result

    def add(self, key: str, text: str) -> None:
        """Add a result, given as JSON (inside :meth:`writing`)."""
        self._places[key] = self._end
        self._write(f"[{json.dumps(key, ensure_ascii=False)},{text}]")

    def delete(self) -> None:
        """Delete the file: the batch is finished, and its result is stored elsewhere."""
        self.path.unlink(missing_ok=True)
        self._places.clear()
        self._end = self._size = 0

    def _write(self, line: str) -> None:
        file = self._open_file()
        self._end += file.write(line.encode() + b"\n")
        file.flush()
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            os.fsync(file.fileno())
            self._synced = time.monotonic()

    def _open_file(self) -> BinaryIO:
        if self._file is None:
            raise RuntimeError("a checkpoint is read and written inside writing()")
        return self._file

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        with writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()
            file = self.path.open("r+b")
        with file:
            yield file

    def _lock(self, file: BinaryIO) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError("{path} is in use: the same work is already running", path=str(self.path)) from None

    def _read(self, file: BinaryIO) -> None:
        self._places.clear()
        self._end, self._size = 0, os.fstat(file.fileno()).st_size
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                data = json.loads(line)
                if number == 1:
                    self._compare(data)
                else:
                    key, _ = data
                    self._places[key] = self._end
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                raise InputError(
                    "{path}, line {line}: not a checkpoint; delete the file or name another one",
                    path=str(self.path),
                    line=number,
                ) from None
            self._end += len(line)

    def _compare(self, head: Any) -> None:
        """Refuse a file with another provenance."""
        if head["checkpoint"] != _FORMAT:
            raise ValueError
        old, new = head["provenance"], self._head["provenance"]
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                raise InputError(
                    "{path} was made with {name} = {old}, now it is {new}; delete the file or name another one",
                    path=str(self.path),
                    name=name,
                    old=json.dumps(old.get(name), ensure_ascii=False)[:60],
                    new=json.dumps(new.get(name), ensure_ascii=False)[:60],
                )


def runs_directory() -> Path:
    """Return the directory of unfinished runs, which only this user can write to; a fresh one if necessary."""
    named = os.environ.get(_DIRECTORY)
    usual = Path(named or Path(platformdirs.user_state_dir("bromeliad", appauthor=False)) / "runs")
    if (found := own_directory(usual)) is not None:
        return found
    if named:
        raise InputError(
            "{variable}: {path} is not a directory that you, and nobody else, can write to",
            variable=_DIRECTORY,
            path=named,
        )
    return fresh_directory()


def find_run(command: str, provenance: Mapping[str, Any]) -> Checkpoint:
    """Return the checkpoint of a command's unfinished run with the same provenance, or an empty one.

    The fingerprint of the program and its weights is added to the provenance. Old runs of all commands are deleted.
    """
    directory = runs_directory()
    for path in directory.glob("*.jsonl"):
        with suppress(FileNotFoundError):  # another process's run has just ended
            if time.time() - path.stat().st_mtime > _KEPT_DAYS * 86_400:
                path.unlink()
    whole = {**provenance, "program": fingerprint()}
    digest = hashlib.sha256(json.dumps([command, whole], sort_keys=True).encode()).hexdigest()[:16]
    return Checkpoint(directory / f"{command}-{digest}.jsonl", whole)
