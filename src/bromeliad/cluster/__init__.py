"""Batch work: many independent items on local processes or a Ray cluster, with checkpoints."""

from bromeliad.cluster.checkpoint import Checkpoint as Checkpoint
from bromeliad.cluster.executor import Batch as Batch
from bromeliad.cluster.executor import Executor as Executor
from bromeliad.cluster.executor import open_executor as open_executor
