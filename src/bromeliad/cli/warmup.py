"""``bromeliad warmup``."""

from bromeliad.cli.base import command
from bromeliad.cli.compile_notice import make_ready
from bromeliad.i18n import tr


@command(
    "warmup", help="Compile every kernel now, so that no later command has to. Does nothing where all are compiled."
)
def warmup() -> None:
    """Compile what is cold, with a progress bar."""
    from rich.console import Console
    from rich.progress import Progress

    from bromeliad import registry
    from bromeliad.core import kernel_cache

    for name in registry.names():  # games of other packages have warm-ups too
        registry.playable(name)
    console = Console(stderr=True)
    groups = kernel_cache.warmups()
    cold = [name for name in groups if kernel_cache.is_cold(name)]
    if cold and not console.is_terminal:  # a log wants a line, not a bar
        console.print(tr("compiling kernels (once on this machine, some seconds) ..."))
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(tr("compiling kernels"), total=len(cold))
        for name in cold:
            progress.update(task, description=tr("compiling {name}", name=kernel_cache.short_name(name)))
            make_ready(name)
            progress.advance(task)
    console.print(tr("{count} kernel groups ready, {compiled} compiled now", count=len(groups), compiled=len(cold)))
