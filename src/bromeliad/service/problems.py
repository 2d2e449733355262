"""Errors as ``application/problem+json`` (RFC 9457): what is wrong, the field at fault, in the asker's language."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException

from bromeliad.core.validation import MESSAGES as COMMON
from bromeliad.core.validation import describe
from bromeliad.errors import BromeliadError, DomainException, InputError, PhaseError, StoreError
from bromeliad.i18n import tr

PROBLEM_JSON = "application/problem+json"
PLAIN = r"^[^\x00-\x1f\x7f]*$"
"""Pattern of texts without control characters, which not every store can look for."""

_LONGEST = 200  # letters of a field's name: it may be what a client made up

MESSAGES = {
    "bytes_invalid_encoding": "must be text",
    "json_invalid": "the body is not JSON",
    "list_type": "must be a list",
    "missing": "is missing",
    "model_attributes_type": "must be a JSON object",
    "multiple_of": "must be a multiple of {multiple_of}",
    "string_pattern_mismatch": "must not have control characters",
    "union_tag_invalid": "must be one of {expected_tags}",
    "union_tag_not_found": "is missing",
}
"""What pydantic and FastAPI find wrong and rule files do not know; the rest is said as there."""

_OWN = ("missing", "string_pattern_mismatch")  # rule files mean something else by them

REFUSED = {
    HTTPStatus.BAD_REQUEST: "the request cannot be read",
    HTTPStatus.NOT_FOUND: "there is nothing at this address",
    HTTPStatus.METHOD_NOT_ALLOWED: "this address does not know this method",
}


class FieldProblem(BaseModel):
    """One field at fault."""

    field: str
    detail: str


class Problem(BaseModel):
    """What is wrong with a request."""

    model_config = ConfigDict(frozen=True)

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    field: str | None = None
    errors: tuple[FieldProblem, ...] | None = None


class Refusal(HTTPException):
    """An answer other than the one hoped for.

    Parameters
    ----------
    status
        The HTTP status.
    error
        What is wrong, to be said in the asker's language.
    field
        The field at fault, if one is.
    """

    def __init__(self, status: HTTPStatus, error: BromeliadError, field: str | None = None) -> None:
        super().__init__(status, str(error))
        self.status, self.error, self.field = status, error, field


class ProblemResponse(JSONResponse):
    """A problem as a response."""

    media_type = PROBLEM_JSON

    def __init__(self, problem: Problem, headers: dict[str, str] | None = None) -> None:
        super().__init__(problem.model_dump(exclude_none=True), problem.status, headers)


def documented(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """Return how routes document that they may answer with these problems."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {int(status): {"description": status.phrase, "content": {PROBLEM_JSON: schema}} for status in statuses}


def problem_of(error: Exception, prefix: str = "") -> Problem:
    """Return what to answer to an error that was raised on purpose.

    Parameters
    ----------
    prefix
        The field that the error is about, unless it knows better.
    """
    if isinstance(error, Refusal):
        return _problem(error.status, error.error.render(tr), error.field)
    if isinstance(error, StoreError):  # its message tells where the store is, which is nobody's business
        return _problem(HTTPStatus.SERVICE_UNAVAILABLE, tr("the store does not answer"))
    if isinstance(error, PhaseError):
        return _problem(HTTPStatus.CONFLICT, error.render(tr))
    if isinstance(error, (InputError, DomainException)):
        return _problem(HTTPStatus.UNPROCESSABLE_ENTITY, error.render(tr), prefix or None)
    return _problem(HTTPStatus.INTERNAL_SERVER_ERROR, tr("something went wrong on this side"))


def _problem(status: HTTPStatus, detail: str, field: str | None = None, errors: Any = None) -> Problem:
    return Problem(title=status.phrase, status=status, detail=detail, field=field, errors=errors)


def invalid(items: Iterable[Any]) -> Problem:
    """Return the problem of a request whose fields pydantic refuses; the first one stands for all."""
    found = [FieldProblem(field=_field(item), detail=_describe(item).render(tr)) for item in items]
    first = found[0]
    detail = f"{first.field}: {first.detail}" if first.field else first.detail
    return _problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, first.field or None, tuple(found))


def _field(item: ErrorDetails) -> str:
    """Return the dotted name of a field without where it was sent and without the names of union members."""
    parts = list(item["loc"])
    if parts and parts[0] in ("body", "query", "path", "header"):
        parts = parts[1:]
    if item["type"] == "json_invalid":
        parts = []
    if item["type"].startswith("union_tag"):
        parts.append(str(item["ctx"]["discriminator"]).strip("'"))
    elif parts and str(parts[0]) in _tags(item):
        parts = parts[1:]
    return ".".join(str(part) for part in parts if part != "[key]")[:_LONGEST]


def _tags(item: ErrorDetails) -> tuple[str, ...]:
    """Return the members of the unions that bodies are: pydantic puts the one that was meant before the field."""
    from bromeliad.service.kinds.kind import kind_names

    return kind_names()


def _describe(item: ErrorDetails) -> InputError:
    own = MESSAGES.get(item["type"])
    if own is None or (item["type"] in COMMON and item["type"] not in _OWN):
        return describe(item)
    values = {name: str(value).replace("'", "") for name, value in item.get("ctx", {}).items()}
    return InputError(own, **values)


def add_handlers(app: FastAPI) -> None:
    """Let an application answer with problems."""

    async def refuse(request: Request, error: Exception) -> ProblemResponse:
        return ProblemResponse(problem_of(error))

    async def not_valid(request: Request, error: Exception) -> ProblemResponse:
        assert isinstance(error, RequestValidationError)
        return ProblemResponse(invalid(error.errors()))

    async def http_error(request: Request, error: Exception) -> ProblemResponse:
        assert isinstance(error, HTTPException)
        status = HTTPStatus(error.status_code)
        detail = tr(REFUSED[status]) if status in REFUSED else str(error.detail)
        return ProblemResponse(_problem(status, detail), dict(error.headers or {}))

    for kind in (Refusal, InputError, DomainException):
        app.add_exception_handler(kind, refuse)
    app.add_exception_handler(RequestValidationError, not_valid)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(Exception, refuse)
