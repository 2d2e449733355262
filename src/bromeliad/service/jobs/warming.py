"""Prepares kernels in the background, on one thread; kernels that a job waits for come first."""

import gc
from collections import deque
from collections.abc import Callable, Iterable
from threading import Condition, Thread

from bromeliad.core import kernel_cache
from bromeliad.games.gomoku.proof.threats import KERNELS as GOMOKU_KERNELS
from bromeliad.playing.strategies import STRATEGY_KERNELS

SERVICE_KERNELS = (
    *STRATEGY_KERNELS,
    *GOMOKU_KERNELS,
    "bromeliad.games.sequence.game",
    "bromeliad.analysis.scan",
)
"""All kernels of the service, in the order in which a new user is likely to need them."""
_LOOK = 0.2  # seconds between two checks, such as whether a waiting job was cancelled


class Warmer:
    """Prepares each group of kernels once, on a thread that does only this, so that two threads never compile at once.

    Parameters
    ----------
    is_busy
        Whether jobs are running. Meanwhile, kernels that no job waits for are postponed: loading one holds the GIL.
    """

    def __init__(self, is_busy: Callable[[], bool]) -> None:
        self._is_busy = is_busy
        self._changed = Condition()
        self._wanted: deque[str] = deque()
        self._ready: set[str] = set()
        self._failed: dict[str, Exception] = {}
        self._done = False
        self._closing = False
        self._thread = Thread(target=self._work, name="kernels", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Let the thread finish the kernels that jobs wait for, then end."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        gc.unfreeze()

    @property
    def is_done(self) -> bool:
        """Whether no kernels are left to prepare."""
        return self._done

    def wait(self, names: Iterable[str], cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Wait until these groups are ready; from now on, they come first.

        Return False if cancelled or if the thread has ended. Raise the error of a group that could not be prepared.
        """
        needed = tuple(names)
        with self._changed:
            self._wanted.extend(name for name in needed if name not in self._ready)
            self._changed.notify_all()
            while not all(name in self._ready for name in needed):
                for name in needed:
                    if name in self._failed:
                        raise self._failed[name]
                if cancelled() or not self._thread.is_alive():
                    return False
                self._changed.wait(_LOOK)
        return True

    def _work(self) -> None:
        rest = deque(SERVICE_KERNELS)
        while True:
            with self._changed:
                if self._closing and not self._wanted:
                    return
                if not self._wanted and not rest:
                    self._finish()
                    self._changed.wait()
                    continue
                if not self._wanted and self._is_busy():
                    self._changed.wait(_LOOK)
                    continue
                name = self._wanted.popleft() if self._wanted else rest.popleft()
                if name in self._ready:
                    continue
            self._make_ready(name)

    def _finish(self) -> None:
        """Record that all kernels are ready, and leave what they loaded out of collections of garbage.

        Each collection would look at all of it, and hold up every request for a fifth of a second.
        """
        if not self._done:
            gc.collect()
            gc.freeze()
            self._done = True

    def _make_ready(self, name: str) -> None:
        failure = None
        try:
            kernel_cache.ensure([name])
        except Exception as error:  # raised again in the jobs that wait for these kernels
            failure = error
        with self._changed:
            if failure is None:
                self._ready.add(name)
            else:
                self._failed[name] = failure
            self._changed.notify_all()
