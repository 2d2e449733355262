"""The progress of longer work: a live table and a bar after two seconds, and Ctrl-C that asks for the best so far."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bromeliad.cli.table import placements_table
from bromeliad.core import budget
from bromeliad.i18n import tr

PATIENCE = 2.0
"""Seconds of work before a bar is shown."""

SHOWN = 8
"""Placements in the table above the bar."""


class ProgressBar:
    """Shows how far the work is, and says whether it should end."""

    def __init__(self, console: Console, text: str) -> None:
        self._console = console
        self._text = text
        self._bar = Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=console)
        self._task = self._bar.add_task(text, total=1.0)
        self._live = Live(self._bar, console=console, transient=True)
        self._start = time.monotonic()
        self.cancel = budget.Cancel()

    def report(self, fraction: float) -> None:
        """Show how much of the work is done; what is written to a file stays free of bars."""
        self._bar.update(self._task, completed=fraction)
        if self._console.is_terminal and time.monotonic() - self._start > PATIENCE:
            self._live.start()

    def starting(self, ready: int, wanted: int) -> None:
        """Show, at once and until one is ready, that workers are being started."""
        starting = tr("starting {count} workers", count=wanted)
        self._bar.update(self._task, description=self._text if ready else starting, total=1.0 if ready else None)
        if self._console.is_terminal:
            self._live.start()

    def show(self, progress: budget.Progress) -> None:
        """Show how much of the work is done, and the best placements so far."""
        self._live.update(
            Group(placements_table(progress.actions, "solo", self._console.width, SHOWN), self._bar), refresh=False
        )
        self.report(progress.fraction)

    def is_cancelled(self) -> bool:
        """Say whether the user has pressed Ctrl-C."""
        return self.cancel.cancelled

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Take note of Ctrl-C; a second one ends the program."""
        if self.cancel.cancelled:
            raise KeyboardInterrupt
        self.cancel.cancel()

    def close(self) -> None:
        """Take the bar away."""
        self._live.stop()


@contextmanager
def progress_bar(text: str = "") -> Iterator[ProgressBar]:
    """Show the progress of a ``with`` block, with ``text`` before the bar."""
    progress = ProgressBar(Console(stderr=True), text or tr("solving, Ctrl-C for the best so far"))
    in_main_thread = threading.current_thread() is threading.main_thread()  # only there signals can be caught
    before: Any = signal.signal(signal.SIGINT, progress.interrupt) if in_main_thread else None
    try:
        yield progress
    finally:
        if in_main_thread:
            signal.signal(signal.SIGINT, before)
        progress.close()
