"""The application (routes, errors, limits, the parts that live as long as it does) and the server that runs it."""

import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from threading import Thread
from typing import Any
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware.cors import CORSMiddleware

from bromeliad import __version__
from bromeliad.errors import InputError
from bromeliad.service.guard import API, Guard
from bromeliad.service.metrics import Metrics
from bromeliad.service.pages import add_page
from bromeliad.service.problems import Problem, add_handlers, documented
from bromeliad.service.routes import board, games, history, info, jobs, quiz, sequence
from bromeliad.service.settings import Settings
from bromeliad.service.state import running
from bromeliad.storage import Store, open_store
from bromeliad.storage.engine import sole_service

_GOODBYE = 3  # seconds that open streams get when the service ends

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
    metrics = Metrics(store)

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


class Server(uvicorn.Server):
    """Tells when it listens, and ends all jobs before it waits for their streams to end."""

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
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._app.state.service.jobs.close()
        await super().shutdown(sockets)


def serve(settings: Settings, on_start: Callable[[str], None], *, browse: bool) -> None:
    """Serve until somebody ends the process.

    Parameters
    ----------
    on_start
        Told the page's address once it can be asked.
    browse
        Whether to open the page in a browser.
    """
    listener = _listen(settings)
    address = _address(settings, listener.getsockname()[1])

    def started() -> None:
        on_start(address)
        if browse:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with listener, open_store(settings.store) as store, sole_service(store):
        Server(settings, store, started).run(sockets=[listener])


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listener = socket.create_server((settings.host.strip("[]"), settings.port), family=family, backlog=1024)
    except OSError as error:
        raise InputError(
            "{host}:{port}: {problem}; give another --port, or 0 for any that is free",
            host=settings.host,
            port=settings.port,
            problem=error.strerror or str(error),
        ) from None
    # asyncio sees to this only where a socket names its protocol; without it every answer waits 40 ms for an
    # acknowledgement of its headers
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _address(settings: Settings, port: int) -> str:
    host = f"[{settings.host.strip('[]')}]" if ":" in settings.host else settings.host
    token = f"?token={quote(settings.token, safe='')}" if settings.token else ""
    return f"http://{host}:{port}/{token}"
