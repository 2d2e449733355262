"""What this process may use of the machine."""

import os
from pathlib import Path

__all__ = ["cache_root", "cores"]


def cores() -> int:
    """Return how many cores this process may run on; a container or ``taskset`` may allow fewer than there are."""
    if hasattr(os, "sched_getaffinity"):  # Linux only
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cache_root() -> Path:
    """Return the directory for what can be made again, which may not exist yet (``BROMELIAD_CACHE_DIR``)."""
    import platformdirs  # here, since most callers only count cores

    return Path(os.environ.get("BROMELIAD_CACHE_DIR") or platformdirs.user_cache_dir("bromeliad", appauthor=False))
