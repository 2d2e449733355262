"""Kinds of jobs: what a question of each kind looks like, how it is checked, and who answers it.

Games of the registry share one kind (:mod:`.catalogue`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict

from bromeliad.core.budget import Cancel, OnProgress
from bromeliad.errors import InputError
from bromeliad.service.problems import Refusal
from bromeliad.service.settings import Settings

if TYPE_CHECKING:
    from bromeliad.storage import Store

Request = TypeVar("Request", bound=BaseModel)


@dataclass(frozen=True)
class Context:
    """What a running job has at hand.

    Attributes
    ----------
    report
        Told how far the work is; the actions are entries of the answer to come.
    cancel
        Says whether to end, with the best so far.
    ready
        Waits until these groups of kernels are compiled; raises if the job is cancelled meanwhile.
    deeper
        Solve again although the store knows an answer.
    """

    store: "Store"
    report: OnProgress
    cancel: Cancel
    ready: Callable[[Sequence[str]], None]
    deeper: bool = False


class Body(BaseModel):
    """What every job is asked with, beside its game and request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    deeper: bool = False
    keep: bool = False


class Task(NamedTuple):
    """A checked question: the request as it will be run, and what returns the answer as JSON."""

    request: BaseModel
    run: Callable[[Context], str]


class Kind(ABC, Generic[Request]):
    """One kind of job."""

    name: str
    request: type[Request]
    time_factor = 1.0  # of the service's time limit
    keeps_answers = False  # whether the same question is answered from the store of jobs, not by the kind itself

    @abstractmethod
    def check(self, request: Request, settings: Settings) -> Task:
        """Return the task of a request, or raise what is wrong with it; nothing costly is begun."""


def wrong(field: str, error: InputError) -> Refusal:
    """Return the refusal of a field."""
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, error, field)


def at_most(field: str, value: float | None, limit: float) -> None:
    """Raise if a value is over a limit of the service."""
    if value is not None and value > limit:
        raise wrong(field, InputError("{field}: {problem}", field=field, problem=_over(limit)))


def _over(limit: float) -> InputError:
    return InputError("must be {le} or less", le=f"{limit:g}")


def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds."""
    from bromeliad.service.kinds.catalogue import KINDS

    return tuple(KINDS)
