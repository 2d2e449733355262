"""Played hands, their reviews and statistics over HTTP: the same as on the command line."""

import json

import pytest

from bromeliad.cli.main import main
from bromeliad.storage import open_store
from played_hands import plain_text, played_hands
from serving import API, Client, play_hand, serving, start, step


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Yield the address of a service with a game of two hands, the game, and the store's path."""
    store = tmp_path_factory.mktemp("history") / "store.sqlite"
    with serving(store) as address, Client(address) as client:
        game = play_hand(client, start(client, seed=29, opponents=["random"]))
        game = play_hand(client, step(client, game, "next"))
        yield address, game, store


@pytest.fixture
def client(played):
    with Client(played[0]) as client:
        yield client


def printed(capsys, *arguments):
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_hands_are_listed_newest_first(client, played):
    listed = client.get(f"{API}/hands").json()
    assert [hand["number"] for hand in listed] == [2, 1]
    sheet = played[1]["score_sheet"]
    for hand, row in zip(listed, sheet[::-1], strict=True):
        points = {seat["player"]: seat["points"] for seat in hand["seats"]}
        assert [points["you"], points["random"]] == row["points"]
    lines = client.get(f"{API}/games/{played[1]['id']}/history").text.splitlines()
    assert client.get(f"{API}/hands/{listed[0]['id']}").json() == json.loads(lines[1])
    assert [hand["number"] for hand in client.get(f"{API}/hands?limit=1&offset=1").json()] == [1]
    assert client.get(f"{API}/hands/99999").status_code == 404
    assert client.get(f"{API}/hands", params={"player": "you", "rules": "pineapple"}).json() == listed
    for query in ({"player": "nobody"}, {"rules": "deuce"}):
        assert client.get(f"{API}/hands", params=query).json() == []


def test_a_hand_gets_a_star_and_a_note(client, played):
    hand = client.get(f"{API}/hands").json()[1]
    assert (hand["starred"], hand["note"]) == (False, "")
    assert client.patch(f"{API}/hands/{hand['id']}", json={"starred": True, "note": "too early"}).status_code == 204
    (starred,) = client.get(f"{API}/hands", params={"starred": True}).json()
    assert starred == hand | {"starred": True, "note": "too early"}
    assert client.patch(f"{API}/hands/{hand['id']}", json={"starred": False, "note": ""}).status_code == 204
    assert client.get(f"{API}/hands", params={"starred": True}).json() == []
    assert client.patch(f"{API}/hands/99999", json={"starred": True}).status_code == 404
    assert client.patch(f"{API}/hands/{hand['id']}", json={"colour": "red"}).status_code == 422


def test_statistics_are_those_of_the_report(client, played, capsys):
    told = client.get(f"{API}/statistics").json()
    assert told | {"source": ""} == printed(capsys, "report", "--store", played[2]) | {"source": ""}
    one = client.get(f"{API}/statistics", params={"player": "you", "rules": "pineapple"}).json()
    assert [player["player"] for player in one["players"]] == ["you"]
    for query in ({"player": "nobody"}, {"rules": "deuce"}):
        assert client.get(f"{API}/statistics", params=query).status_code == 404


def test_a_review_is_that_of_the_command(client, played, capsys, tmp_path):
    hand = client.get(f"{API}/hands").json()[0]  # you are in fantasyland: there is only one decision to judge
    line = json.dumps(client.get(f"{API}/hands/{hand['id']}").json(), ensure_ascii=False)
    effort = {"simulations": 60, "threads": 1, "players": ["you"]}
    answer = client.post(f"{API}/reviews", json={"lines": line, **effort})
    assert answer.status_code == 201
    events = list(client.events(answer.json()))
    assert [name for name, _ in events][-1] == "done"
    review = events[-1][1]["answer"]
    file = tmp_path / "hand.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    direct = printed(capsys, "review", file, "--simulations", 60, "--threads", 1, "--player", "you")
    assert review | {"source": ""} == direct | {"source": ""}
    assert review["reviewed"] == 1
    stored = client.wait(client.post(f"{API}/reviews", json={"hand_id": hand["id"], **effort}).json())["answer"]
    assert [item["ev_loss"] for item in stored["mistakes"]] == [item["ev_loss"] for item in review["mistakes"]]
    losses = client.get(f"{API}/statistics").json()["ev_losses"]
    assert {item["player"] for item in losses} == {"you"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "lines"),
        ({"lines": "x", "hand_id": 1}, "lines"),
        ({"lines": "nonsense"}, "lines"),
        ({"lines": "x", "time": 5000}, "time"),
        ({"lines": "x", "time": 1, "simulations": 1}, "simulations"),
        ({"hand_id": 0}, "hand_id"),
    ],
)
def test_wrong_reviews(client, body, field):
    answer = client.post(f"{API}/reviews", json=body)
    assert answer.status_code == 422
    assert answer.json()["field"] == field


def test_a_review_of_a_stored_hand_refuses_unknown_players(client, played):
    hand = client.get(f"{API}/hands").json()[0]
    request = {"hand_id": hand["id"], "players": ["nobody"]}
    job = client.wait(client.post(f"{API}/reviews", json=request).json())
    assert job["status"] == "aborted"
    assert job["error"]["field"] == "players"
    assert job["error"]["detail"].startswith("there is no player nobody")
    with open_store(played[2]) as store:
        assert store.jobs.get(job["id"]).error == job["error"]["detail"]


def test_an_empty_store_has_no_statistics(tmp_path):
    with serving(tmp_path / "store.sqlite") as address, Client(address) as client:
        for query in ({}, {"player": "you"}, {"rules": "pineapple", "player": "you"}):
            answer = client.get(f"{API}/statistics", params=query)
            assert answer.status_code == 404
            assert "store.sqlite" not in answer.text  # its path is private
        assert client.get(f"{API}/hands").json() == []
        refused = client.post(f"{API}/reviews", json={"hand_id": 1})
        assert refused.status_code == 422
        assert refused.json()["field"] == "hand_id"
        assert client.get(f"{API}/jobs").json() == []


def test_a_hand_in_plain_text_becomes_the_history_that_the_command_prints(client, tmp_path, capsys):
    ((record, _),) = played_hands(1, seed=4)
    written = tmp_path / "hand.txt"
    written.write_text(plain_text(record))
    answer = client.post(f"{API}/hands/text", json={"text": written.read_text()})
    assert answer.json() == {"lines": record.to_line() + "\n"}
    capsys.readouterr()
    assert main(["hands", "convert", str(written)]) == 0
    assert capsys.readouterr().out == answer.json()["lines"]
    refused = client.post(f"{API}/hands/text", json={"text": "deal: As Kd"})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("line 1: ")
    written.write_text("deal: As Kd")
    assert main(["hands", "convert", str(written)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
