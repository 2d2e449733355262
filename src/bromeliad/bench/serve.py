"""The service under load, and how soon it answers after its start."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import numpy as np

from bromeliad.bench.measuring import load
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing.quiz import quiz_view
from bromeliad.playing.strategies import SolverStrategy
from bromeliad.service.guard import API

HEALTH_PAUSE = 0.02  # seconds between two requests to /health
_PATIENCE = 120.0  # timeout of clients in seconds
_FIRST: dict[str, dict[str, Any]] = {
    "last street": {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"},
    "street 1, 0.5 s": {"cards": "As Ah Kd 7c 2s", "time": 0.5},
}


class Client:
    """A client of a service, with one connection and the secret that the service gives it."""

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        kind = HTTPSConnection if place.scheme == "https" else HTTPConnection
        self._connection = kind(place.hostname or "", place.port, timeout=_PATIENCE)
        self._headers = {"Content-Type": "application/json"}
        self._headers["X-Client"] = json.loads(self.send("POST", "/clients"))["client"]

    def send(self, method: str, path: str, body: object = None) -> str:
        """Return the body of the response to a request; raise RuntimeError if the service refuses it."""
        data = None if body is None else json.dumps(body)
        self._connection.request(method, API + path, data, self._headers)
        response = self._connection.getresponse()
        text = response.read().decode()
        if response.status >= 400:
            raise RuntimeError(f"{response.status}: {text}")
        return text

    def ask(self, request: dict[str, Any], game: str = "ofc") -> dict[str, Any]:
        """Return the answer to a question, from the event stream of its job unless it is known at once."""
        job = json.loads(self.send("POST", "/jobs", {"game": game, "request": request}))
        if job["answer"] is None:
            events = self.send("GET", f"/jobs/{job['id']}/events").splitlines()
            job = json.loads([line for line in events if line.startswith("data: ")][-1].removeprefix("data: "))
        if job.get("answer") is None:
            raise RuntimeError(f"no answer: {job}")
        found: dict[str, Any] = job["answer"]
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()


class _Load(NamedTuple):
    """Questions that many clients ask at once."""

    name: str
    clients: int
    seconds: float
    streets: tuple[int, ...]
    positions: int  # each is asked once before any is asked again
    known: bool = False  # whether all were asked before

    def questions(self, seed: int) -> list[dict[str, Any]]:
        """Return different solo requests from self-play."""
        rules, solver = preset("pineapple"), SolverStrategy("pineapple", seconds=5.0, objective="solo", threads=1)
        views = (quiz_view(rules, self.streets[i % len(self.streets)], (seed, i)) for i in range(self.positions))
        return [solver.request(view).model_dump(mode="json", exclude_defaults=True) for view in views]


_QUICK = (_Load("known positions of street 4", 10, 3.0, (4,), 20, known=True), _Load("last streets", 10, 3.0, (5,), 60))
_WHOLE = (
    _Load("known positions of street 4", 200, 30.0, (4,), 200, known=True),
    _Load("last streets", 200, 30.0, (5,), 12_000),
    _Load("streets 5 and 4", 50, 30.0, (5, 4), 4_000),
)


@dataclass
class _Tally:
    """The measurements of all clients."""

    seconds: list[float] = field(default_factory=list)  # per answer
    health: list[float] = field(default_factory=list)  # seconds per request to /health
    errors: list[str] = field(default_factory=list)
    asked: int = 0
    stored: int = 0  # answers that came from the store


@bench("serve", minutes=5, depends=("bromeliad.cli.serve",))
def serve_bench(quick: bool, seed: int) -> list[Section]:
    """Measure the service under load, and its start."""
    before = load()
    with tempfile.TemporaryDirectory() as folder:
        rows = [_under_load(Path(folder) / f"{each.name}.sqlite", each, seed) for each in (_QUICK if quick else _WHOLE)]
        return [_load_section(rows, before), _starts(Path(folder), cold=not quick)]


@contextmanager
def _service(store: Path, **environ: str) -> Iterator[str]:
    """Run ``bromeliad serve`` as a process; yield its address."""
    command = [sys.executable, "-m", "bromeliad", "serve", "--port", "0", "--no-open", "--store", str(store)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environ)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _under_load(store: Path, load: _Load, seed: int) -> tuple[object, ...]:
    """Return the row of a load."""
    questions, tally = load.questions(seed), _Tally()
    with _service(store) as address:
        with Client(address) as client:
            for question in questions if load.known else questions[:2]:  # two load the kernels of these streets
                client.ask(question)
            while json.loads(client.send("GET", "/health"))["kernels"] != "ready":
                time.sleep(HEALTH_PAUSE)
        _run(address, load, cycle(questions), tally)
    lost = tally.asked - len(tally.seconds) - len(tally.errors)
    if tally.errors:
        print(f"first error: {tally.errors[0]}", file=sys.stderr)
    return (
        *(load.name, load.clients, f"{load.seconds:g}", min(tally.asked, load.positions)),
        *(len(tally.seconds), len(tally.seconds) / load.seconds, tally.stored, len(tally.errors), lost),
        *(*_percentiles(tally.seconds), *_percentiles(tally.health), len(tally.health)),
    )


def _load_section(rows: list[tuple[object, ...]], before: float) -> Section:
    columns = (
        *("questions", "clients", "seconds", "positions", "answers", "answers/s", "from the store", "errors", "lost"),
        *("answer p50 ms", "answer p99 ms", "/health p50 ms", "/health p99 ms", "/health asked"),
    )
    notes = [
        "Pineapple, solo, positions from self-play, one thread per job. Each position is asked once before any is asked"
        " again; known ones were also asked once before the clock ran. A client waits for its answer before it asks the"
        " next question. Another process requests /health; all share this machine.",
        f"Load of the machine before the measurement: {before:.1f}.",
    ]
    return Section("The service under load", columns, rows, notes)


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile in milliseconds."""
    values = np.percentile(seconds or [np.nan], [50, 99]) * 1000
    return float(values[0]), float(values[1])


def _run(address: str, load: _Load, pool: Iterator[dict[str, Any]], tally: _Tally) -> None:
    end = time.monotonic() + load.seconds
    lock = threading.Lock()

    def next_question() -> dict[str, Any]:
        with lock:
            tally.asked += 1
            return next(pool)

    def work() -> None:
        with Client(address) as client:
            while time.monotonic() < end:
                question, start = next_question(), time.perf_counter()
                try:
                    answer = client.ask(question)
                except (OSError, HTTPException, RuntimeError, ValueError) as error:
                    tally.errors.append(repr(error))
                    continue
                tally.seconds.append(time.perf_counter() - start)
                tally.stored += bool(answer["stored"])

    threads = [threading.Thread(target=work) for _ in range(load.clients)]
    with ProcessPoolExecutor(1, get_context("spawn")) as other:  # a process that the clients do not delay
        health = other.submit(_watch_health, address, load.seconds)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tally.health = health.result()


def _watch_health(address: str, seconds: float) -> list[float]:
    """Request /health repeatedly; return the seconds that each answer took."""
    end, taken = time.monotonic() + seconds, []
    with Client(address) as client:
        while time.monotonic() < end:
            start = time.perf_counter()
            client.send("GET", "/health")
            taken.append(time.perf_counter() - start)
            time.sleep(HEALTH_PAUSE)
    return taken


def _starts(folder: Path, *, cold: bool) -> Section:
    """Measure the time from the command until it prints its address, and until the first answer."""
    rows: list[tuple[object, ...]] = []
    for cache in ("warm", "empty") if cold else ("warm",):
        for name, question in _FIRST.items():
            environ = {"BROMELIAD_CACHE_DIR": str(folder / f"cache {name}")} if cache == "empty" else {}
            start = time.perf_counter()
            with (
                _service(folder / f"{cache} {name}.sqlite", **environ) as address,
                Client(address) as client,
            ):
                listening = time.perf_counter() - start
                client.ask(question)
                rows.append((cache, name, listening, time.perf_counter() - start))
    notes = ["Seconds after the start of the command; each row is a new process with an empty store."]
    return Section("The start", ("kernel cache", "first question", "address s", "answer s"), rows, notes)
