"""Sequence over HTTP: games against the agent, hidden cards, and jobs that answer positions."""

import json
import random

import pytest

from bromeliad.core import kernel_cache
from bromeliad.core.budget import Budget
from bromeliad.errors import NotStoredError
from bromeliad.games.sequence.agent import Evaluators
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.notation import card_name
from bromeliad.games.sequence.playable import answer_data
from bromeliad.games.sequence.player import Player
from bromeliad.games.sequence.position import Position, cards_in
from bromeliad.games.sequence.state import hand_at
from bromeliad.games.sequence.table import SequenceTable
from bromeliad.playing.sequence_game import Seating
from bromeliad.service.sequence_games import SequenceGames
from bromeliad.storage import open_store
from serving import API, Client, serving

GAMES = f"{API}/sequence/games"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("sequence") / "store.sqlite", max_time=5) as address:
        yield address


@pytest.fixture
def client(address):
    with Client(address) as client:
        yield client


def start(client, **options):
    answer = client.post(GAMES, json={"opponent": "greedy", "seed": 5, **options})
    assert answer.status_code == 201, answer.text
    return answer.json()


def play(client, game, move, status=200):
    answer = client.post(f"{GAMES}/{game['id']}/play", json={"move": move})
    assert answer.status_code == status, answer.text
    return answer.json()


def hands(game, seed, seat):
    """Return the cards that a seat really holds after the moves of a game."""
    table = SequenceTable(Sequence(game["rules"]), seed)
    for entry in game["log"]:
        table.play(table.game.action_from_string(table.state, entry["move"]))
    return [card_name(card) for card in cards_in(table.state, hand_at(seat))]


class TestGames:
    @pytest.mark.parametrize(
        "options", [{}, {"rules": "official", "seat": 1}, {"players": 4}, {"rules": "official", "players": 3}]
    )
    def test_to_the_end(self, client, options):
        game, dice = start(client, **options), random.Random(1)
        while not game["over"]:
            assert game["mover"] == game["seat"]
            assert game["position"]["hand"] == game["players"][game["seat"]]["known"]
            game = play(client, game, dice.choice(game["moves"]))
        assert game["moves"] == []
        assert game["position"] is None
        assert {entry["seat"] for entry in game["log"]} == {*range(options.get("players", 2))}
        assert play(client, game, "pass", status=409)["detail"] == "the game is over"

    @pytest.mark.parametrize("rules", ["course", "official"])
    def test_hidden_cards_stay_hidden(self, client, rules):
        game, dice = start(client, rules=rules, opponent="mcts", time=0.02), random.Random(2)
        for _ in range(8):
            game = play(client, game, dice.choice(game["moves"]))
            assert "seed" not in game
            held, other = hands(game, 5, 1), game["players"][1]
            assert other["cards"] == len(held)
            hidden = list(held)
            for card in other["known"]:
                assert {"seat": 1, "move": f"+{card}"} in game["log"]  # all players saw that card being taken
                hidden.remove(card)
            own = game["players"][0]["known"]
            told = json.dumps({**game, "players": [], "moves": [], "log": [], "position": None})
            seen = [*own, *game["draft"], *game["discards"]]
            assert [card for card in hidden if card in told and card not in seen] == []
            assert game["position"]["known"] == {"1": other["known"]}

    def test_moves_are_taken_back_with_the_same_cards(self, client):
        first = start(client, opponent="mcts", time=0.02)
        second = play(client, first, first["moves"][3])  # the card to take is chosen next
        third = play(client, second, second["moves"][0])
        assert third["can_undo"]
        for before in (second, first):
            back = client.post(f"{GAMES}/{first['id']}/undo").json()
            assert back == before
        assert client.post(f"{GAMES}/{first['id']}/undo").status_code == 409
        assert client.get(f"{GAMES}/{first['id']}").json() == first

    def test_wrong_requests(self, client):
        game = start(client)
        assert play(client, game, "pass", status=422)["field"] == "move"
        assert play(client, game, "nonsense", status=422)["field"] == "move"
        assert client.get(f"{GAMES}/none").status_code == 404
        for body, field in (
            ({"players": 3}, "players"),
            ({"seat": 2}, "seat"),
            ({"opponent": "human"}, "opponent"),
            ({"rules": "own"}, "rules"),
            ({"time": 60}, "time"),
        ):
            answer = client.post(GAMES, json=body)
            assert answer.status_code == 422
            assert answer.json()["field"] == field


def test_a_game_is_read_from_the_store_again(tmp_path):
    with open_store(tmp_path / "store.sqlite") as store:
        games = SequenceGames(store)
        seating = Seating(rules="course", players=2, seat=1, opponent="greedy", seconds=0.1)
        sitting = games.start(seating, 5)
        for _ in range(3):
            games.play(sitting, lambda: sitting.game.play(sitting.game.view()["moves"][0]))
        games.play(sitting, sitting.game.undo)
        again = SequenceGames(store).find(sitting.game.id).game
        assert (again.view(), again.log, again.seating) == (sitting.game.view(), sitting.game.log, seating)
        with pytest.raises(NotStoredError, match="no game"):
            games.find("none")


class TestJobs:
    def test_the_answer_is_the_agents(self, client):
        game = start(client)
        request = {"rules": "course", "position": game["position"], "simulations": 400, "seed": 3}
        answer = client.wait(client.job(request, game="sequence"))["answer"]
        own = Sequence("course")
        state = Position.from_data(own.rules, game["position"]).to_state(own.new_state())
        found = Player(own, seed=3).think(state, Budget(simulations=400))
        about = {"game": "sequence", "stored": False, "program": kernel_cache.program()}
        expected = about | answer_data(own, state, found, Evaluators())
        own_time = {"elapsed_s": 0, "seconds": 0, "caches": None}  # the service keeps one cache for all jobs
        assert {**answer, **own_time} == {**expected, **own_time}
        assert client.wait(client.job(request, game="sequence"))["answer"] == {**answer, "stored": True}
        again = client.wait(client.job(request, game="sequence", deeper=True))["answer"]
        assert again["caches"]["states"]["hits"] > answer["caches"]["states"]["hits"]
        assert answer["best"] in game["moves"]

    def test_candidates_come_live(self, tmp_path):
        with serving(tmp_path / "store.sqlite") as address, Client(address) as client:
            game = start(client)
            job = client.job({"position": game["position"], "time": 55.0}, game="sequence")
            shown = next(data["actions"] for name, data in client.events(job) if name == "progress" and data["actions"])
            client.delete(f"{API}/jobs/{job['id']}")
        assert {item["move"] for item in shown} <= {*game["moves"]}
        assert all(-1 <= item["value"] <= 1 for item in shown if item["visits"])

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"players": 3}, "request.players"),
            ({"time": 60}, "request.time"),
            ({"time": 1, "simulations": 5}, "request.simulations"),
            ({"position": {"hand": ["7c"] * 3}}, "request.position"),
            ({"position": {"known": {"9": ["7c"]}}}, "request.position"),
            ({"position": {"hand": ["Zz"]}}, "request.position"),
            ({"position": {"board": ["_" * 10]}}, "request.position"),
        ],
    )
    def test_what_cannot_be_is_refused_at_once(self, client, change, field):
        position = start(client)["position"]
        request = {"position": {**position, **change.pop("position", {})}, **change}
        assert client.job(request, game="sequence", status=422)["field"].startswith(field)
