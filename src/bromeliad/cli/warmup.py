"""``bromeliad warmup``."""

from importlib import import_module

from bromeliad.cli.base import command
from bromeliad.cli.compile_notice import make_ready
from bromeliad.i18n import tr

__all__ = ["warmup"]

MODULES = (
    "bromeliad.games.ofc.rules.scoring",
    "bromeliad.games.ofc.exact.last_street",
    "bromeliad.games.ofc.fantasyland.solve",
    "bromeliad.games.ofc.exact.earlier_streets",
    "bromeliad.games.ofc.luck.deals",
    "bromeliad.games.ofc.search_spot",
    "bromeliad.games.ofc.opponents.sampling",
    "bromeliad.games.ofc.opponents.versus",
    "bromeliad.games.ofc.luck.decisions",
    "bromeliad.learning.td",
    "bromeliad.evaluation.play",
    "bromeliad.evaluation.worth_hands",
    "bromeliad.analysis.batch_scoring",
    "bromeliad.games.tictactoe",
    "bromeliad.games.connect4",
    "bromeliad.games.gomoku.proof.threats",
    "bromeliad.games.sequence.game",
)
"""Whoever has kernels to warm up; importing registers them."""


@command(
    "warmup", help="Compile every kernel now, so that no later command has to. Does nothing where all are compiled."
)
def warmup() -> None:
    """Compile what is cold, with a progress bar."""
    from rich.console import Console
    from rich.progress import Progress

    for module in MODULES:
        import_module(module)
    from bromeliad.core import jit

    console = Console(stderr=True)
    cold = [name for name in jit.warmups() if jit.is_cold(name)]
    if cold and not console.is_terminal:  # a log wants a line, not a bar
        console.print(tr("compiling kernels (once on this machine, some seconds) ..."))
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(tr("compiling kernels"), total=len(cold))
        for name in cold:
            progress.update(task, description=tr("compiling {name}", name=name))
            make_ready(name)
            progress.advance(task)
    console.print(
        tr("{count} kernel groups ready, {compiled} compiled now", count=len(jit.warmups()), compiled=len(cold))
    )
