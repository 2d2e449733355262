"""Listening: the socket, the one line that says where, and the browser."""

import socket
import webbrowser
from collections.abc import Callable
from threading import Thread
from urllib.parse import quote

import uvicorn

from bromeliad.errors import InputError
from bromeliad.service.app import create_app
from bromeliad.service.settings import Settings
from bromeliad.storage import Store, open_store
from bromeliad.storage.engine import sole_service

__all__ = ["Server", "serve"]

_GOODBYE = 3  # seconds that open streams get when the service ends


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
        self._app.state.service.book.close()
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
