"""``bromeliad`` and ``python -m bromeliad``. Few modules are imported here, so that Ctrl-C works from the start."""

import gc
import os
import signal
import sys
from _thread import interrupt_main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

_INTERRUPTED = 130
_GARBAGE = 100_000
"""New objects between two collections of garbage: a start makes many objects, and nearly all of them stay."""


def _stop(number: int = 0, frame: "FrameType | None" = None) -> "NoReturn":
    """End the process at once: while modules are imported, and after the command, there is nothing to clean up."""
    os.write(2, b"bromeliad: interrupted\n")
    os._exit(_INTERRUPTED)


def _repeat_interrupt(lost: "sys.UnraisableHookArgs") -> None:
    """Repeat a Ctrl-C that came while Python could not raise it, such as in the callback of a weak reference."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        interrupt_main()
    else:
        sys.__unraisablehook__(lost)


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether a Ctrl-C raised this error: compiled libraries wrap it, and some keep only its name as text."""
    return error is not None and (
        isinstance(error, KeyboardInterrupt) or "KeyboardInterrupt" in str(error) or _is_interrupt(error.__cause__)
    )


def run() -> "NoReturn":
    """Run the command line of this process."""
    gc.set_threshold(_GARBAGE)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # starting its threads costs a short command 15 % of its time
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # False if the caller ignores Ctrl-C
    if hears:
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _repeat_interrupt
    from bromeliad.cli.main import run as command

    try:
        if hears:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = command()
        if hears:
            signal.signal(signal.SIGINT, _stop)
    except (Exception, KeyboardInterrupt) as error:
        if _is_interrupt(error):
            _stop()
        raise
    sys.exit(code)


if __name__ == "__main__":
    run()
