"""Telling the user before a command has to compile."""

from collections.abc import Iterable

import click

from bromeliad.i18n import tr

__all__ = ["prepare"]


def prepare(names: Iterable[str]) -> None:
    """Compile what is cold of these warm-ups, saying so on standard error first."""
    from bromeliad.core import jit

    needed = tuple(names)
    if any(map(jit.is_cold, needed)):
        click.echo(tr("compiling kernels (once on this machine, some seconds) ..."), err=True)
    jit.ensure(needed)
