"""Kinds of jobs: the request of each kind, its checks, and its execution."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict

from bromeliad.core.playable import Context
from bromeliad.errors import InputError
from bromeliad.service.problems import Refusal
from bromeliad.service.settings import Settings

Request = TypeVar("Request", bound=BaseModel)


class StrictModel(BaseModel):
    """A model of what clients send: immutable, and without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Body(StrictModel):
    """Fields of every new job in addition to its game and request."""

    deeper: bool = False
    keep: bool = False


class Task(NamedTuple):
    """A checked job: its final request, and the function that returns the answer as JSON."""

    request: BaseModel
    run: Callable[[Context], str]


class Kind(ABC, Generic[Request]):
    """One kind of job."""

    name: str
    request: type[Request]
    time_factor = 1.0  # multiplies the service's time limit
    keeps_answers = False  # whether a stored answer is reused for the same request

    def is_final(self, answer: str) -> bool:
        """Return whether every later answer to the same request would be the same."""
        return False

    @abstractmethod
    def check(self, request: Request, settings: Settings) -> Task:
        """Return the task of a request, or raise if it is invalid; must be quick."""


def wrong(field: str, error: InputError) -> Refusal:
    """Return the refusal of an invalid field."""
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, error, field)


@contextmanager
def checking(field: str) -> Iterator[None]:
    """Refuse the request, naming ``field``, if the ``with`` block raises InputError."""
    try:
        yield
    except InputError as error:
        raise wrong(field, error) from None


def at_most(field: str, value: float | None, limit: float) -> None:
    """Raise if a value exceeds a limit of the service."""
    if value is not None and value > limit:
        over = InputError("must be {le} or less", le=f"{limit:g}")
        raise wrong(field, InputError("{field}: {problem}", field=field, problem=over))
