"""The functions that workers run."""

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

WEIGHTS = "BROMELIAD_WEIGHTS"  # environment variable: the only file of weights to use (games.ofc.values.weights)
_PACKAGE = Path(__file__).resolve().parent.parent
_DECIDING = {".py", ".yaml", ".npz"}  # files on which results depend


class Work(NamedTuple):
    """The function that does each item, and the kernels that it needs."""

    function: Callable[[Any], Any]  # top-level, so that workers find it by name
    warm: tuple[str, ...] = ()  # modules whose kernels it needs (core.kernel_cache)


class Outcome(NamedTuple):
    """The result of an item as JSON, or its exception."""

    text: str
    error: Exception | None = None


def warm_up(work: Work) -> None:
    """Load kernels, once per process; the function's module has imported the modules that register them."""
    if work.warm:
        from bromeliad.core import kernel_cache

        kernel_cache.ensure(work.warm)


def run_item(work: Work, item: Any) -> Outcome:
    """Do an item."""
    warm_up(work)
    try:
        return Outcome(json.dumps(work.function(item), ensure_ascii=False))
    except Exception as error:
        if not isinstance(error, BromeliadError):  # a bug: add where it happened
            error.add_note(traceback.format_exc())
        return Outcome("", error)


def guard(parent: int) -> None:
    """Ignore Ctrl-C, which the parent process handles, and end when the parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def fingerprint() -> str:
    """Return a hash of this program: its sources and weights, and the versions of numba and numpy."""
    digest = hashlib.sha256(" ".join(version(name) for name in ("numba", "numpy")).encode())
    for path in sorted(path for path in _PACKAGE.rglob("*") if path.suffix in _DECIDING):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    named = os.environ.get(WEIGHTS)
    own = Path(platformdirs.user_data_dir("bromeliad", appauthor=False)) / "weights"  # of `bromeliad train`
    for path in sorted(own.glob("*.npz")) if named is None else [Path(named)]:
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()[:16]
