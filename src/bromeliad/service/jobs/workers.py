"""The threads that compute, and the queue before them: fair, so that a busy client keeps nobody waiting."""

import logging
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Thread
from typing import TypeVar

LOG = logging.getLogger("bromeliad.service")
T = TypeVar("T")


@dataclass(eq=False)
class Work:
    """Something to be done for a client on a worker's thread."""

    client: str
    run: Callable[[], None]


class FairQueue:
    """Work by client. The next one is of the client with the least work under way, in rotation among equals."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: dict[str, deque[Work]] = {}  # clients in the order in which their turn comes
        self._running: Counter[str] = Counter()
        self._closed = False

    def put(self, work: Work) -> None:
        """Add work behind what its client has waiting."""
        with self._changed:
            self._waiting.setdefault(work.client, deque()).append(work)
            self._changed.notify()

    def take(self) -> Work | None:
        """Wait for the next work; None once the queue is closed. Give it back by :meth:`done`."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            client = min(self._waiting, key=lambda name: self._running[name])  # the first of equals
            mine = self._waiting.pop(client)
            work = mine.popleft()
            if mine:
                self._waiting[client] = mine  # behind the others
            self._running[client] += 1
            return work

    def done(self, work: Work) -> None:
        """Note that work which was taken has ended."""
        with self._changed:
            self._running[work.client] -= 1
            if not self._running[work.client]:
                del self._running[work.client]

    def remove(self, work: Work) -> bool:
        """Take waiting work out; return whether it was still waiting."""
        with self._changed:
            mine = self._waiting.get(work.client, deque())
            if work not in mine:
                return False
            mine.remove(work)
            if not mine:
                del self._waiting[work.client]
            return True

    def position(self, work: Work) -> int | None:
        """Return how many are served before this work in rotation, plus one; None if it is not waiting."""
        with self._changed:
            mine = self._waiting.get(work.client, deque())
            if work not in mine:
                return None
            rounds = mine.index(work)
            clients = list(self._waiting)
            turn = clients.index(work.client)
            return 1 + sum(
                min(len(self._waiting[client]), rounds + (place < turn or client == work.client))
                - (client == work.client)
                for place, client in enumerate(clients)
            )

    def waiting(self, client: str | None = None) -> int:
        """Return how much work waits, of one client or of all."""
        with self._changed:
            if client is not None:
                return len(self._waiting.get(client, ()))
            return sum(map(len, self._waiting.values()))

    def running(self) -> int:
        """Return how much work is under way."""
        with self._changed:
            return self._running.total()

    def close(self) -> None:
        """Wake everybody who waits for work: there will be none."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Workers:
    """Threads that take their work from one queue."""

    def __init__(self, count: int) -> None:
        self.queue = FairQueue()
        self._threads = [Thread(target=self._work, name=f"worker-{i}", daemon=True) for i in range(count)]

    def start(self) -> None:
        """Begin to work."""
        for thread in self._threads:
            thread.start()

    def compute(self, client: str, function: Callable[[], T]) -> "Future[T]":
        """Let a function be called when its client's turn comes."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function())
            except Exception as error:  # whoever asked gets it
                future.set_exception(error)

        self.queue.put(Work(client, run))
        return future

    def close(self, patience: float) -> None:
        """Let what is under way end, and take nothing more."""
        self.queue.close()
        for thread in self._threads:
            thread.join(patience)

    def _work(self) -> None:
        while (work := self.queue.take()) is not None:
            try:
                work.run()
            except Exception:
                LOG.exception("a worker failed")
            finally:
                self.queue.done(work)
