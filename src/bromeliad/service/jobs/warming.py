"""Kernels made ready in the background: one thread compiles, what somebody waits for first."""

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
"""What the service may need, in the order in which a new user is likely to."""
_LOOK = 0.2  # seconds between two looks whether somebody has stopped waiting


class Warmer:
    """Makes kernels ready, each group once, on a thread of its own: no two threads ever compile.

    Parameters
    ----------
    is_busy
        Says whether somebody is being answered: what nobody waits for is put off until then, since loading a kernel
        keeps the interpreter from everybody else.
    """

    def __init__(self, is_busy: Callable[[], bool] = lambda: False) -> None:
        self._is_busy = is_busy
        self._changed = Condition()
        self._wanted: deque[str] = deque()
        self._ready: set[str] = set()
        self._failed: dict[str, Exception] = {}
        self._done = False
        self._closing = False
        self._thread = Thread(target=self._work, name="kernels", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Make ready only what somebody waits for, then end."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    @property
    def is_done(self) -> bool:
        """Whether everything is ready."""
        return self._done

    def wait(self, names: Iterable[str], cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Have these groups made ready before others; return False if somebody cancels meanwhile."""
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
                    self._done = True
                    self._changed.wait()
                    continue
                if not self._wanted and self._is_busy():
                    self._changed.wait(_LOOK)
                    continue
                name = self._wanted.popleft() if self._wanted else rest.popleft()
                if name in self._ready:
                    continue
            self._make_ready(name)

    def _make_ready(self, name: str) -> None:
        failure = None
        try:
            kernel_cache.ensure([name])
        except Exception as error:  # whoever waits is told; the others go on
            failure = error
        with self._changed:
            if failure is None:
                self._ready.add(name)
            else:
                self._failed[name] = failure
            self._changed.notify_all()
