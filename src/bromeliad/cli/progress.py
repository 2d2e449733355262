"""Progress of long work: after two seconds, a bar and a live table. Ctrl-C asks for the best answer so far."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from types import FrameType
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group

from bromeliad.cli.table import placements_table
from bromeliad.core import budget
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from rich.live import Live
    from rich.progress import Progress

_PATIENCE = 2.0  # seconds of work before a bar is shown
_SHOWN = 8  # placements in the table above the bar


class ProgressBar:
    """A progress bar, and the Cancel that Ctrl-C sets."""

    def __init__(self, console: Console, text: str) -> None:
        self._console = console
        self._text = text
        self._start = time.monotonic()
        self.cancel = budget.Cancel()

    # The bar and its display are made at first use: most answers come at once and show neither.

    @cached_property
    def _bar(self) -> "Progress":
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
        bar = Progress(*columns, console=self._console)
        bar.add_task(self._text, total=1.0)
        return bar

    @cached_property
    def _live(self) -> "Live":
        from rich.live import Live

        return Live(self._bar, console=self._console, transient=True)

    def report(self, fraction: float) -> None:
        """Show how much of the work is done, on a terminal and after two seconds."""
        self._bar.update(self._bar.task_ids[0], completed=fraction)
        if self._console.is_terminal and time.monotonic() - self._start > _PATIENCE:
            self._live.start()

    def starting(self, ready: int, wanted: int) -> None:
        """Show at once that workers are being started, until one is ready."""
        starting = tr("starting {count} workers", count=wanted)
        task, text = self._bar.task_ids[0], self._text if ready else starting
        self._bar.update(task, description=text, total=1.0 if ready else None)
        if self._console.is_terminal:
            self._live.start()

    def show(self, progress: budget.Progress) -> None:
        """Show how much of the work is done, and the best placements so far."""
        self._live.update(
            Group(placements_table(progress.actions, "solo", self._console.width, _SHOWN), self._bar), refresh=False
        )
        self.report(progress.fraction)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl-C; a second one ends the program."""
        if self.cancel.cancelled:
            raise KeyboardInterrupt
        self.cancel.cancel()

    def close(self) -> None:
        """Remove the bar."""
        if "_live" in vars(self):
            self._live.stop()


@contextmanager
def progress_bar(text: str = "") -> Iterator[ProgressBar]:
    """Show the progress of a ``with`` block, with ``text`` before the bar."""
    progress = ProgressBar(Console(stderr=True), text or tr("solving, Ctrl-C for the best so far"))
    in_main_thread = threading.current_thread() is threading.main_thread()  # signals can be caught only there
    before: Any = signal.signal(signal.SIGINT, progress.interrupt) if in_main_thread else None
    try:
        yield progress
    finally:
        if in_main_thread:
            signal.signal(signal.SIGINT, before)
        progress.close()
