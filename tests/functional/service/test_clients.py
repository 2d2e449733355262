"""Clients: secrets instead of made-up names, limits by address, and no access to the jobs of others."""

import httpx2
import pytest

from bromeliad.cli.main import main
from bromeliad.service.clients import usual_address
from serving import API, LAST_STREET, STREET_1, Client, serving

SLOW = {"game": "ofc", "request": {**STREET_1, "time": 50, "threads": 1}}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    store = tmp_path_factory.mktemp("clients") / "store.sqlite"
    options = {"workers": 1, "max_queue_of_address": 5, "max_kept_of_address": 3, "unasked_seconds": 600.0}
    with serving(store, **options) as address:
        yield address


@pytest.fixture
def ended(address):
    """Return the ids of jobs to cancel at the end."""
    ids = []
    yield ids
    with httpx2.Client(base_url=address, timeout=60) as client:
        for job in ids:
            client.delete(f"{API}/jobs/{job}")


def test_an_invented_name_is_refused(address):
    for name in ("me", "a.b", "", "x" * 90, "ä".encode()):
        answer = httpx2.post(f"{address}{API}/jobs", json=SLOW, headers={"X-Client": name})
        assert answer.status_code == 422
        assert answer.json()["field"] == "X-Client"
        assert "/clients" in answer.json()["detail"]


def test_a_secret_stays_the_same(address):
    with Client(address) as client, Client(address, client.secret) as again, Client(address) as other:
        assert again.secret == client.secret != other.secret
        half = client.secret.partition(".")[2]
        forged = f"{other.secret.partition('.')[0]}.{half}"
        assert client.get(f"{API}/jobs", headers={"X-Client": forged}).status_code == 422


def test_lists_are_those_of_the_client(address, ended):
    with Client(address) as client, Client(address) as other:
        job = client.wait(client.job(LAST_STREET))
        assert [found["id"] for found in client.get(f"{API}/jobs").json()] == [job["id"]]
        assert other.get(f"{API}/jobs").json() == []
        del other.headers["X-Client"]
        assert other.get(f"{API}/jobs").json() == []


def test_many_names_at_one_address_share_its_places(address, ended):
    statuses = []
    for _ in range(12):
        with Client(address) as client:
            answer = client.post(f"{API}/jobs", json=SLOW)
            statuses.append(answer.status_code)
            if answer.status_code == 201:
                ended.append(answer.json()["id"])
    assert statuses.count(429) >= 6
    assert httpx2.get(f"{address}{API}/health").status_code == 200


def test_jobs_that_go_on_alone_are_few(address, ended):
    with Client(address) as client:
        for status in (201, 201, 201, 429):
            answer = client.post(f"{API}/jobs", json={**SLOW, "keep": True})
            assert answer.status_code == status
            ended += [answer.json()["id"]] if status == 201 else []
        assert "keep" in answer.json()["detail"]


@pytest.mark.parametrize(("proxies", "second"), [(("127.0.0.1",), 201), ((), 429)])
def test_a_forwarded_address_counts_only_from_a_named_proxy(tmp_path, proxies, second):
    options = {"workers": 1, "max_queue_of_address": 1, "unasked_seconds": 600.0, "proxies": proxies}
    with serving(tmp_path / "store.sqlite", **options) as address, Client(address) as client:
        statuses = []
        for place in ("192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"):
            answer = client.post(f"{API}/jobs", json=SLOW, headers={"X-Forwarded-For": place})
            if not statuses:  # the only worker takes the first job; the later ones need places in the queue
                assert next(data for _, data in client.events(answer.json()) if data["status"] == "running")
            statuses.append(answer.status_code)
        for job in client.get(f"{API}/jobs").json():
            client.delete(f"{API}/jobs/{job['id']}")
    assert statuses == [201, 201, 429, second]


def test_a_proxy_is_an_address(capsys):
    assert main(["serve", "--no-open", "--port", "0", "--proxy", "my proxy"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::1", "::1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("testclient", "testclient"),
    ],
)
def test_what_limits_count_by(host, counted):
    assert usual_address(host) == counted
