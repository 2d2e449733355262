"""``bromeliad`` and ``python -m bromeliad``: little is imported here, so that Ctrl-C is heard from the start."""

import os
import signal
import sys
from _thread import interrupt_main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

_INTERRUPTED = 130


def _stop(number: int = 0, frame: "FrameType | None" = None) -> "NoReturn":
    """End at once: while modules are imported, and after the command, there is nothing to clean up."""
    os.write(2, b"bromeliad: interrupted\n")
    os._exit(_INTERRUPTED)


def _hear(lost: "sys.UnraisableHookArgs") -> None:
    """Repeat a Ctrl-C that came while Python could not raise it, such as in the callback of a weak reference."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        interrupt_main()
    else:
        sys.__unraisablehook__(lost)


def run() -> "NoReturn":
    """Run the command line of this process."""
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where the caller wants it ignored
    if hears:
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _hear
    from bromeliad.cli.main import run as command

    try:
        if hears:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = command()
        if hears:
            signal.signal(signal.SIGINT, _stop)
    except KeyboardInterrupt:
        _stop()
    sys.exit(code)


if __name__ == "__main__":
    run()
