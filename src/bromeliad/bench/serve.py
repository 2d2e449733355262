"""The service under load, and how soon it answers after its start."""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bromeliad.bench.measuring import load
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing.quiz import quiz_view
from bromeliad.playing.strategies import SolverStrategy
from bromeliad.service.guard import API

if TYPE_CHECKING:
    from httpx2 import Client

STREETS = (5, 4)
HEALTH_PAUSE = 0.02  # seconds between two requests to /health
_PATIENCE = 120.0  # timeout of clients in seconds
_FIRST: dict[str, dict[str, Any]] = {
    "last street": {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"},
    "street 1, 0.5 s": {"cards": "As Ah Kd 7c 2s", "time": 0.5},
}


def open_client(address: str) -> "Client":
    """Return an httpx2 client of a service, with the secret that the service gives it."""
    try:
        from httpx2 import Client, post
    except ImportError as error:
        raise UnsupportedError("bench serve needs httpx2: pip install httpx2") from error
    place = address.rstrip("/") + API
    secret = post(f"{place}/clients", timeout=_PATIENCE).raise_for_status().json()["client"]
    return Client(base_url=place, headers={"X-Client": secret}, timeout=_PATIENCE)


def ask(client: "Client", request: dict[str, Any], game: str = "ofc") -> dict[str, Any]:
    """Send a request, wait on the event stream of its job, and return the answer."""
    job = client.post("/jobs", json={"game": game, "request": request}).raise_for_status().json()
    name, data = "", {}
    with client.stream("GET", f"/jobs/{job['id']}/events") as response:
        for line in response.raise_for_status().iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name in ("done", "failed"):
                data = json.loads(line.removeprefix("data: "))
    if name != "done" or data["answer"] is None:
        raise RuntimeError(f"no answer to job {job['id']}: {data}")
    found: dict[str, Any] = data["answer"]
    return found


@dataclass
class _Tally:
    """The measurements of all clients."""

    seconds: list[float] = field(default_factory=list)  # per answer
    health: list[float] = field(default_factory=list)  # seconds per request to /health
    errors: list[str] = field(default_factory=list)
    asked: int = 0
    stored: int = 0  # answers that came from the store


@bench("serve", minutes=3, depends=("bromeliad.cli.serve",))
def serve_bench(quick: bool, seed: int) -> list[Section]:
    """Measure the service under load, and its start."""
    clients, seconds, positions = (10, 5.0, 60) if quick else (50, 60.0, 600)
    before = load()
    with tempfile.TemporaryDirectory() as folder:
        sections = [_under_load(Path(folder), clients, seconds, _questions(positions, seed), seed, before)]
        sections.append(_starts(Path(folder), cold=not quick))
    return sections


def _questions(count: int, seed: int) -> list[dict[str, Any]]:
    """Return different solo requests on the last two streets, from self-play."""
    rules, solver = preset("pineapple"), SolverStrategy("pineapple", seconds=5.0, objective="solo", threads=1)
    views = (quiz_view(rules, STREETS[i % len(STREETS)], (seed, i)) for i in range(count))
    return [solver.request(view).model_dump(mode="json", exclude_defaults=True) for view in views]


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


def _under_load(
    folder: Path, clients: int, seconds: float, questions: list[dict[str, Any]], seed: int, load: float
) -> Section:
    tally = _Tally()
    with _service(folder / "load.sqlite") as address:
        with open_client(address) as client:
            for question in questions[:2]:
                ask(client, question)  # loads the kernels before the clock runs
        pool = cycle(random.Random(seed).sample(questions, len(questions)))
        _run(address, clients, seconds, pool, tally)
    lost = tally.asked - len(tally.seconds) - len(tally.errors)
    row = (
        *(clients, f"{seconds:g}", len(tally.seconds), len(tally.seconds) / seconds, tally.stored),
        *(len(tally.errors), lost, *_percentiles(tally.seconds), *_percentiles(tally.health), len(tally.health)),
    )
    columns = (
        *("clients", "seconds", "jobs", "jobs/s", "from the store", "errors", "lost"),
        *("job p50 ms", "job p99 ms", "/health p50 ms", "/health p99 ms", "/health asked"),
    )
    notes = [
        "Half of the requests are on the last street, half on street 4; pineapple, solo, from self-play, one thread "
        "per job. Each is sent once before any is sent again. A client waits for its answer on the job's event stream "
        "before it sends the next. Another process requests /health; all share this machine.",
        f"Load of the machine before the measurement: {load:.1f}.",
        *(f"First error: {error}" for error in tally.errors[:1]),
    ]
    return Section("The service under load", columns, [row], notes)


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile in milliseconds."""
    values = np.percentile(seconds or [np.nan], [50, 99]) * 1000
    return float(values[0]), float(values[1])


def _run(address: str, clients: int, seconds: float, pool: Iterator[dict[str, Any]], tally: _Tally) -> None:
    from httpx2 import HTTPError

    end = time.monotonic() + seconds
    lock = threading.Lock()

    def next_question() -> dict[str, Any]:
        with lock:
            tally.asked += 1
            return next(pool)

    def work() -> None:
        with open_client(address) as client:
            while time.monotonic() < end:
                question, start = next_question(), time.perf_counter()
                try:
                    answer = ask(client, question)
                except (HTTPError, RuntimeError, ValueError) as error:
                    tally.errors.append(repr(error))
                    continue
                tally.seconds.append(time.perf_counter() - start)
                tally.stored += bool(answer["stored"])

    threads = [threading.Thread(target=work) for _ in range(clients)]
    with ProcessPoolExecutor(1, get_context("spawn")) as other:  # a process that the clients do not delay
        health = other.submit(_watch_health, address, seconds)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tally.health = health.result()


def _watch_health(address: str, seconds: float) -> list[float]:
    """Request /health repeatedly; return the seconds that each answer took."""
    end, taken = time.monotonic() + seconds, []
    with open_client(address) as client:
        while time.monotonic() < end:
            start = time.perf_counter()
            client.get("/health").raise_for_status()
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
                open_client(address) as client,
            ):
                listening = time.perf_counter() - start
                ask(client, question)
                rows.append((cache, name, listening, time.perf_counter() - start))
    notes = ["Seconds after the start of the command; each row is a new process with an empty store."]
    return Section("The start", ("kernel cache", "first question", "address s", "answer s"), rows, notes)
