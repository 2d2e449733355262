"""The application with its routes, errors and limits, and the server that runs it."""

import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from http import HTTPStatus
from threading import Thread
from typing import Any
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware.cors import CORSMiddleware

from bromeliad import __version__
from bromeliad.core.machine import fresh_directory
from bromeliad.errors import InputError
from bromeliad.service.connections import Connection, log_sparingly
from bromeliad.service.guard import API, Guard
from bromeliad.service.metrics import Metrics
from bromeliad.service.pages import add_page
from bromeliad.service.problems import Problem, add_handlers, documented
from bromeliad.service.routes import board, book, games, history, info, jobs, quiz, sequence
from bromeliad.service.settings import ACCEPTED_AT_ONCE, Settings
from bromeliad.service.state import running
from bromeliad.storage import Store, open_store
from bromeliad.storage.database import sole_service

_GOODBYE = 3  # seconds for open streams to end at shutdown

_ALWAYS = documented(
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
"""Errors that any address may return."""


def create_app(settings: Settings, store: Store) -> FastAPI:
    """Return the application; its parts start and end with its lifespan."""
    metrics = Metrics(store)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with running(settings, store, metrics) as service:
            app.state.service = service
            yield

    app = FastAPI(
        title="Bromeliad",
        version=__version__,
        description="Open-face Chinese poker: the best placement, and the cost of every other one.",
        lifespan=lifespan,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # its page loads scripts from other sites
        redoc_url=None,
    )
    for module in (info, jobs, board, book, games, quiz, history, sequence):
        app.include_router(module.router, prefix=API, responses=_ALWAYS)
    add_handlers(app)
    add_page(app)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    if settings.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors,
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=["authorization", "content-type", "x-client", "accept-language"],
        )
    app.add_middleware(Guard, settings=settings, metrics=metrics)
    _make_routes(app)
    return app


def _make_routes(app: FastAPI) -> None:
    """Make FastAPI build its included routes now.

    Otherwise it does so at the first request, and changes Python's global warning filters meanwhile. The thread that
    compiles kernels changes these filters too.
    """
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "", "root_path": "", "headers": []})


def _openapi(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI schema, with the schema of problems."""
    if app.openapi_schema is None:
        app.openapi_schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas = app.openapi_schema.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
    return app.openapi_schema


class Server(uvicorn.Server):
    """A server that reports when it listens, and at shutdown ends all jobs before it waits for their streams."""

    def __init__(self, settings: Settings, store: Store, on_start: Callable[[], None] = lambda: None) -> None:
        self._app = create_app(settings, store)
        self._on_start = on_start
        super().__init__(
            uvicorn.Config(
                self._app,
                port=settings.port,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_GOODBYE,
                h11_max_incomplete_event_size=16 * 1024,
                lifespan="on",
                http=partial(Connection, settings),  # type: ignore[arg-type]
                ws="none",
                backlog=ACCEPTED_AT_ONCE,
                proxy_headers=bool(settings.proxies),  # by default, uvicorn believes every client on this machine
                forwarded_allow_ips=list(settings.proxies),
            )
        )
        log_sparingly()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, and report it."""
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all jobs, then stop."""
        self._app.state.service.jobs.close()
        await super().shutdown(sockets)


def serve(settings: Settings, on_start: Callable[[str], None], *, browse: bool) -> None:
    """Serve until the process ends.

    Parameters
    ----------
    on_start
        Called with the address of the page once the service listens.
    browse
        Whether to open the page in a browser.
    """
    listener = _listen(settings)
    address = _address(settings, listener.getsockname()[1])

    def started() -> None:
        on_start(address)
        if browse:
            Thread(target=webbrowser.open, args=(_link(address) if settings.token else address,), daemon=True).start()

    with listener, open_store(settings.store) as store, sole_service(store):
        Server(settings, store, started).run(sockets=[listener])


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listener = socket.create_server(
            (settings.host.strip("[]"), settings.port), family=family, backlog=ACCEPTED_AT_ONCE
        )
    except OSError as error:
        raise InputError(
            "{host}:{port}: {problem}; give another --port, or 0 for any free one",
            host=settings.host,
            port=settings.port,
            problem=error.strerror or str(error),
        ) from None
    # asyncio sets this only for sockets that name their protocol; without it every answer waits 40 ms for the
    # acknowledgement of its headers
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _link(address: str) -> str:
    """Return the address of a private file that redirects to ``address``: a browser's command line is not private."""
    file = fresh_directory() / "open.html"
    file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(address)}">\n', "utf-8")
    return file.as_uri()


def _address(settings: Settings, port: int) -> str:
    host = f"[{settings.host.strip('[]')}]" if ":" in settings.host else settings.host
    token = f"?token={quote(settings.token, safe='')}" if settings.token else ""
    return f"http://{host}:{port}/{token}"
