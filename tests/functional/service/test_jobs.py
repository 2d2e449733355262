"""Jobs over HTTP: their answers, progress and ends, the order of the queue, and the limits of requests."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from bromeliad.bench.serve import Client as SmallClient
from bromeliad.service.routes import jobs
from bromeliad.solving.request import read_request
from bromeliad.solving.solve import solve
from serving import API, LAST_STREET, STREET_1, STREET_4, Client, serving

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

PATIENT = {"away_seconds": 600.0, "unasked_seconds": 600.0}  # a busy machine may delay the client's requests


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    store = tmp_path_factory.mktemp("jobs") / "store.sqlite"
    with serving(store, workers=1, max_queue_of_client=4, **PATIENT) as address:
        yield address


@pytest.fixture
def client(address, request):
    with Client(address) as client:
        yield client
        for job in client.get(f"{API}/jobs").json():  # the next test starts without jobs, even if this one failed
            if job["status"] in ("queued", "running"):
                client.delete(f"{API}/jobs/{job['id']}")
                client.wait(job)


@pytest.fixture
def impatient(tmp_path):
    """Return a function that opens a service with other limits on its patience."""

    @contextmanager
    def opened(**patience):
        with (
            serving(tmp_path / "store.sqlite", workers=1, **{**PATIENT, **patience}) as address,
            Client(address) as client,
        ):
            yield client

    return opened


def slow(client, seconds=55.0, **options):
    """Start a job that takes a while."""
    return client.job({**STREET_1, "time": seconds, "threads": 1}, **options)


class TestAnswers:
    def test_are_what_the_solver_says(self, client):
        job = client.wait(client.job(LAST_STREET))
        direct = solve(read_request(LAST_STREET)).model_dump(mode="json")
        assert job["status"] == "completed"
        assert job["progress"] == 1.0
        assert {**job["answer"], "elapsed_s": 0} == {**direct, "elapsed_s": 0}

    def test_come_from_the_store_the_second_time(self, client):
        first = client.wait(client.job(STREET_4))
        other_suits = {name: text.translate(str.maketrans("cdhs", "dchs")) for name, text in STREET_4.items()}
        again, turned = client.wait(client.job(STREET_4)), client.wait(client.job(other_suits))
        assert not first["answer"]["stored"]
        assert again["answer"]["stored"]
        assert again["answer"]["actions"] == first["answer"]["actions"]
        assert turned["answer"]["stored"]
        assert turned["answer"]["value"] == first["answer"]["value"]

    def test_that_are_exact_and_known_come_with_the_job(self, client):
        request = {**STREET_4, "top": 3}
        for _ in range(2):  # solves, then reads from the store
            answer = client.wait(client.job(request))["answer"]
        job = client.job(request)
        assert (job["status"], job["progress"], job["queue_position"]) == ("completed", 1.0, None)
        assert job["answer"] == answer
        assert job["answer"]["stored"]
        assert client.get(f"{API}/jobs/{job['id']}").json() == job
        assert client.get(f"{API}/jobs").json()[0]["id"] == job["id"]
        assert [name for name, _ in client.events(job)] == ["done"]
        other = client.wait(client.job({**request, "foul_cost": 1.25}))  # another question, which is solved
        assert not other["answer"]["stored"]

    def test_that_were_known_survive_a_restart(self, tmp_path):
        store = tmp_path / "store.sqlite"
        with serving(store, **PATIENT) as address, Client(address) as client:
            for _ in range(2):
                client.wait(client.job(STREET_4))
            with ThreadPoolExecutor(8) as pool:
                jobs = list(pool.map(lambda number: client.job(STREET_4), range(40)))
            assert {job["status"] for job in jobs} == {"completed"}
        with serving(store, **PATIENT) as address, Client(address) as client:
            for job in jobs:
                assert client.get(f"{API}/jobs/{job['id']}").json()["answer"] == job["answer"]

    def test_that_were_sampled_are_asked_of_the_store(self, client):
        request = {**STREET_1, "simulations": 300, "threads": 1, "seed": 3}
        for _ in range(2):
            client.wait(client.job(request))
        job = client.job(request)
        assert job["status"] != "completed"  # somebody may have stored a deeper one
        assert client.wait(job)["answer"]["stored"]

    def test_are_streamed_on_the_way(self, client):
        job, events, reports = slow(client), [], []
        for name, data in client.events(job):
            events.append((name, data))
            reports += [data] if name == "progress" and data["actions"] else []
            if len(reports) == 2:
                client.delete(f"{API}/jobs/{job['id']}")  # two reports are enough
        assert events[-1][0] == "done"
        assert events[-1][1]["answer"]["actions"]
        assert len(reports) >= 2
        assert all(action["stderr"] is None or action["stderr"] > 0 for action in reports[-1]["actions"])
        fractions = [data["fraction"] for name, data in events if name == "progress"]
        assert fractions == sorted(fractions)
        assert reports[-1]["simulations_per_s"] > 0

    def test_are_the_end_of_a_stream(self, client):
        name, job = list(client.events(client.job({**STREET_1, "simulations": 300, "threads": 1})))[-1]
        assert (name, job["status"]) == ("done", "completed")
        assert job["answer"]["actions"]

    def test_are_fetched_by_the_small_client_too(self, client):
        with SmallClient(str(client.base_url)) as small:
            assert small.ask(LAST_STREET)["value"] == solve(read_request(LAST_STREET)).value
            with pytest.raises(RuntimeError, match="422"):
                small.ask({"cards": "Zz"})

    def test_a_late_stream_begins_with_the_end(self, client):
        job = client.wait(client.job(LAST_STREET))
        assert [name for name, _ in client.events(job)] == ["done"]

    def test_gomoku(self, client):
        job = client.job({"position": "H8I9H9H10G8", "simulations": 200}, game="gomoku")
        answer = client.wait(job)["answer"]
        assert answer["game"] == "gomoku"
        assert answer["best"] in {entry["cell"] for entry in answer["candidates"]}
        won = client.wait(client.job({"position": "H8A1I8B1J8C1", "time": 20}, game="gomoku"))["answer"]
        assert won["proved"]
        assert won["value"] == 1.0

    def test_the_same_gomoku_question_is_answered_from_the_store(self, client):
        request = {"position": "H8I9H9H10G7", "simulations": 50}
        first = client.wait(client.job(request, game="gomoku"))["answer"]
        again = client.wait(client.job(request, game="gomoku"))["answer"]
        assert not first["stored"]
        assert again == {**first, "stored": True}
        assert not client.wait(client.job(request, game="gomoku", deeper=True))["answer"]["stored"]
        assert not client.wait(client.job({**request, "seed": 2}, game="gomoku"))["answer"]["stored"]

    def test_a_wrong_gomoku_position_fails_with_a_problem(self, client):
        assert client.job({"position": "H8H8"}, game="gomoku", status=422)["field"] == "request.position"
        job = client.job({"position": "A1A2B1B2C1C2D1D2E1"}, game="gomoku")
        events = dict(client.events(job))
        assert events["failed"]["status"] == 422
        assert client.wait(job)["error"]["detail"] == events["failed"]["detail"]


class TestEnds:
    def test_cancelled_with_the_best_so_far(self, client, monkeypatch):
        monkeypatch.setattr(jobs, "_ENDING", 120.0)  # the answer has the job's end, however busy the machine is
        job = slow(client)
        for name, data in client.events(job):
            if name == "progress" and data["actions"]:
                break
        ended = client.delete(f"{API}/jobs/{job['id']}").json()
        assert ended["status"] == "aborted"
        assert ended["reason"] == "cancelled"
        assert ended["answer"]["stop_reason"] == "cancelled"
        assert client.delete(f"{API}/jobs/{job['id']}").json() == ended

    def test_a_waiting_job_is_cancelled_at_once(self, client):
        running, waiting = slow(client), slow(client)
        assert waiting["queue_position"]
        assert client.delete(f"{API}/jobs/{waiting['id']}").json()["status"] == "aborted"
        client.delete(f"{API}/jobs/{running['id']}")

    def test_a_client_that_closes_its_stream_leaves_no_job(self, impatient):
        with impatient(away_seconds=0.5) as client:
            job = slow(client)
            for _ in client.events(job):
                break
            wait_idle(client)
            assert client.wait(job)["reason"] == "client gone"  # and not because its time was over

    def test_a_job_that_nobody_asks_for_ends(self, impatient):
        with impatient(unasked_seconds=1.0) as client:
            job = slow(client)
            wait_idle(client)
            assert client.wait(job)["reason"] == "client gone"

    def test_a_job_to_keep_goes_on(self, impatient):
        with impatient(away_seconds=0.5, unasked_seconds=0.5) as client:
            job = slow(client, seconds=3.0, keep=True)
            for _ in client.events(job):
                break
            wait_idle(client)
            assert client.wait(job)["status"] == "completed"

    def test_there_is_no_such_job(self, client):
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/events"), ("POST", "/resume")):
            answer = client.request(method, f"{API}/jobs/nothing{path}")
            assert answer.status_code == 404
            assert answer.headers["content-type"] == "application/problem+json"

    def test_only_interrupted_jobs_can_be_resumed(self, client):
        job = client.wait(client.job(LAST_STREET))
        assert client.post(f"{API}/jobs/{job['id']}/resume").status_code == 409


def wait_idle(client, seconds=180):
    """Wait until no job is running or queued."""
    end = time.monotonic() + seconds
    while client.get(f"{API}/health").json()["jobs"] != {"running": 0, "queued": 0}:
        assert time.monotonic() < end, "still busy"
        time.sleep(0.05)


def wait_running(client, jobs, seconds=180):
    """Wait until one of these jobs is running, and return it."""
    end = time.monotonic() + seconds
    while True:
        for job in jobs:
            if client.get(f"{API}/jobs/{job['id']}").json()["status"] == "running":
                return job
        assert time.monotonic() < end, "nothing runs"
        time.sleep(0.02)


class TestQueue:
    def test_serves_clients_in_turn(self, address):
        """Every job runs until it is cancelled, so the order does not depend on how long jobs take."""
        with Client(address) as first, Client(address) as busy, Client(address) as late:
            running = wait_running(first, [slow(first)])
            waiting = {job["id"]: job for job in (slow(busy), slow(busy), slow(busy), slow(late))}
            names = dict(zip(waiting, ("busy", "busy", "busy", "late"), strict=True))
            order = []
            while waiting:
                first.delete(f"{API}/jobs/{running['id']}")
                running = wait_running(first, waiting.values())
                del waiting[running["id"]]
                order.append(names[running["id"]])
            first.delete(f"{API}/jobs/{running['id']}")
            first.wait(running)
        assert order == ["busy", "late", "busy", "busy"]

    def test_refuses_what_is_too_much(self, client):
        jobs = [slow(client)]
        assert next(data for _, data in client.events(jobs[0]) if data["status"] == "running")
        jobs += [slow(client) for _ in range(4)]
        refused = client.post(f"{API}/jobs", json={"game": "ofc", "request": LAST_STREET})
        assert refused.status_code == 429
        assert refused.json()["detail"]
        assert client.post(f"{API}/games", json={}).status_code == 429
        assert client.post(f"{API}/quiz", json={"street": 5}).status_code == 429
        assert client.get(f"{API}/statistics").status_code == 429
        listed = {job["id"] for job in client.get(f"{API}/jobs").json()}
        assert listed >= {job["id"] for job in jobs}
        for job in jobs[::-1]:
            client.delete(f"{API}/jobs/{job['id']}")


class TestLimits:
    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"time": 61}, "request.time"),
            ({"memory": 300}, "request.memory"),
            ({"threads": 200}, "request.threads"),
            ({"rules": "/etc/passwd"}, "request.rules"),
            ({"rules": "no/such.yaml"}, "request.rules"),
            ({"cards": "Kc 9d Xx"}, "request.cards"),
            ({"cards": "Kc 9d Qd"}, "request.cards"),
            ({"dead": "Zz"}, "request.dead"),
            ({"opponents": ["As / - / -"], "objective": "solo"}, "request.opponents.0"),
            ({"cards": "Kc 9d"}, "request"),
            ({"seed": -1}, "request.seed"),
            ({"unknown": 1}, "request.unknown"),
            ({"time": 1, "simulations": 5}, "request"),
        ],
    )
    def test_name_the_field(self, client, changes, field):
        problem = client.job({**LAST_STREET, **changes}, status=422)
        assert problem["field"] == field
        assert problem["status"] == 422
        assert problem["detail"]

    def test_a_search_by_simulations_ends_with_the_time_limit(self, tmp_path):
        with serving(tmp_path / "store.sqlite", max_time=1.0) as address, Client(address) as client:
            job = client.wait(client.job({**STREET_1, "simulations": 2**31 - 1, "threads": 1}))
            assert job["status"] == "completed"
            assert job["reason"] == "time limit"
            assert job["answer"]["actions"]
