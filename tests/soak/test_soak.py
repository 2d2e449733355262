"""Hours of use (``make soak``): memory stays flat, and no kill loses what was acknowledged.

``BROMELIAD_SOAK_MINUTES`` and ``BROMELIAD_SOAK_KILLS`` shorten the runs.
"""

import os
import random
import sqlite3
import threading
import time

import httpx2
import psutil
import pytest

from serving import API, LAST_STREET, STREET_4, Client, ServiceProcess, sensible, start

pytestmark = [pytest.mark.soak, pytest.mark.filterwarnings("ignore::ResourceWarning")]
MINUTES = float(os.environ.get("BROMELIAD_SOAK_MINUTES", "60"))
KILLS = int(os.environ.get("BROMELIAD_SOAK_KILLS", "300"))
CLIENTS = 20
ROOM = 1.02  # memory after the first fifth of the run may grow by two per cent


def use_for(address, seconds, seed, problems):
    """Ask, play and look around as a person would."""
    chance, end = random.Random(seed), time.monotonic() + seconds
    try:
        with Client(address) as client:
            game = start(client, opponents=["random"])
            while time.monotonic() < end:
                match chance.randrange(5):
                    case 0:
                        job = client.wait(client.job({**LAST_STREET, "seed": chance.randrange(50)}))
                        assert job["status"] == "completed"
                    case 1:
                        job = client.job({**STREET_4, "seed": chance.randrange(50)})
                        assert [name for name, _ in client.events(job)][-1] == "done"
                    case 2:
                        if game["hand_over"]:
                            game = client.post(f"{API}/games/{game['id']}/next").json()
                        else:
                            game = client.post(f"{API}/games/{game['id']}/place", json=sensible(game)).json()
                    case 3:
                        assert client.get(f"{API}/jobs").status_code == 200
                    case _:
                        assert client.get(f"{API}/health").json()["status"] == "ok"
    except Exception as error:  # reported by the test
        problems.append(repr(error))


def test_memory_stays_flat_under_twenty_clients(tmp_path):
    service = ServiceProcess(tmp_path / "store.sqlite")
    process, problems, sizes = psutil.Process(service.process.pid), [], []
    seconds = 60 * MINUTES
    threads = [
        threading.Thread(target=use_for, args=(service.address.rstrip("/"), seconds, seed, problems))
        for seed in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(max(1.0, seconds / 100))
        sizes.append(process.memory_info().rss)
    for thread in threads:
        thread.join()
    service.stop()
    assert problems == []
    early, late = max(sizes[: len(sizes) // 5 + 1]), max(sizes[-len(sizes) // 5 :])
    print(f"memory early {early / 1e6:.1f} MB, late {late / 1e6:.1f} MB, {len(sizes)} looks")
    assert late < ROOM * early


def test_kills_lose_nothing(tmp_path):
    """Kill the service again and again while games and answers are under way."""
    store, chance = tmp_path / "store.sqlite", random.Random(1)
    done, placed, game, secret = {}, 0, None, None
    for _ in range(KILLS):
        service = ServiceProcess(store)
        address = service.address.rstrip("/")
        killer = threading.Timer(chance.uniform(0.0, 2.0), service.process.kill)
        try:
            with Client(address, secret) as client:
                secret = client.secret
                for job, answer in list(done.items())[-5:]:
                    assert client.get(f"{API}/jobs/{job}").json()["answer"] == answer
                game = client.get(f"{API}/games/{game['id']}").json() if game else start(client)
                killer.start()
                while True:
                    job = client.wait(client.job({**LAST_STREET, "seed": chance.randrange(10**6)}))
                    done[job["id"]] = job["answer"]
                    step = "next" if game["hand_over"] else "place"
                    body = None if game["hand_over"] else sensible(game)
                    answer = client.post(f"{API}/games/{game['id']}/{step}", json=body)
                    assert answer.status_code == 200, answer.text
                    game = answer.json()
                    placed += 1
        except (httpx2.HTTPError, ValueError):
            killer.cancel()
        service.kill()
        assert sqlite3.connect(store).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    service = ServiceProcess(store)
    with Client(service.address.rstrip("/"), secret) as client:
        for job, answer in done.items():
            assert client.get(f"{API}/jobs/{job}").json()["answer"] == answer
    service.stop()
    print(f"{KILLS} kills, {len(done)} answers and {placed} turns acknowledged, none lost")
