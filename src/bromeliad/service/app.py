"""The application: routes, errors, limits, and the parts that live as long as it does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware.cors import CORSMiddleware

from bromeliad import __version__
from bromeliad.service.guard import API, Guard
from bromeliad.service.metrics import Metrics
from bromeliad.service.pages import add_page
from bromeliad.service.problems import Problem, add_handlers, documented
from bromeliad.service.routes import (
    board,
    games,
    history,
    info,
    jobs,
    quiz,
    sequence,
)
from bromeliad.service.settings import Settings
from bromeliad.service.state import running
from bromeliad.storage import Store

__all__ = ["create_app"]

_ALWAYS = documented(
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
"""What any address may answer with."""


def create_app(settings: Settings, store: Store) -> FastAPI:
    """Return the application; its parts start with its lifespan."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with running(settings, store, metrics) as service:
            app.state.service = service
            yield

    app = FastAPI(
        title="Bromeliad",
        version=__version__,
        description="Open-face Chinese poker: what to do with these cards, what every alternative costs.",
        lifespan=lifespan,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
    )
    for module in (info, jobs, board, games, quiz, history, sequence):
        app.include_router(module.router, prefix=API, responses=_ALWAYS)
    add_handlers(app)
    add_page(app)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    if settings.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["authorization", "content-type", "x-client", "accept-language"],
        )
    app.add_middleware(Guard, settings=settings, metrics=metrics)
    _make_routes(app)
    return app


def _make_routes(app: FastAPI) -> None:
    """Have FastAPI make its included routes now.

    It would do so at the first request, with warnings silenced by a switch that all threads share, while the thread
    that makes kernels ready flips the same switch.
    """
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "", "root_path": "", "headers": []})


def _openapi(app: FastAPI) -> dict[str, Any]:
    """Return the description of the API, the form of problems included."""
    if app.openapi_schema is None:
        app.openapi_schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas = app.openapi_schema.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
    return app.openapi_schema
