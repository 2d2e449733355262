"""``bromeliad warmup``."""

import os

from bromeliad.cli.base import command, option
from bromeliad.i18n import tr

_PLAYED = ("bromeliad.analysis.", "bromeliad.games.")  # packages whose kernels answer users


@command("warmup", help="Compile every kernel now, so that no later command has to. Skips those already compiled.")
@option(
    "--ahead",
    is_flag=True,
    help="Compile for all x86-64-v3 processors instead, into the package: for a platform wheel (`make wheel`).",
)
def warmup(ahead: bool) -> None:
    """Compile the missing kernels, with a progress bar."""
    from rich.console import Console
    from rich.progress import Progress

    from bromeliad import registry
    from bromeliad.core import kernel_cache

    if ahead:  # numba, which is not loaded yet, reads these variables, and so do the processes that compile
        os.environ |= kernel_cache.ahead_environment()
        groups = tuple(name for name in kernel_cache.warmups() if name.startswith(_PLAYED))
    else:
        for name in registry.names():  # games of other packages have kernels too
            registry.playable(name)
        groups = kernel_cache.warmups()
    console = Console(stderr=True)
    cold = [name for name in groups if kernel_cache.is_cold(name)]
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(tr("compiling kernels"), total=len(cold))
        for name, seconds in kernel_cache.compile_cold(cold):
            done = tr("compiled {name} ({seconds} s)", name=kernel_cache.short_name(name), seconds=f"{seconds:.0f}")
            progress.update(task, advance=1, description=done)
            if not console.is_terminal:  # a log gets lines, not a bar
                console.print(done, highlight=False)
    console.print(tr("{count} kernel groups ready, {compiled} compiled now", count=len(groups), compiled=len(cold)))
