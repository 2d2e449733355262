"""``bromeliad serve`` as a process: its output, and what survives when it is killed."""

import json
import sqlite3

import pytest

from serving import API, LAST_STREET, STREET_1, STREET_4, Client, ServiceProcess


@pytest.fixture
def store(tmp_path):
    return tmp_path / "deep" / "store.sqlite"


def is_quiet(errors):
    """Return whether standard error is empty, except for a hint that the page is not built."""
    return all("make page" in line for line in errors.splitlines())


def test_nothing_is_lost_when_it_is_killed(store):
    service = ServiceProcess(store, "--workers", "1")
    with Client(service.address) as client:
        done = client.wait(client.job(STREET_4))
        running = client.job({**STREET_1, "time": 30, "threads": 1})
        waiting = client.job({**STREET_1, "time": 0.2, "threads": 1, "seed": 5}, keep=True)
        events = client.events(running)
        assert next(data for name, data in events if data["actions"])
        service.kill()
    assert sqlite3.connect(store).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    again = ServiceProcess(store)
    with Client(again.address, client.secret) as client, Client(again.address) as stranger:
        assert client.get(f"{API}/jobs/{done['id']}").json()["answer"] == done["answer"]
        assert client.wait(client.job(STREET_4))["answer"]["stored"]
        jobs = {job["id"]: job["status"] for job in client.get(f"{API}/jobs").json()}
        assert {jobs[running["id"]], jobs[waiting["id"]]} == {"interrupted"}
        assert stranger.get(f"{API}/jobs").json() == []
        assert stranger.get(f"{API}/jobs/{running['id'][:-1]}").status_code == 404
        resumed = client.post(f"{API}/jobs/{waiting['id']}/resume").json()
        assert resumed["id"] == waiting["id"]
        assert client.wait(resumed)["answer"]["actions"]
        assert client.post(f"{API}/jobs/{waiting['id']}/resume").status_code == 409
        assert client.delete(f"{API}/jobs/{running['id']}").json()["status"] == "aborted"
        assert "interrupted" not in {job["status"] for job in client.get(f"{API}/jobs").json()}
    assert is_quiet(again.stop())
    assert again.rest == ""  # one line, the address, and nothing after it


def test_an_ordinary_end_interrupts_too_and_is_told_to_who_listens(store):
    service = ServiceProcess(store)
    with Client(service.address) as client:
        job = client.job({**STREET_1, "time": 30, "threads": 1})
        events = client.events(job)
        assert next(data for _, data in events if data["actions"])
        service.process.terminate()
        assert [data["status"] for name, data in events if name == "done"] == ["interrupted"]
        assert is_quiet(service.stop())
    again = ServiceProcess(store, "--token", "a b")
    try:
        assert again.address.endswith("/?token=a%20b")
        address = again.address.partition("?")[0]
        with Client(address, headers={"Authorization": "Bearer a b"}) as client:
            assert client.get(f"{API}/jobs/{job['id']}").json()["status"] == "interrupted"
            assert json.loads(client.get(f"{API}/openapi.json").text)["openapi"].startswith("3.1")
            assert client.wait(client.job(LAST_STREET))["status"] == "completed"
    finally:
        again.stop()
