"""Access to the service, limits on requests, and the language of its answers."""

import json
import socket
from urllib.parse import unquote, urlsplit

import pytest

from bromeliad.cli.main import main
from bromeliad.errors import InputError
from bromeliad.service.guard import accepted_language
from bromeliad.service.settings import Settings, is_loopback
from hostile import HOSTILE, changed, places
from serving import API, LAST_STREET, Client, serving

TOKEN = "a secret of ours"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    store = tmp_path_factory.mktemp("guard") / "store.sqlite"
    with serving(store, max_body=5000, cors=("https://friend.example",)) as address:
        yield address


@pytest.fixture
def client(address):
    with Client(address) as client:
        yield client


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("token") / "store.sqlite", token=TOKEN) as address:
        yield address


def raw(address, text):
    """Send raw bytes; return the status and the body of the answer."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=20) as connection:
        connection.sendall(text)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


class TestHost:
    @pytest.mark.parametrize(
        ("host", "expected"),
        [
            ("127.0.0.1", True),
            ("localhost", True),
            ("::1", True),
            ("127.9.9.9", True),
            ("0.0.0.0", False),
            ("h", False),
        ],
    )
    def test_loopback(self, host, expected):
        assert is_loopback(host) is expected

    def test_elsewhere_needs_a_token(self, capsys):
        with pytest.raises(InputError, match="--token"):
            Settings(host="0.0.0.0")
        assert Settings(host="0.0.0.0", token="x").token == "x"
        assert main(["serve", "--host", "0.0.0.0"]) == 2
        assert capsys.readouterr().err.count("\n") == 1

    def test_a_taken_port_is_told(self, address, capsys):
        assert main(["serve", "--no-open", "--port", str(urlsplit(address).port)]) == 2
        assert "--port" in capsys.readouterr().err

    def test_names_of_other_machines_are_refused(self, client):
        assert client.get(f"{API}/health", headers={"Host": "evil.example"}).status_code == 403
        assert client.get(f"{API}/health", headers={"Host": "localhost:80"}).status_code == 200

    @pytest.mark.parametrize("host", ["[", "[::1", "[x]", "]:80", ""])
    def test_malformed_names_are_refused(self, address, host):
        text = f"GET {API}/health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        status, body = raw(address, text.encode())
        assert status == 403
        assert json.loads(body)["status"] == 403

    def test_a_store_that_cannot_be_opened_is_told_in_a_line(self, capsys):
        assert main(["serve", "--no-open", "--port", "0", "--store", "/proc/nowhere/store.sqlite"]) == 2
        assert "/proc/nowhere" in capsys.readouterr().err.splitlines()[-1]


class TestToken:
    @pytest.mark.parametrize(
        "header", [None, "Bearer wrong", "Bearer", f"Basic {TOKEN}", "Bearer \xff\xfe", f"Bearer {TOKEN}x"]
    )
    def test_is_needed(self, guarded, header):
        headers = {} if header is None else {"Authorization": header.encode("latin-1")}
        with Client(guarded, headers=headers) as client:
            answer = client.get(f"{API}/rules")
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json()["status"] == 401
            assert client.post(f"{API}/jobs", json={}).status_code == 401

    def test_lets_in(self, guarded):
        with Client(guarded, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
            assert client.get(f"{API}/rules").status_code == 200

    @pytest.mark.parametrize("token", [" x", "x ", " "])
    def test_that_could_not_be_sent_is_refused(self, capsys, monkeypatch, token):
        assert main(["serve", "--no-open", "--port", "0", "--token", token]) == 2
        told = capsys.readouterr().err
        assert "token" in told
        assert told.count("\n") == 1
        monkeypatch.setenv("BROMELIAD_TOKEN", token)
        assert main(["serve", "--no-open", "--port", "0"]) == 2
        assert capsys.readouterr().err == told

    def test_health_is_open(self, guarded):
        with Client(guarded) as client:
            assert client.get(f"{API}/health").status_code == 200


class TestOrigins:
    def test_pages_of_other_sites_may_not_ask(self, client):
        body = {"game": "ofc", "request": LAST_STREET}
        answer = client.post(f"{API}/jobs", json=body, headers={"Origin": "https://evil.example"})
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers

    @pytest.mark.parametrize("origin", ["http://[", "null", "//]", ""])
    def test_malformed_ones_may_not(self, client, guarded, origin):
        assert client.post(f"{API}/deal", json={"count": 3}, headers={"Origin": origin}).status_code == 403
        with Client(guarded, headers={"Authorization": f"Bearer {TOKEN}"}) as other:
            assert other.post(f"{API}/deal", json={"count": 3}, headers={"Origin": origin}).status_code == 403

    def test_named_ones_may(self, client):
        headers = {"Origin": "https://friend.example", "Access-Control-Request-Method": "POST"}
        assert client.options(f"{API}/jobs", headers=headers).status_code == 200
        answer = client.get(f"{API}/rules", headers={"Origin": "https://friend.example"})
        assert answer.headers["access-control-allow-origin"] == "https://friend.example"

    def test_the_own_page_may(self, client, address):
        answer = client.post(f"{API}/deal", json={"count": 3}, headers={"Origin": address})
        assert answer.status_code == 200


class TestBodies:
    def test_too_long(self, client):
        answer = client.post(f"{API}/jobs", json={"game": "ofc", "request": {"cards": "x" * 6000}})
        assert answer.status_code == 413
        assert answer.headers["content-type"] == "application/problem+json"

    def test_too_long_in_pieces(self, client):
        pieces = (b"x" * 1000 for _ in range(8))
        assert (
            client.post(f"{API}/jobs", content=pieces, headers={"content-type": "application/json"}).status_code == 413
        )

    def test_too_slow(self, tmp_path):
        head = (
            f"POST {API}/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n"
        )
        with serving(tmp_path / "store.sqlite", body_seconds=0.5) as address:
            status, body = raw(address, f'{head}Connection: close\r\n\r\n{{"game"'.encode())
        assert status == 408
        assert json.loads(body)["status"] == 408

    @pytest.mark.parametrize(
        "body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"game": 1}', b'{"game": "chess"}', b"[" * 4000]
    )
    def test_nonsense(self, client, body):
        answer = client.post(f"{API}/jobs", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"]

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("jobs", {"game": "ofc", "request": {**LAST_STREET, "opponent_model": [2, 1], "seed": 1, "foul_cost": 1}}),
            ("jobs", {"game": "gomoku", "request": {"position": "H8", "size": 15, "simulations": 1}}),
            ("jobs", {"game": "sequence", "request": {"deal": 1, "players": 2, "simulations": 1}}),
            ("games", {"opponents": ["random"], "seed": 1, "hands": 1, "grade_time": 1.0}),
            ("quiz", {"street": 99, "difficulty": "easy", "seed": 1}),
            ("deal", {"count": 3, "dead": "As", "seed": 1}),
            ("reviews", {"lines": "{}", "players": ["x"], "time": 1.0, "seed": 1}),
            ("sequence/games", {"players": 2, "seat": 9, "time": 1.0, "seed": 1}),
            ("gomoku/position", {"position": "H8", "rule": "x", "size": 15}),
        ],
    )
    def test_hostile_values_are_no_fault_of_the_service(self, client, path, body):
        for place in places(body):
            for hostile in HOSTILE:
                content = json.dumps(changed(body, place, hostile))[:4000]
                answer = client.post(f"{API}/{path}", content=content, headers={"content-type": "application/json"})
                assert answer.status_code < 500, content

    def test_of_another_kind(self, client):
        answer = client.post(f"{API}/jobs", content=b'{"game": "ofc"}', headers={"content-type": "text/plain"})
        assert answer.status_code == 422


class TestPaths:
    @pytest.mark.parametrize(
        "path",
        [
            "/../pyproject.toml",
            "/..%2f..%2fetc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "//etc/passwd",
            "/static/../../errors.py",
            "/..\\..\\errors.py",
            f"{API}/rules/..%2f..%2fetc%2fpasswd",
            f"{API}/nothing",
            "/nothing.js",
            "/%00",
        ],
    )
    def test_lead_nowhere(self, address, path):
        status, body = raw(address, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert status == 404
        assert json.loads(body)["status"] == 404

    @pytest.mark.parametrize("text", ["%00", "a%00b", "%1f", "%0a", "a%7f"])
    def test_control_characters_never_reach_the_store(self, client, text):
        asked = [
            client.get(f"{API}/jobs/{text}"),
            client.get(f"{API}/jobs/{text}/events"),
            client.get(f"{API}/games/{text}"),
            client.post(f"{API}/quiz/{text}/answer", json={}),
            client.get(f"{API}/statistics?player={text}"),
            client.get(f"{API}/statistics?rules={text}"),
            client.post(f"{API}/reviews", json={"lines": "x", "players": [unquote(text)]}),
        ]
        assert [answer.status_code for answer in asked] == [422] * len(asked)
        assert {answer.json()["detail"].partition(": ")[2] for answer in asked} == {
            "may not contain control characters"
        }

    def test_a_wrong_method_is_told(self, client):
        answer = client.get(f"{API}/deal")
        assert answer.status_code == 405
        assert answer.json()["status"] == 405

    def test_security_headers_are_everywhere(self, client):
        for path in ("/", f"{API}/health", f"{API}/nothing", f"{API}/openapi.json"):
            headers = client.get(path).headers
            assert "default-src 'self'" in headers["content-security-policy"]
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert "server" not in headers


class TestLanguages:
    @pytest.mark.parametrize(
        ("header", "expected"),
        [
            ("", "en"),
            ("de", "en"),
            ("zh-TW,zh;q=0.9,en;q=0.8", "zh-TW"),
            ("zh-Hant-HK", "zh-TW"),
            ("zh-CN,zh;q=0.9", "zh-CN"),
            ("zh", "zh-CN"),
            ("en;q=0.5,zh-TW;q=0.9", "zh-TW"),
            ("en;q=x,zh-CN", "zh-CN"),
            ("de,en;q=0.5", "en"),
        ],
    )
    def test_of_the_header(self, header, expected):
        assert accepted_language(header) == expected

    def test_problems_are_told_in_each(self, client):
        details = set()
        for language in ("en", "zh-TW", "zh-CN"):
            headers = {"Accept-Language": language}
            wrong = client.post(f"{API}/deal", json={"count": 0}, headers=headers).json()
            missing = client.get(f"{API}/jobs/x", headers=headers).json()
            cards = client.post(f"{API}/jobs", json={"game": "ofc", "request": {"cards": "Xx"}}, headers=headers).json()
            assert wrong["field"] == "count"
            assert cards["field"] == "request.cards"
            details.add((wrong["detail"], missing["detail"], cards["detail"]))
        assert len({text for texts in details for text in texts}) == 9
