"""Workers on a Ray cluster: an actor a core, each with its kernels warm.

A dead actor's tasks come back as lost and another actor is asked for; it is at work as soon as the cluster has room
for it, and until then the others go on.
"""

import os
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

from bromeliad.cluster.executor import Done, Task
from bromeliad.cluster.work import WEIGHTS, Outcome, Work, fingerprint, run_item, warm_up
from bromeliad.errors import BromeliadError, InputError, UnsupportedError

_AHEAD = 2
"""Tasks a worker: the one that it does and the one that waits for it."""

_PATIENCE = 5.0
"""Seconds within which a cluster has to answer."""


class _Worker:
    """What an actor runs."""

    def warm_up(self, work: Work) -> tuple[str, str]:
        """Make kernels ready, compiled by one process of a machine; return the node and the program that it has."""
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
    """Actors of a Ray cluster.

    Parameters
    ----------
    address
        ``auto`` for the cluster that this machine belongs to, or the HOST:PORT of another one's head.
    """

    def __init__(self, address: str, workers: int | None, on_start: Callable[[int, int], None]) -> None:
        self._ray = import_ray()
        self._owns = not self._ray.is_initialized()
        if self._owns:
            _connect(self._ray, address)
        self.workers = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._on_start = on_start
        self._starting: dict[Any, Any] = {}  # actors by the promise that they are warm
        self._load: dict[Any, list[Any]] = {}  # promised results by actor
        self._tasks: dict[Any, Task] = {}  # by the promise of the result
        self._replace: Callable[[], None] = lambda: None

    def start(self, work: Work) -> None:
        """Ask for the actors that are missing."""
        self._replace = partial(self._start_actor, work)
        while len(self._starting) + len(self._load) < self.workers:
            self._replace()
        self._tell()

    def _start_actor(self, work: Work) -> None:
        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, **_environment()}
        actor = self._ray.remote(_Worker).options(**options).remote()
        self._starting[actor.warm_up.remote(work)] = actor

    def _tell(self) -> None:
        self._on_start(len(self._load), self.workers)

    def has_room(self, task: Task) -> bool:
        """Say whether a task may be handed over now."""
        return self._free_actor(task) is not None

    def _free_actor(self, task: Task) -> Any:
        """Return the actor with least to do if the task may go there; what was lost before has one for itself."""
        alone = {actor for actor, refs in self._load.items() if any(self._tasks[ref].losses for ref in refs)}
        most = 1 if task.losses else _AHEAD
        free = [actor for actor, refs in self._load.items() if len(refs) < most and actor not in alone]
        return min(free, key=lambda actor: len(self._load[actor]), default=None)

    def submit(self, work: Work, task: Task) -> None:
        """Hand a task over."""
        actor = self._free_actor(task)
        ref = actor.run.remote(work, task.item)
        self._load[actor].append(ref)
        self._tasks[ref] = task

    def collect(self, seconds: float) -> list[Done]:
        """Return what has come back, waiting for the first at most so long."""
        refs = [*self._starting, *self._tasks]
        finished, _ = self._ray.wait(refs, num_returns=1, timeout=seconds)
        if finished:  # whatever else is there
            finished, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0)
        found: list[Done] = []
        for ref in finished:
            if ref in self._starting:
                self._admit(ref)
            elif ref in self._tasks:  # not lost with its actor a moment ago
                found += self._take(ref)
        return found

    def _admit(self, ref: Any) -> None:
        """Take an actor in that says it is ready."""
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
        self._tell()

    def _take(self, ref: Any) -> list[Done]:
        """Return a task that has come back, or all that were lost with an actor."""
        actor = next(actor for actor, refs in self._load.items() if ref in refs)
        try:
            outcome = self._get(ref)
        except self._ray.exceptions.RayError:
            lost = self._load.pop(actor)
            self._ray.kill(actor)  # it may only have been out of reach: nothing is to be done twice
            self._replace()
            return [Done(self._tasks.pop(gone), None) for gone in lost]
        self._load[actor].remove(ref)
        return [Done(self._tasks.pop(ref), outcome)]

    def _get(self, ref: Any) -> Any:
        """Return what was promised; what failed for another reason than a lost worker is told."""
        try:
            return self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise BromeliadError(
                "a node of the cluster cannot do this work ({reason}): install there what is installed here",
                reason=str(error.cause).partition("\n")[0][:200],
            ) from error

    def abandon(self) -> None:
        """End actors that are at work."""
        for actor in [actor for actor, refs in self._load.items() if refs]:
            self._ray.kill(actor)
            del self._load[actor]
        self._tasks.clear()

    def close(self) -> None:
        """End the actors, and leave the cluster if we have joined it."""
        for actor in [*self._starting.values(), *self._load]:
            self._ray.kill(actor)
        self._starting.clear()
        self._load.clear()
        self._tasks.clear()
        if self._owns:
            self._ray.shutdown()


def _environment() -> dict[str, Any]:
    """Return the option that gives workers the weights that were named here."""
    named = os.environ.get(WEIGHTS)
    return {} if named is None else {"runtime_env": {"env_vars": {WEIGHTS: named}}}


def import_ray() -> Any:
    """Return Ray, which is an extra, or tell how to install it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise UnsupportedError("a cluster needs Ray: pip install 'bromeliad[cluster]'") from None
    return ray


def _connect(ray: Any, address: str) -> None:
    """Join a cluster, or tell at once that there is none: Ray itself would try for minutes."""
    try:
        if address != "auto":
            with socket.create_connection(_host_and_port(address), timeout=_PATIENCE):
                pass
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            "no Ray cluster at {address} ({reason}): start one with `ray start --head`, set RAY_AUTH_MODE=token if it"
            " asks for a token, or take --cluster local",
            address=address,
            reason=str(error).strip().partition("\n")[0][:200],
        ) from None


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise InputError("--cluster {address}: write local, auto or HOST:PORT", address=address)
    return host, int(port)
