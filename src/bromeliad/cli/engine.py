"""``bromeliad engine``."""

import sys
from contextlib import redirect_stdout

from bromeliad.cli.base import argument, command


@command(
    "engine",
    help="""Run a strategy as an engine: it speaks the engine protocol on standard input and output, line by line.

STRATEGY is named as in `bromeliad match`; solver:0.1 by default. The engine stops at the message quit or the end of the
input. `bromeliad match solver:0.1 "engine:COMMAND"` plays against any program that speaks the protocol.""",
)
@argument("strategy", default="solver:0.1")
def engine(strategy: str) -> None:
    """Answer until the end of the input."""
    from bromeliad.cli.compile_notice import prepare
    from bromeliad.playing.engine import serve
    from bromeliad.playing.strategies import STRATEGY_KERNELS

    sink = sys.stdout.buffer
    with redirect_stdout(sys.stderr):  # other output must not mix with the answers
        serve(strategy, sys.stdin.buffer, sink, lambda: prepare(STRATEGY_KERNELS))
