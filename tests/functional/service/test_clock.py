"""The machine's clock jumps by years, also backwards: jobs, games and runs are not lost."""

import time
from datetime import datetime, timedelta

import pytest

from bromeliad.cluster.checkpoint import find_run
from bromeliad.core import domain
from serving import API, STREET_1, STREET_4, Client, play_hand, serving, start, step

YEAR = timedelta(days=366)
SHIFTS = [YEAR, -YEAR, timedelta(seconds=-1), 3 * YEAR, timedelta(0)]


@pytest.fixture
def clock(monkeypatch):
    """Return the clock's error as a dictionary, which tests change."""
    error = {"by": timedelta(0)}
    usual = time.time

    class Shifted(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + error["by"]

    monkeypatch.setattr(domain, "datetime", Shifted)
    monkeypatch.setattr(time, "time", lambda: usual() + error["by"].total_seconds())
    return error


def test_jobs_and_games_go_on(clock, tmp_path):
    with serving(tmp_path / "store.sqlite", workers=1) as address, Client(address) as client:
        game = start(client, hands=len(SHIFTS))
        for number, shift in enumerate(SHIFTS, start=1):
            clock["by"] = shift
            job = client.wait(client.job({**STREET_1, "simulations": 200, "threads": 1, "seed": number}))
            assert job["status"] == "completed"
            assert 0.0 <= job["elapsed_s"] < 100.0
            running = client.job({**STREET_1, "time": 50, "threads": 1, "seed": number, "early_stop": False})
            clock["by"] = -shift  # while it runs
            ended = client.delete(f"{API}/jobs/{running['id']}").json()
            assert ended["status"] == "aborted"
            assert client.get(f"{API}/health").json()["uptime_s"] >= 0.0
            game = play_hand(client, game)
            if number < len(SHIFTS):
                game = step(client, game, "next")
        assert [row["hand"] for row in game["score_sheet"]] == list(range(1, len(SHIFTS) + 1))
        assert len(client.get(f"{API}/hands").json()) == len(SHIFTS)


@pytest.mark.parametrize("shift", SHIFTS)
def test_a_restart_after_a_jump_loses_nothing(clock, tmp_path, shift):
    store = tmp_path / "store.sqlite"
    with serving(store, workers=1) as address, Client(address) as client:
        done = client.wait(client.job(STREET_4))
        game = start(client)
        open_job = client.job({**STREET_1, "time": 50, "threads": 1, "early_stop": False}, keep=True)
    clock["by"] = shift
    with serving(store, workers=1) as address, Client(address, client.secret) as again:
        assert again.secret == client.secret
        assert again.wait(again.job(STREET_4))["answer"]["best"] == done["answer"]["best"]
        assert again.get(f"{API}/jobs/{open_job['id']}").json()["status"] == "interrupted"
        assert again.delete(f"{API}/jobs/{open_job['id']}").json()["status"] == "aborted"
        assert again.get(f"{API}/games/{game['id']}").json()["you"] == game["you"]


@pytest.mark.parametrize("shift", [-YEAR, timedelta(hours=-1), timedelta(days=20)])
def test_runs_are_found_again(clock, shift):
    with find_run("match", {"seed": 1}).writing() as run:
        run.add("deck 0", "1")
    clock["by"] = shift
    assert len(find_run("match", {"seed": 1})) == 1
