"""What runs where the work is done: an item in, its result as JSON out."""

import hashlib
import json
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from bromeliad.errors import BromeliadError

WEIGHTS = "BROMELIAD_WEIGHTS"
"""The environment's name for a file of weights that is to be the only one (games.ofc.weights)."""

_PACKAGE = Path(__file__).resolve().parent.parent
_DECIDING = {".py", ".yaml", ".npz"}  # files that results depend on


class Work(NamedTuple):
    """What is done to every item."""

    function: Callable[[Any], Any]  # of a module, so that workers find it by name
    warm: tuple[str, ...] = ()  # warm-ups that it needs (core.jit)


class Outcome(NamedTuple):
    """What came of an item: its result as JSON, or what the function raised."""

    text: str
    error: Exception | None = None


def warm_up(work: Work) -> None:
    """Make kernels ready, once a process; the modules that register them came with the function."""
    if work.warm:
        from bromeliad.core import kernel_cache

        kernel_cache.ensure(work.warm)


def run_item(work: Work, item: Any) -> Outcome:
    """Do an item."""
    warm_up(work)
    try:
        return Outcome(json.dumps(work.function(item), ensure_ascii=False))
    except Exception as error:
        if not isinstance(error, BromeliadError):  # a mistake in the program: tell where
            error.add_note(traceback.format_exc())
        return Outcome("", error)


def guard(parent: int) -> None:
    """Leave Ctrl-C to the parent process, and end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def fingerprint() -> str:
    """Return a name for exactly this program: its sources and weights, and the versions of what computes."""
    digest = hashlib.sha256(" ".join(version(name) for name in ("numba", "numpy")).encode())
    for path in sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _DECIDING):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    named = os.environ.get(WEIGHTS)
    own = Path(platformdirs.user_data_dir("bromeliad", appauthor=False)) / "weights"  # of `bromeliad train`
    for path in sorted(own.glob("*.npz")) if named is None else [Path(named)]:
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()[:16]
