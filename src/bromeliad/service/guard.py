"""Checks of every request: language, host, origin, token, and size of the body.

This is plain ASGI middleware, because it runs for every request and every event of a stream.
"""

import asyncio
import hmac
import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bromeliad.errors import InputError
from bromeliad.i18n import use_language
from bromeliad.service.metrics import Metrics
from bromeliad.service.problems import ProblemResponse, Refusal, problem_of
from bromeliad.service.settings import Settings, is_loopback

API = "/api/v1"
_OPEN = {f"{API}/health"}  # needs no token, for monitoring
_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
_SAFE = ("GET", "HEAD", "OPTIONS")
_TRADITIONAL = re.compile(r"zh-(tw|hk|mo|hant)\b")


def accepted_language(header: str) -> str:
    """Return the supported language that an ``Accept-Language`` header prefers."""
    wanted = []
    for order, part in enumerate(header.lower().split(",")[:20]):
        name, _, quality = part.strip().partition(";q=")
        try:
            wanted.append((-float(quality or 1.0), order, name))
        except ValueError:
            continue
    for _, _, name in sorted(wanted):
        if name.startswith("zh"):
            return "zh-TW" if _TRADITIONAL.match(name) else "zh-CN"
        if name.startswith("en"):
            return "en"
    return "en"


def _split(address: str) -> SplitResult:
    """Return the parts of an address; an invalid address has no host."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


class Guard:
    """Middleware that refuses forbidden requests and adds security headers to every answer."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request and pass it on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        use_language(accepted_language(headers.get("accept-language", "")))
        body = _Body(receive, self._settings, headers)
        respond = self._with_headers(send, body)
        try:
            self._check(scope, headers)
            body.check_length()
            await self._app(scope, body.receive, body.watch(respond))
        except Refusal as refusal:
            if body.answered:
                raise
            extra = {"www-authenticate": "Bearer"} if refusal.status == HTTPStatus.UNAUTHORIZED else {}
            await ProblemResponse(problem_of(refusal), extra)(scope, receive, respond)

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Raise if the client may not use the API."""
        origin = headers.get("origin")
        if origin is not None and scope["method"] not in _SAFE and not self._allows(origin, headers):
            raise Refusal(HTTPStatus.FORBIDDEN, InputError("pages of other sites may not use this service"))
        if self._settings.token is None:
            self._check_host(headers)
        elif scope["path"].startswith(API) and scope["path"] not in _OPEN and scope["method"] != "OPTIONS":
            self._check_token(headers, self._settings.token)

    def _allows(self, origin: str, headers: Headers) -> bool:
        """Return whether pages of this origin may change something: the service's own, and those named by --cors."""
        return _split(origin).netloc == headers.get("host") or origin in self._settings.cors

    def _check_host(self, headers: Headers) -> None:
        """Raise unless the host is this machine, which stops DNS rebinding."""
        name = _split("//" + headers.get("host", "")).hostname or ""
        if not is_loopback(name):
            raise Refusal(HTTPStatus.FORBIDDEN, InputError("this service is for this machine only: use 127.0.0.1"))

    def _check_token(self, headers: Headers, token: str) -> None:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
        if scheme.lower() != "bearer" or not same:
            raise Refusal(
                HTTPStatus.UNAUTHORIZED, InputError("a token is required: send the header Authorization: Bearer TOKEN")
            )

    def _with_headers(self, send: Send, body: "_Body") -> Callable[[Message], Awaitable[None]]:
        """Return ``send``, wrapped to count the answer and to add its headers."""

        async def respond(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.count_response(message["status"])
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
                if not body.ended:  # otherwise the unread rest could keep the connection open
                    headers["connection"] = "close"
            await send(message)

        return respond


class _Body:
    """The body of a request as it arrives, with limits on its length and time."""

    def __init__(self, receive: Receive, settings: Settings, headers: Headers) -> None:
        self._receive = receive
        self._headers = headers
        self._settings = settings
        self._bytes = 0
        self.ended = "transfer-encoding" not in headers and headers.get("content-length", "0") == "0"
        self._deadline = asyncio.get_running_loop().time() + settings.body_seconds
        self.answered = False

    def check_length(self) -> None:
        """Refuse a body whose header says that it is too long, or whose length has two meanings (RFC 9112, 6.3)."""
        if "transfer-encoding" in self._headers and "content-length" in self._headers:
            raise Refusal(HTTPStatus.BAD_REQUEST, InputError("the request cannot be read"))
        length = self._headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > self._settings.max_body:
            self._too_long()

    async def receive(self) -> Message:
        """Receive the next piece; raise if the body is too long or arrives too slowly."""
        if self.ended or self.answered:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise Refusal(HTTPStatus.REQUEST_TIMEOUT, InputError("the body took too long to arrive")) from None
        self._bytes += len(message.get("body", b""))
        if self._bytes > self._settings.max_body:
            self._too_long()
        self.ended = not message.get("more_body", False)
        return message

    def watch(self, send: Callable[[Message], Awaitable[None]]) -> Send:
        """Return ``send``, wrapped to record that the answer has begun: nothing can be refused after that."""

        async def noting(message: Message) -> None:
            self.answered = True
            await send(message)

        return noting

    def _too_long(self) -> None:
        raise Refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            InputError("the body may have at most {most} bytes", most=self._settings.max_body),
        )
