"""Work for tests of batches: functions that worker processes find by name."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from bromeliad.errors import CardError

__all__ = ["die_in", "die_once", "fail", "plain", "refuse", "seeded", "slowly", "weights"]


def plain(number: int) -> dict[str, Any]:
    """Return all kinds of plain data, including floats without a short decimal form."""
    return {"number": number, "pair": (number, number / 3), "text": "七", "none": None, "pid": os.getpid()}


def seeded(seed: int) -> float:
    """Return a number that depends on the item alone, from a kernel's generator."""
    from bromeliad.core.rng import new_rng, uniform

    return float(uniform(new_rng(seed)))


def weights(number: int) -> str | None:
    """Return the weights that are set in the worker's environment."""
    return os.environ.get("BROMELIAD_WEIGHTS")


def slowly(item: tuple[int, str]) -> int:
    """Take a moment, and record in a directory which process did the item."""
    number, directory = item
    time.sleep(0.05)
    place = Path(directory, f"{number}.{os.getpid()}.{time.monotonic_ns()}")
    place.touch()
    return number * number


def die_once(item: tuple[int, str]) -> int:
    """Kill the worker that does the item for the first time."""
    number, directory = item
    mark = Path(directory, f"{number}.died")
    if number % 5 == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die_in(number: int) -> int:
    """Kill the worker at one item, every time."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuse(number: int) -> int:
    """Refuse an item as invalid input."""
    raise CardError("card {number} is no card", number=number)


def fail(number: int) -> int:
    """Fail with a bug."""
    return 1 // (number - number)
