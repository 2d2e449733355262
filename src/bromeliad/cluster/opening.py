"""From ``--cluster`` and ``--workers`` to an executor."""

from collections.abc import Callable

from bromeliad.cluster.executor import Executor, Pool
from bromeliad.cluster.inline import InlinePool
from bromeliad.core.machine import cores

__all__ = ["open_executor"]


def open_executor(
    cluster: str = "local",
    workers: int | None = None,
    on_start: Callable[[int, int], None] = lambda ready, wanted: None,
) -> Executor:
    """Return an executor; use it as a context manager.

    Parameters
    ----------
    cluster
        ``local`` for processes of this machine, ``auto`` for the Ray cluster that this machine belongs to, or
        the HOST:PORT of another one's head.
    workers
        How many items to do at once; by default one a core, here or in the cluster. One local worker is this process.
    on_start
        Told how many workers are ready, of how many, while they start.
    """
    return Executor(_pool(cluster, workers, on_start))


def _pool(cluster: str, workers: int | None, on_start: Callable[[int, int], None]) -> Pool:
    if cluster != "local":
        from bromeliad.cluster.ray_pool import RayPool

        return RayPool(cluster, workers, on_start)
    count = workers or cores()
    if count == 1:
        return InlinePool()
    from bromeliad.cluster.local import LocalPool

    return LocalPool(count, on_start)
