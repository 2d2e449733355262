"""A store that cannot be written, such as on a full disk: memory is never ahead of it."""

import pytest

from bromeliad.errors import BromeliadError, StoreError
from bromeliad.games.ofc.play.strategies import HeuristicStrategy
from bromeliad.playing.sequence_game import Seating
from bromeliad.service.games import GameOptions, Games
from bromeliad.service.jobs.archive import _message
from bromeliad.service.problems import problem_of
from bromeliad.service.sequence_games import SequenceGames
from bromeliad.storage import open_store
from bromeliad.storage.hands import Hands
from bromeliad.storage.jobs import Jobs
from bromeliad.storage.schema import events
from bromeliad.storage.training import Mistakes
from serving import API, STREET_4, Client, serving

TRIES = 5


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "store.sqlite") as store:
        yield store


@pytest.fixture
def full(store, monkeypatch):
    """Return a switch: while it is on, events cannot be stored."""
    usual = store.events.add
    switch = {"on": False}

    def add(news):
        if switch["on"]:
            raise StoreError("{store}: {problem}", store="store", problem="database or disk is full")
        return usual(news)

    monkeypatch.setattr(store.events, "add", add)
    return switch


def start(games):
    return games.start("pineapple", ("random",), 3, 2, GameOptions(False, 1.0))


def placed(sitting):
    """Return a valid placement of the human player's cards."""
    action = HeuristicStrategy().decide_placement(sitting.game.view())
    return tuple(tuple(map(str, row)) for row in (action.top, action.middle, action.back, action.discards))


def shown(sitting):
    game = sitting.game
    return game.number, game.to_act, str(game.view()), [str(turn) for turn in game._turns]


def test_a_placement_that_was_not_stored_has_not_happened(store, full):
    games = Games(store)
    sitting = start(games)
    for _ in range(TRIES):
        if sitting.game.hand_over:
            break
        before = shown(sitting)
        full["on"] = True
        move = placed(sitting)
        with pytest.raises(StoreError):
            games.play(sitting, lambda: sitting.place(move, store))  # noqa: B023
        full["on"] = False
        with pytest.raises(StoreError):  # a request that waited for the lock
            games.play(sitting, lambda: sitting.place(move, store))  # noqa: B023
        sitting = games.find(sitting.game.id)
        assert shown(sitting) == before
        games.play(sitting, lambda: sitting.place(move, store))  # noqa: B023
        assert shown(sitting) != before
        assert shown(Games(store).find(sitting.game.id)) == shown(sitting)


def test_a_game_whose_start_was_not_stored_does_not_exist(store, full):
    games = Games(store)
    full["on"] = True
    with pytest.raises(StoreError):
        start(games)
    with store.reading() as connection:
        assert connection.execute(events.select()).all() == []


def test_a_refused_move_leaves_the_game_as_it_was(store):
    games = Games(store)
    sitting = start(games)
    before = shown(sitting)
    with pytest.raises(BromeliadError):
        games.play(sitting, lambda: sitting.place(((), (), (), ()), store))
    assert games.find(sitting.game.id) is sitting
    assert shown(sitting) == before


def test_a_move_of_sequence_that_was_not_stored_has_not_happened(store, full):
    games = SequenceGames(store)
    seating = Seating(rules="course", players=2, seat=0, opponent="random", seconds=0.01)
    sitting = games.start(seating, 5)
    for _ in range(TRIES):
        before = list(sitting.game.log)
        move = sitting.game.table.moves()[0]
        full["on"] = True
        with pytest.raises(StoreError):
            games.play(sitting, lambda: sitting.game.play(move))  # noqa: B023
        full["on"] = False
        sitting = games.find(sitting.game.id)
        assert list(sitting.game.log) == before
        games.play(sitting, lambda: sitting.game.play(move))  # noqa: B023
        assert SequenceGames(store).find(sitting.game.id).game.log == sitting.game.log


def test_where_the_store_is_stays_private():
    broken = StoreError("{store}: {problem}", store="/home/me/secret.sqlite", problem="disk I/O error")
    for shown in (_message(broken), problem_of(broken).model_dump_json()):
        assert "secret" not in shown
        assert "store" in shown


@pytest.mark.parametrize("path", ["hands/1", "statistics?player=you", "mistakes/1/retry", "reviews"])
def test_no_route_tells_where_a_broken_store_is(tmp_path, monkeypatch, path):
    broken = StoreError("{store}: {problem}", store="/home/me/secret.sqlite", problem="disk I/O error")

    def fail(*args):
        raise broken

    with serving(tmp_path / "store.sqlite") as address, Client(address) as client:
        monkeypatch.setattr(Hands, "find", fail)
        monkeypatch.setattr(Hands, "count", fail)
        monkeypatch.setattr(Mistakes, "get", fail)
        body = {"hand_id": 1} if path == "reviews" else None
        method = "GET" if path.startswith(("hands", "statistics")) else "POST"
        answer = client.request(method, f"{API}/{path}", json=body)
    assert answer.status_code == 503
    assert "secret" not in answer.text


def test_a_known_answer_is_given_though_its_job_cannot_be_stored(tmp_path, monkeypatch):
    def full(jobs, ended):
        raise StoreError("{store}: {problem}", store="store", problem="database or disk is full")

    monkeypatch.setattr(Jobs, "add_ended", full)
    with serving(tmp_path / "store.sqlite") as address, Client(address) as client:
        for _ in range(2):
            known = client.wait(client.job(STREET_4))["answer"]
        for _ in range(TRIES):
            assert client.job(STREET_4)["answer"] == known
