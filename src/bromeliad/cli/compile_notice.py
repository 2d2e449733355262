"""Making kernels ready: a command says so before it compiles, and Ctrl-C waits for the compiler."""

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

import click

from bromeliad.i18n import tr


@contextmanager
def _interrupt_later() -> Iterator[None]:
    """Hold Ctrl-C back until the block is over: an interrupted compiler ends in errors of its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = []

    def note(number: int, frame: FrameType | None) -> None:
        pressed.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def make_ready(name: str) -> None:
    """Compile one group of kernels, or take it from the disk cache."""
    from bromeliad.core import kernel_cache

    with _interrupt_later():
        kernel_cache.ensure([name])


def prepare(names: Iterable[str]) -> None:
    """Compile what is cold of these warm-ups, saying so on standard error first."""
    from bromeliad.core import kernel_cache

    needed = tuple(names)
    if any(map(kernel_cache.is_cold, needed)):
        click.echo(tr("compiling kernels (once on this machine, some seconds) ..."), err=True)
    for name in needed:
        make_ready(name)
