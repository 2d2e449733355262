"""Errors as ``application/problem+json`` (RFC 9457), in the client's language."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException

from bromeliad.core.validation import describe
from bromeliad.errors import BromeliadError, DomainException, InputError, NotStoredError, PhaseError, StoreError
from bromeliad.i18n import tr

PROBLEM_JSON = "application/problem+json"
PLAIN = r"^[^\x00-\x1f\x7f]*$"
"""Pattern of texts without control characters, because some databases cannot compare them."""

_LONGEST = 200  # most characters of a field's name in a problem: clients may send any name

MESSAGES = {
    "bytes_invalid_encoding": "must be text",
    "json_invalid": "the body is not JSON",
    "list_type": "must be a list",
    "missing": "is missing",
    "model_attributes_type": "must be a JSON object",
    "multiple_of": "must be a multiple of {multiple_of}",
    "string_pattern_mismatch": "may not contain control characters",
    "union_tag_invalid": "must be one of {expected_tags}",
    "union_tag_not_found": "is missing",
}
"""Messages for errors that have none in :mod:`bromeliad.core.validation`, or one that fits only rule files."""

REFUSED = {
    HTTPStatus.BAD_REQUEST: "the request cannot be read",
    HTTPStatus.NOT_FOUND: "there is nothing at this address",
    HTTPStatus.METHOD_NOT_ALLOWED: "this address does not support this method",
}


class FieldProblem(BaseModel):
    """One invalid field."""

    field: str
    detail: str


class Problem(BaseModel):
    """The reason why a request was refused."""

    model_config = ConfigDict(frozen=True)

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    field: str | None = None
    errors: tuple[FieldProblem, ...] | None = None


class Refusal(HTTPException):
    """A refused request: the HTTP status, the error to show, and the invalid field, if there is one."""

    def __init__(self, status: HTTPStatus, error: BromeliadError, field: str | None = None) -> None:
        super().__init__(status, str(error))
        self.status, self.error, self.field = status, error, field


class ProblemResponse(JSONResponse):
    """A problem as a response."""

    media_type = PROBLEM_JSON

    def __init__(self, problem: Problem, headers: dict[str, str] | None = None) -> None:
        super().__init__(problem.model_dump(exclude_none=True), problem.status, headers)


def documented(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """Return OpenAPI documentation for a route that may answer with these statuses."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {int(status): {"description": status.phrase, "content": {PROBLEM_JSON: schema}} for status in statuses}


def problem_of(error: Exception, prefix: str = "") -> Problem:
    """Return the problem that describes an error; ``prefix`` is the invalid field unless the error names one."""
    if isinstance(error, Refusal):
        return _problem(error.status, error.error.render(tr), error.field)
    if isinstance(error, NotStoredError):
        return _problem(HTTPStatus.NOT_FOUND, error.render(tr))
    if isinstance(error, StoreError):  # its message contains the private path of the store
        return _problem(HTTPStatus.SERVICE_UNAVAILABLE, tr("the store is not available"))
    if isinstance(error, PhaseError):
        return _problem(HTTPStatus.CONFLICT, error.render(tr))
    if isinstance(error, (InputError, DomainException)):
        return _problem(HTTPStatus.UNPROCESSABLE_ENTITY, error.render(tr), prefix or None)
    return _problem(HTTPStatus.INTERNAL_SERVER_ERROR, tr("internal error of the service"))


def _problem(status: HTTPStatus, detail: str, field: str | None = None, errors: Any = None) -> Problem:
    return Problem(title=status.phrase, status=status, detail=detail, field=field, errors=errors)


def invalid(items: Iterable[Any]) -> Problem:
    """Return the problem of a request that pydantic refuses; its detail is the first error."""
    found = [FieldProblem(field=_field(item), detail=_describe(item).render(tr)) for item in items]
    first = found[0]
    detail = f"{first.field}: {first.detail}" if first.field else first.detail
    return _problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, first.field or None, tuple(found))


def _field(item: ErrorDetails) -> str:
    """Return the dotted name of a field, without its source (such as the body) and without names of union members."""
    from bromeliad.service.kinds.catalogue import KINDS

    parts = list(item["loc"])
    if parts and parts[0] in ("body", "query", "path", "header"):
        parts = parts[1:]
    if item["type"] == "json_invalid":
        parts = []
    if item["type"].startswith("union_tag"):
        parts.append(str(item["ctx"]["discriminator"]).strip("'"))
    elif parts and str(parts[0]) in KINDS:
        parts = parts[1:]
    return ".".join(str(part) for part in parts if part != "[key]")[:_LONGEST]


def _describe(item: ErrorDetails) -> InputError:
    own = MESSAGES.get(item["type"])
    if own is None:
        return describe(item, _allowed(item))
    values = {name: str(value).replace("'", "") for name, value in item.get("ctx", {}).items()}
    return InputError(own, **values)


def _allowed(item: ErrorDetails) -> Iterable[str]:
    """Return the fields that a job's request may have, if the error is in such a request."""
    from bromeliad.service.kinds.catalogue import KINDS

    match item["loc"]:
        case ("body", str() as game, "request", _) if game in KINDS:
            return tuple(KINDS[game].request.model_fields)
    return ()


def add_handlers(app: FastAPI) -> None:
    """Make an application answer every error with a problem."""

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
