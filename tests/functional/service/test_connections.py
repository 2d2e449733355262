"""Clients that send nothing or too little, or do not read answers: the service still serves the others."""

import logging
import os
import socket
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import pytest

from bromeliad.service.connections import Sparing
from serving import API, STREET_1, Client, ServiceProcess, serving

HALF = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n"
WHOLE = HALF + b"\r\n"
IDLE = 1100
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # clients that were cut off


def connect(address):
    place = urlsplit(address)
    return socket.create_connection((place.hostname, place.port), timeout=60)


def rest_of(connection):
    """Return everything that the service sends until the connection ends."""
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
    except ConnectionError:
        pass
    return found


@pytest.mark.skipif(os.name != "posix", reason="limits of open files are those of POSIX")
def test_a_thousand_idle_connections_stop_nobody(tmp_path):
    service = ServiceProcess(tmp_path / "store.sqlite", files=1024)
    with ExitStack() as stack:
        for number in range(IDLE):
            connection = stack.enter_context(connect(service.address))
            if number % 2:
                connection.sendall(HALF)
        began = time.monotonic()
        answer = httpx2.get(f"{service.address}{API.removeprefix('/')}/health", timeout=60)
        assert answer.json()["status"] == "ok"
        assert time.monotonic() - began < 10
    assert len(service.stop().splitlines()) < 50


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    store = tmp_path_factory.mktemp("hurried") / "store.sqlite"
    with serving(store, header_seconds=0.5, body_seconds=0.5, write_seconds=0.5) as address:
        yield address


class TestTime:
    def test_half_a_request_is_answered_with_408_and_closed(self, address):
        with connect(address) as connection:
            connection.sendall(HALF)
            answer = rest_of(connection)
        assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert b"application/problem+json" in answer

    def test_silence_is_closed(self, address):
        with connect(address) as connection:
            assert rest_of(connection) == b""

    def test_a_letter_at_a_time_does_not_help(self, address):
        with connect(address) as connection:
            connection.settimeout(0.05)
            end = time.monotonic() + 60
            for letter in HALF * 1000:
                try:
                    connection.sendall(bytes([letter]))
                    if connection.recv(4096).startswith(b"HTTP/1.1 408"):
                        break
                except TimeoutError:
                    assert time.monotonic() < end
                except ConnectionError:
                    break

    def test_the_second_request_of_a_connection_has_a_deadline_too(self, address):
        with connect(address) as connection:
            connection.sendall(WHOLE + HALF)
            assert rest_of(connection).startswith(b"HTTP/1.1 200")

    def test_a_body_that_nobody_reads_does_not_keep_a_connection(self, address):
        with connect(address) as connection:
            connection.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n" + b"x")
            assert rest_of(connection).startswith(b"HTTP/1.1 4")

    def test_a_slow_body_is_answered_with_408_and_closed(self, address):
        head = f"POST {API}/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50"
        with connect(address) as connection:
            connection.sendall(f'{head}\r\n\r\n{{"game"'.encode())
            answer = rest_of(connection)
        assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        assert b"connection: close" in answer

    def test_who_does_not_listen_is_dropped(self, address):
        ask = f"GET {API}/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        place = urlsplit(address)
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect((place.hostname, place.port))
            connection.settimeout(60)
            with pytest.raises(ConnectionError):
                connection.sendall(ask * 100_000)

    def test_a_patient_client_is_served(self, address):
        with connect(address) as connection:
            connection.sendall(HALF)
            connection.sendall(b"Connection: close\r\n\r\n")
            assert rest_of(connection).startswith(b"HTTP/1.1 200")


class TestNumbers:
    def test_the_longest_idle_connection_makes_room(self, tmp_path):
        with serving(tmp_path / "store.sqlite", max_connections_of_address=3) as address, ExitStack() as stack:
            idle = [stack.enter_context(connect(address)) for _ in range(3)]
            time.sleep(0.2)  # they are all accepted
            assert httpx2.get(f"{address}{API}/health").status_code == 200
            assert rest_of(idle[0]) == b""
            idle[2].sendall(HALF + b"Connection: close\r\n\r\n")
            assert rest_of(idle[2]).startswith(b"HTTP/1.1 200")

    def test_busy_connections_do_not(self, tmp_path):
        with serving(tmp_path / "store.sqlite", max_connections=2, workers=1) as address, Client(address) as client:
            job = client.job({**STREET_1, "time": 50, "threads": 1})
            with ExitStack() as stack:
                watching = [
                    stack.enter_context(client.stream("GET", f"{API}/jobs/{job['id']}/events")) for _ in range(2)
                ]
                assert {answer.status_code for answer in watching} == {200}
                with connect(address) as connection:
                    assert rest_of(connection).startswith(b"HTTP/1.1 503 ")
            assert client.delete(f"{API}/jobs/{job['id']}").status_code == 200

    def test_event_streams_are_counted(self, tmp_path):
        with (
            serving(tmp_path / "store.sqlite", max_streams_of_client=2, max_streams=3, workers=1) as address,
            Client(address) as client,
            Client(address) as other,
        ):
            job = client.job({**STREET_1, "time": 50, "threads": 1})
            path = f"{API}/jobs/{job['id']}/events"
            with ExitStack() as stack:
                for asking in (client, client, other):
                    assert stack.enter_context(asking.stream("GET", path)).status_code == 200
                assert client.get(path).status_code == 429
                assert other.get(path).status_code == 503
                assert other.get(f"{API}/health").status_code == 200
            client.delete(f"{API}/jobs/{job['id']}")
            client.wait(job)
            assert client.get(path).status_code == 200


class TestLog:
    def test_lines_of_one_kind_are_few(self, caplog):
        logger = logging.getLogger("bromeliad.service.test")
        logger.addFilter(Sparing(most=3))
        for number in range(100):
            logger.warning("attack %d\nfrom somewhere", number)
        logger.warning("something else")
        assert len(caplog.records) == 4
        assert "left out" in caplog.messages[2]

    def test_they_come_again_later(self, caplog):
        logger = logging.getLogger("bromeliad.service.test2")
        logger.addFilter(Sparing(most=1, seconds=0.0))
        for _ in range(3):
            time.sleep(0.001)
            logger.warning("attack")
        assert len(caplog.records) == 3

    def test_nonsense_does_not_fill_the_log(self, tmp_path):
        service = ServiceProcess(tmp_path / "store.sqlite")
        for _ in range(100):
            with connect(service.address) as connection:
                connection.sendall(b"\x00\x01\x02\r\n\r\n")
                assert rest_of(connection).startswith(b"HTTP/1.1 400")
        assert len(service.stop().splitlines()) < 20


def test_a_body_of_two_lengths_is_refused(tmp_path):
    head = f"POST {API}/deal HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    body = "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /secret HTTP/1.1\r\n\r\n"
    with serving(tmp_path / "store.sqlite") as address, connect(address) as connection:
        connection.sendall((head + body).encode())
        answer = rest_of(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1
