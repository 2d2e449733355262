"""Worker threads and their queue, which is fair between clients."""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Thread
from typing import TypeVar

from bromeliad.service.clients import Client

LOG = logging.getLogger("bromeliad.service")
T = TypeVar("T")


@dataclass(eq=False)
class Work:
    """A function to call for a client on a worker thread."""

    client: Client
    run: Callable[[], None]


class FairQueue:
    """Waiting work, by address and client. The address with the least running work comes next; equals take turns.

    The same holds among the clients of an address. Many clients at one address therefore delay the others no more than
    one client would.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: dict[str, dict[str, deque[Work]]] = {}  # addresses and their clients in the order of turns
        self._at_address: Counter[str] = Counter()  # running work
        self._of_client: Counter[Client] = Counter()
        self._closed = False

    def put(self, work: Work) -> None:
        """Add work after the client's other work."""
        address, name = work.client
        with self._changed:
            self._waiting.setdefault(address, {}).setdefault(name, deque()).append(work)
            self._changed.notify()

    def take(self) -> Work | None:
        """Wait for the next work and return it, or None once the queue is closed; call :meth:`done` at its end."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            address = min(self._waiting, key=lambda each: self._at_address[each])  # the first of equals
            clients = self._waiting.pop(address)
            name = min(clients, key=lambda each: self._of_client[Client(address, each)])
            work = _next(clients, name)
            if clients:
                self._waiting[address] = clients  # after the others
            self._at_address[address] += 1
            self._of_client[work.client] += 1
            return work

    def done(self, work: Work) -> None:
        """Record that work has ended."""
        with self._changed:
            self._at_address[work.client.address] -= 1
            self._of_client[work.client] -= 1
            self._at_address, self._of_client = +self._at_address, +self._of_client  # without zeros

    def remove(self, work: Work) -> bool:
        """Remove work if it is still waiting; return whether it was."""
        address, name = work.client
        with self._changed:
            clients = self._waiting.get(address, {})
            mine = clients.get(name, deque())
            if work not in mine:
                return False
            mine.remove(work)
            if not mine:
                del clients[name]
            if not clients:
                del self._waiting[address]
            return True

    def position(self, work: Work) -> int | None:
        """Return the position of work in the order of turns, from 1; None if it is not waiting."""
        with self._changed:
            if work not in self._waiting.get(work.client.address, {}).get(work.client.name, ()):
                return None
            return next(number for number, other in enumerate(self._rotation(), start=1) if other is work)

    def _rotation(self) -> Iterator[Work]:
        """Yield all waiting work in the order of turns."""
        addresses = deque({name: mine.copy() for name, mine in each.items()} for each in self._waiting.values())
        while addresses:
            clients = addresses.popleft()
            yield _next(clients, next(iter(clients)))
            if clients:
                addresses.append(clients)

    def waiting(self, address: str | None = None, name: str | None = None) -> int:
        """Return the amount of waiting work: in total, of an address, or of a client at that address."""
        with self._changed:
            found = self._waiting.values() if address is None else [self._waiting.get(address, {})]
            return sum(len(mine) for each in found for own, mine in each.items() if name in (None, own))

    def running(self) -> int:
        """Return the amount of running work."""
        with self._changed:
            return self._of_client.total()

    def close(self) -> None:
        """Make :meth:`take` return None from now on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def _next(clients: dict[str, deque[Work]], name: str) -> Work:
    """Remove and return the next work of a client, who then comes after the others."""
    mine = clients.pop(name)
    work = mine.popleft()
    if mine:
        clients[name] = mine
    return work


class Workers:
    """Threads that take their work from one queue."""

    def __init__(self, count: int) -> None:
        self.queue = FairQueue()
        self._threads = [Thread(target=self._work, name=f"worker-{i}", daemon=True) for i in range(count)]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def compute(self, client: Client, function: Callable[[], T]) -> "Future[T]":
        """Call a function on a worker thread when it is the client's turn; return a future with its result."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function())
            except Exception as error:  # raised again by the future
                future.set_exception(error)

        self.queue.put(Work(client, run))
        return future

    def close(self, patience: float) -> None:
        """Take no more work, and wait up to ``patience`` seconds per thread for running work to end."""
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
