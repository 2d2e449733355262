"""Workers on a Ray cluster: one actor per core, with its kernels loaded.

If an actor dies, its tasks count as lost, and another actor is requested. The others continue until the cluster has
room for it.
"""

import os
import socket
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from bromeliad.cluster.executor import AHEAD, Done, Task
from bromeliad.cluster.work import WEIGHTS, Outcome, Work, fingerprint, run_item, warm_up
from bromeliad.errors import BromeliadError, InputError, UnsupportedError

_PATIENCE = 5.0  # seconds to wait for a cluster


class _Worker:
    """An actor, which does one item at a time."""

    def warm_up(self, work: Work) -> tuple[str, str]:
        """Load kernels, compiled by one process per machine; return the node and the fingerprint of its program."""
        from filelock import FileLock  # comes with Ray

        from bromeliad.core import kernel_cache

        if any(map(kernel_cache.is_cold, work.warm)):
            with FileLock(kernel_cache.cache_directory() / "compiling.lock"):
                kernel_cache.ensure(filter(kernel_cache.is_cold, work.warm))
        warm_up(work)
        return import_ray().util.get_node_ip_address(), fingerprint()

    def run(self, work: Work, item: Any) -> Outcome:
        """Do an item."""
        return run_item(work, item)


class RayPool:
    """Actors of a Ray cluster; ``address`` is ``auto`` for this machine's cluster, or another head's HOST:PORT."""

    def __init__(self, address: str, workers: int | None, on_start: Callable[[int, int], None]) -> None:
        self._ray = import_ray()
        self._owns = not self._ray.is_initialized()
        if self._owns:
            _connect(self._ray, address)
        self.workers = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._on_start = on_start
        self._starting: dict[Any, Any] = {}  # actors by the reference to their warm-up
        self._load: dict[Any, list[Any]] = {}  # references to results by actor
        self._tasks: dict[Any, Task] = {}  # by the reference to the result
        self._replace: Callable[[], None] = lambda: None

    def start(self, work: Work) -> None:
        """Request the missing actors."""
        self._replace = partial(self._start_actor, work)
        while len(self._starting) + len(self._load) < self.workers:
            self._replace()
        self._on_start(len(self._load), self.workers)

    def _start_actor(self, work: Work) -> None:
        named = os.environ.get(WEIGHTS)
        weights = {} if named is None else {"runtime_env": {"env_vars": {WEIGHTS: named}}}
        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, **weights}
        actor = self._ray.remote(_Worker).options(**options).remote()
        self._starting[actor.warm_up.remote(work)] = actor

    def has_room(self, task: Task) -> bool:
        """Return whether a task can be submitted now."""
        return self._free_actor(task) is not None

    def _free_actor(self, task: Task) -> Any:
        """Return the least busy actor that may take the task; a task that was lost before runs alone."""
        alone = {actor for actor, refs in self._load.items() if any(self._tasks[ref].losses for ref in refs)}
        most = 1 if task.losses else AHEAD
        free = [actor for actor, refs in self._load.items() if len(refs) < most and actor not in alone]
        return min(free, key=lambda actor: len(self._load[actor]), default=None)

    def submit(self, work: Work, task: Task) -> None:
        """Give a task to an actor."""
        actor = self._free_actor(task)
        ref = actor.run.remote(work, task.item)
        self._load[actor].append(ref)
        self._tasks[ref] = task

    def collect(self, seconds: float) -> list[Done]:
        """Return the tasks that have ended; wait at most ``seconds`` for the first."""
        refs = [*self._starting, *self._tasks]
        finished, _ = self._ray.wait(refs, num_returns=1, timeout=seconds)
        if finished:  # get all others that have ended too
            finished, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0)
        found: list[Done] = []
        for ref in finished:
            if ref in self._starting:
                self._admit(ref)
            elif ref in self._tasks:  # it may just have been lost with its actor
                found += self._take(ref)
        return found

    def _admit(self, ref: Any) -> None:
        """Add an actor whose warm-up has ended."""
        actor = self._starting.pop(ref)
        try:
            node, program = self._get(ref)
        except self._ray.exceptions.RayError:
            self._replace()
            return
        if program != fingerprint():
            raise InputError(
                "node {node} of the cluster has another bromeliad, other weights, or another numba or numpy:"
                " install there what is installed here",
                node=node,
            )
        self._load[actor] = []
        self._on_start(len(self._load), self.workers)

    def _take(self, ref: Any) -> list[Done]:
        """Return a task that has ended, or all tasks that were lost with an actor."""
        actor = next(actor for actor, refs in self._load.items() if ref in refs)
        try:
            outcome = self._get(ref)
        except self._ray.exceptions.RayError:
            lost = self._load.pop(actor)
            self._ray.kill(actor)  # it may only be unreachable, and tasks must not run twice
            self._replace()
            return [Done(self._tasks.pop(gone), None) for gone in lost]
        self._load[actor].remove(ref)
        return [Done(self._tasks.pop(ref), outcome)]

    def _get(self, ref: Any) -> Any:
        """Return the result of a reference; raise BromeliadError if the node cannot do the work."""
        try:
            return self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise BromeliadError(
                "a node of the cluster cannot do this work ({reason}): install there what is installed here",
                reason=str(error.cause).partition("\n")[0][:200],
            ) from error

    def abandon(self) -> None:
        """End busy actors."""
        for actor in [actor for actor, refs in self._load.items() if refs]:
            self._ray.kill(actor)
            del self._load[actor]
        self._tasks.clear()

    def close(self) -> None:
        """End the actors, and leave the cluster if this pool has joined it."""
        for actor in [*self._starting.values(), *self._load]:
            self._ray.kill(actor)
        self._starting.clear()
        self._load.clear()
        self._tasks.clear()
        if self._owns:
            self._ray.shutdown()


def import_ray() -> Any:
    """Return Ray, an optional package; raise UnsupportedError if it is not installed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise UnsupportedError("a cluster needs Ray: pip install 'bromeliad[cluster]'") from None
    return ray


def _connect(ray: Any, address: str) -> None:
    """Join a cluster; fail at once if there is none, because Ray itself would try for minutes."""
    try:
        if address != "auto":
            with socket.create_connection(_host_and_port(address), timeout=_PATIENCE):
                pass
        _print_no_messages_among_output()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            "no Ray cluster at {address} ({reason}): start one with `ray start --head`, set"
            " RAY_AUTH_MODE=token if it asks for a token, or use --cluster local",
            address=address,
            reason=str(error).strip().partition("\n")[0][:200],
        ) from None


def _print_no_messages_among_output() -> None:
    """Move Ray's messages, such as that a worker died, to standard error: it prints them on standard output."""
    worker: Any = import_module("ray._private.worker")
    usual = worker.print_to_stdstream
    worker.print_to_stdstream = lambda data, *rest, **options: usual({**data, "is_err": True}, *rest, **options)


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise InputError("--cluster {address}: write local, auto or HOST:PORT", address=address)
    return host, int(port)
