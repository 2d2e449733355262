"""Compilation of kernels in commands: it is announced first, and Ctrl-C waits until it is done."""

import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

import click

from bromeliad.i18n import tr


@contextmanager
def _interrupt_later() -> Iterator[None]:
    """Delay Ctrl-C until the block ends: an interrupted compiler fails with obscure errors."""
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


def prepare(names: Iterable[str]) -> None:
    """Make these groups of kernels ready; announce on standard error if some must be compiled."""
    from bromeliad.core import kernel_cache

    needed = tuple(names)
    cold = tuple(filter(kernel_cache.is_cold, needed))
    if cold:
        listed = ", ".join(map(kernel_cache.short_name, cold))
        click.echo(tr("compiling kernels, once on this machine: {names} ...", names=listed), err=True)
    if len(cold) > 1:
        for name, seconds in kernel_cache.compile_cold(cold):
            _tell(name, seconds)
    for name in needed:
        began = time.perf_counter()
        with _interrupt_later():
            kernel_cache.ensure([name])
        if cold == (name,):
            _tell(name, time.perf_counter() - began)


def _tell(name: str, seconds: float) -> None:
    from bromeliad.core.kernel_cache import short_name

    click.echo(tr("compiled {name} ({seconds} s)", name=short_name(name), seconds=f"{seconds:.0f}"), err=True)
