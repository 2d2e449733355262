"""A real service on a free port, with a store of its own: in a thread, or as the command in a process."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import httpx2

from bromeliad.games.ofc.play.strategies import HeuristicStrategy
from bromeliad.playing.quiz import view_of
from bromeliad.service.app import Server
from bromeliad.service.settings import Settings
from bromeliad.solving.request import read_request
from bromeliad.storage import open_store

API = "/api/v1"
LAST_STREET = {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"}
STREET_4 = {"cards": "Kc 9d 3s", "board": "Qd / 9c 9s 4h 4d / As Ac Ad 7h"}
STREET_1 = {"cards": "Jc Ac 7d Jd 2s"}  # two placements are about as good: no search of it ends early


class Client(httpx2.Client):
    """Asks a service as a client of its own, or as one that is known by its secret."""

    def __init__(self, address, secret=None, **options):
        super().__init__(base_url=address, timeout=180, **options)
        known = options.get("headers", {}) | ({} if secret is None else {"X-Client": secret})
        answer = httpx2.post(f"{address.rstrip('/')}{API}/clients", headers=known, timeout=180)
        if answer.status_code == 200:  # else it has no token
            self.secret = self.headers["X-Client"] = answer.json()["client"]

    def job(self, request, game="ofc", status=201, **options):
        """Ask a question; return the job."""
        answer = self.post(f"{API}/jobs", json={"game": game, "request": request, **options})
        assert answer.status_code == status, answer.text
        return answer.json()

    def wait(self, job, seconds=180):
        """Ask for a job until it has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            job = self.get(f"{API}/jobs/{job['id']}").json()
            if job["status"] in ("completed", "aborted", "interrupted"):
                return job
            time.sleep(0.02)
        raise AssertionError(f"not over after {seconds} s: {job}")

    def events(self, job):
        """Yield (event, data) of a job's stream."""
        with self.stream("GET", f"{API}/jobs/{job['id']}/events") as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield from read_events(answer.iter_lines())


def read_events(lines):
    """Yield (event, data) of the lines of a stream."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


@contextmanager
def serving(store, **options):
    """Run a service in a thread; give its address."""
    with open_store(store) as opened:
        server = Server(Settings(port=0, store=store, **options), opened)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                time.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(60)
            assert not thread.is_alive()


class ServiceProcess:
    """``bromeliad serve`` as a process of its own."""

    def __init__(self, store, *options, files=None, **environ):
        command = [
            sys.executable,
            "-m",
            "bromeliad",
            "serve",
            "--port",
            "0",
            "--no-open",
            "--store",
            str(store),
            *options,
        ]
        if files is not None:  # the most that it may open
            command = ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh", *command]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | environ
        )
        self.address = self.process.stdout.readline().strip()

    def kill(self):
        """End it as a power cut would; return what it wrote to standard error."""
        self.process.kill()
        return self._end()

    def stop(self):
        """End it as Ctrl-C does; return what it wrote to standard error."""
        self.process.terminate()
        return self._end()

    def _end(self):
        self.rest, errors = self.process.communicate(timeout=90)
        return errors


def start(client, status=201, **options):
    """Start a game."""
    answer = client.post(f"{API}/games", json={"opponents": ["heuristic"], "seed": 7, **options})
    assert answer.status_code == status, answer.text
    return answer.json()


def step(client, game, what, body=None, status=200):
    """Do one thing in a game."""
    answer = client.post(f"{API}/games/{game['id']}/{what}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def sensible(game):
    """Return what the rules of thumb do, which get to fantasyland now and then."""
    you = game["you"]
    assert you["place"] <= len(you["cards"])
    request = {
        "rules": game["rules"],
        "cards": " ".join(you["cards"]),
        "board": you["board"] if any(letter.isalnum() for letter in you["board"]) else "",
        "dead": " ".join(you["discards"]),
        "opponents": [side["board"] for side in game["opponents"] if not side["hidden"]],
        "fantasyland": you["fantasyland"] > 0,
        "objective": "solo",
    }
    action = HeuristicStrategy().decide_placement(view_of(read_request(request)))
    return {row: list(map(str, getattr(action, row))) for row in ("top", "middle", "back", "discards")}


def play_hand(client, game):
    """Play a hand to its end."""
    while not game["hand_over"]:
        game = step(client, game, "place", sensible(game))
    return game
