"""Connections, with limits on their number and on the time that clients take to send requests and read answers."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Collection
from http import HTTPStatus
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from bromeliad.service.problems import PROBLEM_JSON, Problem
from bromeliad.service.settings import Settings


class Connection(H11Protocol):
    """A connection that is closed if its client sends or reads too slowly.

    When there are too many connections, the one that has been idle longest is closed to make room for a new one. If
    none is idle, the new one is refused.
    """

    def __init__(self, settings: Settings, **options: Any) -> None:
        super().__init__(**options)
        self._settings = settings
        self._since = self.loop.time()
        self._request_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._heard = False  # whether a part of a request has arrived

    @property
    def address(self) -> str:
        """The address of the client."""
        return self.client[0] if self.client else ""

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room if there are too many connections, then wait for a request."""
        super().connection_made(transport)
        everyone = [other for other in cast("set[Connection]", self.connections) if not other.transport.is_closing()]
        neighbours = [other for other in everyone if other.address == self.address]
        if len(neighbours) > self._settings.max_connections_of_address and not self._settings.is_proxy(self.address):
            self._make_room(neighbours)
        elif len(everyone) > self._settings.max_connections:
            self._make_room(everyone)
        self._watch()

    def _make_room(self, others: "Collection[Connection]") -> None:
        idle = [other for other in others if other.is_idle and other is not self]
        if idle:
            min(idle, key=lambda other: other._since).transport.abort()
        else:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "the service has too many connections: try again later")

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        self._heard = True
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._since, self._heard = self.loop.time(), False
        super().on_response_complete()

    def _watch(self) -> None:
        """Set or cancel the deadline for a request's headers; uvicorn has a deadline only between two requests."""
        waiting = self.is_idle and not self.transport.is_closing() and self.timeout_keep_alive_task is None
        if waiting and self._request_timer is None:
            self._request_timer = self.loop.call_later(self._settings.header_seconds, self._give_up)
        elif not waiting and self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _give_up(self) -> None:
        self._request_timer = None
        if self._heard and self.cycle is None:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "the request took too long to arrive")
        else:
            self.transport.abort()

    def _refuse(self, status: HTTPStatus, detail: str) -> None:
        """Answer with a problem, without the application, and close the connection."""
        problem = Problem(title=status.phrase, status=status, detail=detail).model_dump_json(exclude_none=True)
        head = f"HTTP/1.1 {int(status)} {status.phrase}\r\ncontent-type: {PROBLEM_JSON}\r\nconnection: close\r\n"
        self.transport.write(f"{head}content-length: {len(problem)}\r\n\r\n{problem}".encode())
        self.transport.close()
        self.pause_writing()  # sets a deadline, in case the client does not read the answer

    def pause_writing(self) -> None:
        """Set a deadline for the client to read what was sent."""
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self._settings.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Cancel the deadline."""
        super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all deadlines."""
        for timer in (self._request_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)


class Sparing(logging.Filter):
    """Passes a few log lines of each kind per minute, so that a client cannot fill the disk with them."""

    def __init__(self, most: int = 5, seconds: float = 60.0) -> None:
        super().__init__()
        self._most, self._seconds = most, seconds
        self._counts: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._began = time.monotonic()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a line; the last one of its kind says that more are left out."""
        if time.monotonic() - self._began > self._seconds:
            self._began = time.monotonic()
            self._counts.clear()
        kind = record.name, str(record.msg).partition("\n")[0][:60]
        self._counts[kind] += 1
        if self._counts[kind] == self._most:
            record.msg = f"{record.msg} (more lines of this kind are left out for {self._seconds:g} seconds)"
        return self._counts[kind] <= self._most


def log_sparingly() -> None:
    """Limit the log lines that requests can cause."""
    for name in ("uvicorn.error", "asyncio", "bromeliad.service"):
        logger = logging.getLogger(name)
        if not any(isinstance(found, Sparing) for found in logger.filters):
            logger.addFilter(Sparing())
