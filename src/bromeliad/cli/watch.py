"""Watching longer work: a progress bar after two seconds, and Ctrl-C that asks for the best so far."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bromeliad.i18n import tr

__all__ = ["Watch", "progress_bar"]

PATIENCE = 2.0
"""Seconds of work before a bar is shown."""


class Watch:
    """What the work reports to, and asks whether it should end."""

    def __init__(self, console: Console) -> None:
        self._bar = Progress(
            TextColumn(tr("solving, Ctrl-C for the best so far")),
            BarColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,  # what is written to a file stays free of bars
        )
        self._task = self._bar.add_task("", total=1.0)
        self._start = time.monotonic()
        self._interrupted = False

    def report(self, fraction: float) -> None:
        """Show how much of the work is done."""
        if time.monotonic() - self._start > PATIENCE:
            self._bar.start()
        self._bar.update(self._task, completed=fraction)

    def is_cancelled(self) -> bool:
        """Say whether the user has pressed Ctrl-C."""
        return self._interrupted

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Take note of Ctrl-C; a second one ends the program."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True

    def close(self) -> None:
        """Take the bar away."""
        self._bar.stop()


@contextmanager
def progress_bar() -> Iterator[Watch]:
    """Watch the work of a ``with`` block."""
    watch = Watch(Console(stderr=True))
    in_main_thread = threading.current_thread() is threading.main_thread()  # only there signals can be caught
    before: Any = signal.signal(signal.SIGINT, watch.interrupt) if in_main_thread else None
    try:
        yield watch
    finally:
        if in_main_thread:
            signal.signal(signal.SIGINT, before)
        watch.close()
