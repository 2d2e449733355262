"""All kinds of jobs, and the body that asks for one of them."""

from typing import Annotated, Any

from pydantic import Field

from bromeliad.service.kinds.gomoku import GomokuJob, GomokuKind
from bromeliad.service.kinds.kind import Kind
from bromeliad.service.kinds.ofc import OfcJob, OfcKind
from bromeliad.service.kinds.review import ReviewKind
from bromeliad.service.kinds.sequence import SequenceJob, SequenceKind

__all__ = ["KINDS", "JobBody"]

KINDS: dict[str, Kind[Any]] = {kind.name: kind for kind in (OfcKind(), GomokuKind(), SequenceKind(), ReviewKind())}
"""By the game that a job names; reviews have an address of their own."""

JobBody = Annotated[OfcJob | GomokuJob | SequenceJob, Field(discriminator="game")]
"""What ``POST /jobs`` takes."""
