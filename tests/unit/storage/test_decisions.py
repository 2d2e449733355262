"""Decisions and mistakes: added in batches, reviewed, streamed."""

import pytest

from bromeliad.errors import StoreError
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve
from bromeliad.storage import decisions as module
from bromeliad.storage.decisions import Review
from bromeliad.storage.repository import insert_many
from bromeliad.storage.rows import rows_of
from bromeliad.storage.schema import decisions


@pytest.fixture
def hand_id(store, game):
    record, played = game[0]
    rows = rows_of(record, played)._replace(decisions=[])
    return store.hands.add(store.games.add("pineapple", "play"), [rows])[0]


NAMES = ("hand_id", "seat", "player", "street", "cards", "board", "placed", "discards")


def add(store, hand_id, count):
    """Add decisions to a hand, and return their rows."""
    rows = [(hand_id, 1 + i % 2, "abc"[i % 3], 2, "As Kd 2c", "Kh-Jh-6h", "As-Kd-", f"{i}") for i in range(count)]
    with store.writing() as connection:
        insert_many(connection, decisions, [dict(zip(NAMES, row, strict=True)) for row in rows])
    return rows


def test_batches_keep_the_order(store, hand_id, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 100)
    given = add(store, hand_id, 350)
    assert store.decisions.count() == 350
    found = list(store.decisions.stream())
    assert [row[1:9] for row in found] == given
    assert {row.ev_loss for row in found} == {row.better for row in found} == {None}


def test_reviews(store, hand_id):
    add(store, hand_id, 4)
    ids = [row.id for row in store.decisions.stream()]
    reviews = [Review(i, 1.5, 2.0, 0.5, 0.1, False, {"top": ["As"]}, "mcts") for i in ids[1:3]]
    assert store.decisions.review(reviews) == 2
    assert [row.id for row in store.decisions.stream(reviewed=True)] == ids[1:3]
    assert [row.id for row in store.decisions.stream(reviewed=False)] == [ids[0], ids[3]]
    row = next(store.decisions.stream(reviewed=True))
    assert row[9:] == (1.5, 2.0, 0.5, 0.1, False, {"top": ["As"]}, "mcts")
    store.decisions.review([Review(ids[1], 2.0, 2.0, 0.0, 0.0, True, None, "exact")])
    assert next(store.decisions.stream(reviewed=True))[9:] == (2.0, 2.0, 0.0, 0.0, True, None, "exact")


def test_streams_by_player_hand_and_game(store, hand_id):
    add(store, hand_id, 6)
    assert [row.discards for row in store.decisions.stream(player="b")] == ["1", "4"]
    assert len(list(store.decisions.stream(hand_id=hand_id))) == 6
    assert list(store.decisions.stream(hand_id=hand_id + 1)) == []
    assert len(list(store.decisions.stream(game_id=1))) == 6
    assert list(store.decisions.stream(game_id=2)) == []


def test_removing_a_game_removes_its_hands_seats_and_decisions(store, game):
    number = store.games.add("pineapple", "play")
    store.hands.add(number, [rows_of(record, played) for record, played in game])
    assert store.decisions.count() == 50
    store.games.remove(number)
    assert (store.decisions.count(), store.hands.count(), list(store.hands.seats())) == (0, 0, [])


def test_mistakes(store):
    request = SolveRequest(cards="Kc 9d 3s", board="Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", dead="2c 5d 6s")
    answer = solve(request)
    small = store.mistakes.add(request, {"top": ["Kc"]}, 0.5, answer)
    large = store.mistakes.add(request, {"top": ["3s"]}, 2.5, answer)
    assert [item.id for item in store.mistakes.list()] == [large, small]
    mistake = store.mistakes.get(large)
    assert (mistake.request, mistake.chosen, mistake.answer) == (request, {"top": ["3s"]}, answer)
    assert (mistake.retried, mistake.solved) == (0, False)
    store.mistakes.retry(large, solved=False)
    store.mistakes.retry(large, solved=True)
    assert (store.mistakes.get(large).retried, store.mistakes.get(large).solved) == (2, True)
    assert [item.id for item in store.mistakes.list(solved=False, limit=1)] == [small]
    store.mistakes.remove(small)
    with pytest.raises(StoreError, match=f"no mistake {small}"):
        store.mistakes.get(small)
