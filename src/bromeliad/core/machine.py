"""What this process may use of the machine."""

import os

__all__ = ["cores"]


def cores() -> int:
    """Return how many cores this process may run on; a container or ``taskset`` may allow fewer than there are."""
    if hasattr(os, "sched_getaffinity"):  # Linux only
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
