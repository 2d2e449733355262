"""Batch work: one executor for many independent items, here on processes or on a Ray cluster, that can be resumed."""

from bromeliad.cluster.batch import Batch
from bromeliad.cluster.checkpoint import Checkpoint
from bromeliad.cluster.executor import Executor, open_executor

__all__ = ["Batch", "Checkpoint", "Executor", "open_executor"]
