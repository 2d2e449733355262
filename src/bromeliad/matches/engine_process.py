"""An engine: a child process that answers questions line by line."""

import os
import shlex
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, TypeVar
from weakref import finalize

from bromeliad.errors import EngineError, InputError

T = TypeVar("T")

_LONGEST = 1 << 20  # longest line in bytes; longer ones are skipped
_BACKLOG = 10_000  # most lines that wait to be read; further ones are dropped
_FAREWELL = 1.0  # seconds that an engine has to exit
_SHOWN = 200  # characters of a line that an error quotes


class EngineProcess:
    """A running engine. Errors quote the last line of its standard error; earlier lines are dropped.

    The process has its own process group: Ctrl-C in the terminal does not reach it, and its child processes end with
    it.

    Parameters
    ----------
    command
        The program and its arguments, as typed in a shell. It is run without a shell.
    farewell
        The line that asks the engine to exit.

    Raises
    ------
    InputError
        If the engine cannot be started.
    """

    def __init__(self, command: str, farewell: str) -> None:
        self.command = command
        self._process = _start(command)
        self._ended = False  # set when a pipe closes, which may be before the process has exited
        self._lines: SimpleQueue[str | None] = SimpleQueue()  # None: the engine has ended
        self._errors: deque[str] = deque(maxlen=1)
        self._readers = (
            Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True),
            Thread(target=_keep_last, args=(self._process.stderr, self._errors), daemon=True),
        )
        for reader in self._readers:
            reader.start()
        self._close = finalize(self, _end, self._process, self._readers, farewell)

    @property
    def ended(self) -> bool:
        """Whether the engine has ended."""
        return self._ended or self._process.poll() is not None

    def send(self, line: str) -> None:
        """Write a line; raise EngineError if the engine no longer reads."""
        try:
            _write(self._process.stdin, line)
        except OSError:
            raise self._has_ended() from None

    def read(self, seconds: float, accept: Callable[[str], T | None]) -> T:
        """Return the first result of ``accept`` that is not None; lines for which it returns None are ignored.

        Raises
        ------
        EngineError
            If the engine ends, or does not answer in time.
        """
        deadline = time.monotonic() + seconds
        line: str | None = ""
        while True:
            try:
                said = self._lines.get(timeout=max(deadline - time.monotonic(), 0.0))
            except Empty:
                raise self._is_silent(line) from None
            if said is None:
                raise self._has_ended()
            line = said or line
            found = accept(said) if said else None
            if found is not None:
                return found
            if time.monotonic() > deadline:  # it keeps writing other lines
                raise self._is_silent(line)

    def close(self) -> None:
        """Ask the engine to exit, and kill it if it does not. This also happens when the object is collected."""
        self._close()

    def _has_ended(self) -> EngineError:
        self._ended = True
        self._readers[1].join(_FAREWELL)  # its last error line may not have been read yet
        if self._errors:
            return EngineError("{engine} has ended: {last}", engine=self.command, last=self._errors[0][:_SHOWN])
        return EngineError("{engine} has ended", engine=self.command)

    def _is_silent(self, last: str | None) -> EngineError:
        if last:
            return EngineError("{engine} does not answer; it said {last!r}", engine=self.command, last=last[:_SHOWN])
        return EngineError("{engine} does not answer", engine=self.command)


def _start(command: str) -> "subprocess.Popen[bytes]":
    try:
        words = shlex.split(command)
        if not words:
            raise ValueError("no command")
        pipe = subprocess.PIPE
        return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, process_group=0)
    except (OSError, ValueError) as error:
        raise InputError("the engine {command} cannot be started: {error}", command=command, error=error) from None


def _write(stream: IO[bytes] | None, line: str) -> None:
    assert stream is not None
    stream.write(line.encode() + b"\n")
    stream.flush()


def _end(process: "subprocess.Popen[bytes]", readers: Sequence[Thread], farewell: str) -> None:
    """Ask a process to exit, wait a moment, then kill it and its child processes."""
    with suppress(OSError):  # it may have ended already
        _write(process.stdin, farewell)
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_FAREWELL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for reader in readers:
        reader.join()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _lines_of(stream: IO[bytes] | None) -> Iterator[str]:
    """Yield the lines that a process writes; skip lines that are too long."""
    whole = True
    while stream is not None and (line := stream.readline(_LONGEST)):
        begun, whole = whole, line.endswith(b"\n")
        if begun and (whole or len(line) < _LONGEST):
            yield line.decode("utf-8", "replace").strip()


def _pump(stream: IO[bytes] | None, lines: "SimpleQueue[str | None]") -> None:
    """Put the lines that an engine writes into a queue."""
    for line in _lines_of(stream):
        if lines.qsize() < _BACKLOG:
            lines.put(line)
    lines.put(None)


def _keep_last(stream: IO[bytes] | None, last: "deque[str]") -> None:
    """Keep the last line that is not empty in ``last``."""
    last.extend(line for line in _lines_of(stream) if line)
