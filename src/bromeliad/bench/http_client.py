"""A small client of the service, by the standard library alone: for measurements and scripts."""

import json
from http.client import HTTPConnection, HTTPResponse
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from bromeliad.service.guard import API

__all__ = ["Asker"]

_PATIENCE = 120.0  # seconds


class Asker:
    """Asks a service, over one connection at a time.

    >>> with Asker("http://127.0.0.1:8765/", "me") as asker:  # doctest: +SKIP
    ...     answer = asker.solve({"cards": "As Ah Kd 7c 2s", "time": 1})
    """

    def __init__(self, address: str, client: str, token: str | None = None) -> None:
        place = urlsplit(address)
        self._connection = HTTPConnection(place.hostname or "", place.port, timeout=_PATIENCE)
        self._headers = {"X-Client": client}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def get(self, path: str) -> Any:
        """Return what an address below the API has."""
        return json.loads(self._ask("GET", path).read())

    def post(self, path: str, body: Any) -> Any:
        """Send plain data, and return the answer."""
        return json.loads(self._ask("POST", path, body).read())

    def solve(self, request: dict[str, Any], game: str = "ofc") -> dict[str, Any]:
        """Ask a question, and wait for its answer by the stream of its job.

        Raises
        ------
        RuntimeError
            If the job has no answer.
        """
        job = self.post("/jobs", {"game": game, "request": request})
        response = self._ask("GET", f"/jobs/{job['id']}/events")
        name = ""
        for line in response:
            text = line.decode().strip()
            if text.startswith("event: "):
                name = text.removeprefix("event: ")
            elif text.startswith("data: ") and name in ("done", "failed"):
                data = json.loads(text.removeprefix("data: "))
        if name != "done" or data["answer"] is None:
            raise RuntimeError(f"no answer to job {job['id']}: {data}")
        found: dict[str, Any] = data["answer"]
        return found

    def _ask(self, method: str, path: str, body: Any = None) -> HTTPResponse:
        content = None if body is None else json.dumps(body).encode()
        headers = self._headers | ({} if content is None else {"Content-Type": "application/json"})
        self._connection.request(method, API + path, content, headers)
        response = self._connection.getresponse()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {response.read().decode()[:300]}")
        return response
