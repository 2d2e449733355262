"""Hand histories in the store: exports have the stored lines, and imports take only hands that obey the rules."""

import json

import pytest

from bromeliad.errors import InputError, StoreError
from bromeliad.games.ofc.play.history import HistoryWriter
from bromeliad.storage import hands as module
from bromeliad.storage import open_store
from bromeliad.storage.decisions import Review
from bromeliad.storage.recording import GameRecorder
from bromeliad.storage.rows import rows_of
from played_hands import played_hands

NEW = "new"
KNOWN = "known"


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def outcomes(imported):
    return [(item.line, str(item.problem) if item.problem else NEW if item.is_new else KNOWN) for item in imported]


@pytest.fixture(scope="session")
def lines(game):
    return [record.to_line() for record, _ in game]


def test_a_game_is_stored_while_it_is_played(store, game):
    recorder = GameRecorder(store, "pineapple", "play", "a, b")
    assert list(store.games.list()) == []
    for item in game:
        recorder.add([item])
    (kept,) = store.games.list()
    assert (kept.id, kept.source, kept.hands) == (recorder.game_id, "play", 5)
    assert list(store.hands.export_lines()) == [record.to_line() for record, _ in game]
    hand = store.hands.get(kept.id, 3)
    assert (hand.record, hand.number, hand.rules) == (game[2][0], 3, "pineapple")
    with pytest.raises(StoreError, match=f"no hand 6 in game {kept.id}"):
        store.hands.get(kept.id, 6)


def test_seats_and_decisions_are_those_of_the_hand(store, game):
    record, played = game[0]
    store.hands.add(store.games.add("pineapple", "play"), [rows_of(record, played)])
    rows = list(store.hands.seats())
    assert [row.player for row in rows] == [player.name for player in record.players]
    assert tuple(row.points for row in rows) == played.points
    assert tuple(row.fouled for row in rows) == tuple(player.fouled for player in played.showdown.players)
    assert sum(row.scoops for row in rows) == sum(row.scooped for row in rows)
    decisions = list(store.decisions.stream())
    assert len(decisions) == len(played.turns) == 10
    events = [event for event in record.events if event.event == "place"]
    boards = {1: "--", 2: "--"}
    for decision, turn, placed in zip(decisions, played.turns, events, strict=True):
        assert (decision.seat, decision.street) == (turn.seat, turn.street)
        assert sorted(decision.placed) == sorted(placed.board)
        assert decision.board == boards[turn.seat]
        rows = zip(decision.board.split("-"), decision.placed.split("-"), strict=True)
        boards[turn.seat] = "-".join(_sorted(before + new) for before, new in rows)


def _sorted(row):
    cards = [row[i : i + 2] for i in range(0, len(row), 2)]
    return "".join(
        sorted(cards, key=lambda card: ("23456789TJQKA".index(card[0]), "cdhs".index(card[1])), reverse=True)
    )


def test_fantasyland_has_no_street(sqlite_store):
    game = played_hands(2, fantasyland=14)
    sqlite_store.hands.add(sqlite_store.games.add("pineapple", "play"), [rows_of(*item) for item in game])
    at_once = [row for row in sqlite_store.decisions.stream(hand_id=1) if row.street is None]
    assert [(row.player, row.board, len(row.cards.split())) for row in at_once] == [("player 0", "--", 14)]
    assert [row.fantasyland for row in sqlite_store.hands.seats()][:2] == [14, 0]


@pytest.mark.parametrize("rules", ["pineapple", "ultimate", "house"])
def test_a_round_trip_keeps_every_byte(tmp_path, rules):
    file = tmp_path / "hands.jsonl"
    writer = HistoryWriter(file)
    games = [played_hands(3, seed, rules, players) for seed, players in ((1, 2), (2, 3), (3, 3))]
    for game in games:
        for record, _ in game:
            writer.write(record)
    with open_store(tmp_path / "one.sqlite") as one, open_store(tmp_path / "two.sqlite") as two:
        assert {what for _, what in outcomes(one.hands.import_file(file))} == {NEW}
        first = write(tmp_path / "first.jsonl", one.hands.export_lines())
        assert {what for _, what in outcomes(two.hands.import_file(first))} == {NEW}
        second = write(tmp_path / "second.jsonl", two.hands.export_lines())
        assert file.read_bytes() == first.read_bytes() == second.read_bytes()
        assert [game.hands for game in one.games.list()] == [game.hands for game in two.games.list()] == [3, 3, 3]
        for table in ("seats", "decisions"):
            assert _rows(one, table) == _rows(two, table)


def _rows(store, table):
    return list(store.hands.seats() if table == "seats" else store.decisions.stream())


def test_bad_lines_are_reported_and_the_rest_is_imported(store, lines):
    data = json.loads(lines[1])
    unknown = json.dumps({**data, "mood": "good", "events": [{**event, "took": 1} for event in data["events"]]})
    wrong_score = json.dumps({**data, "events": [*data["events"][:-1], {**data["events"][-1], "points": [90, -90]}]})
    cut = json.dumps({**data, "events": data["events"][:7]})
    twice = lines[2].replace('"cards": "', '"cards": "As As ', 1)
    given = [lines[0], "{", unknown, wrong_score, cut, twice, json.dumps({**data, "version": 2}), lines[4]]
    found = outcomes(store.hands.import_lines(enumerate(given, start=1), "file"))
    assert [what for _, what in found if what == NEW] == [NEW] * 3
    problems = {line: what for line, what in found if what != NEW}
    for line, words in {
        2: "not JSON",
        4: "the record says 90",
        5: "not over",
        6: "event 1: the same card appears twice: As",
        7: "format version 2 is newer",
    }.items():
        assert words in problems.pop(line)
    assert problems == {}
    assert list(store.hands.export_lines()) == [lines[0], unknown, lines[4]]  # unknown fields are kept
    assert [game.hands for game in store.games.list()] == [3]


@pytest.mark.parametrize("field", ["hand", "stack", "points", "royalties", "next_fantasyland", "chips"])
def test_numbers_too_large_for_a_column_cost_only_their_line(sqlite_store, lines, field):
    data = json.loads(lines[1])
    last = data["events"][-1]
    match field:
        case "hand":
            data["hand"] = 99999999999999999999
        case "stack":
            data["players"][0]["stack"] = 2**31
        case _:
            last[field] = [2**31, -(2**31)]
    given = [lines[0], json.dumps(data), lines[2]]
    (_, first), (line, problem), (_, third) = outcomes(sqlite_store.hands.import_lines(enumerate(given, start=1)))
    assert (first, line, third) == (NEW, 2, NEW)
    assert field in problem
    assert "must be 2147483647 or less" in problem


def test_known_lines_are_skipped_and_games_continue(store, lines):
    numbered = list(enumerate(lines, start=1))
    assert outcomes(store.hands.import_lines(numbered[:3])) == [(1, NEW), (2, NEW), (3, NEW)]
    assert outcomes(store.hands.import_lines(numbered)) == [(1, KNOWN), (2, KNOWN), (3, KNOWN), (4, NEW), (5, NEW)]
    assert [game.hands for game in store.games.list()] == [5]
    assert list(store.hands.export_lines()) == lines


def test_a_file_may_repeat_a_game(store, lines):
    twice = [*lines, *lines]
    assert {what for _, what in outcomes(store.hands.import_lines(enumerate(twice, start=1)))} == {NEW}
    assert list(store.hands.export_lines()) == twice
    assert [game.hands for game in store.games.list()] == [5, 5]
    assert list(store.hands.export_lines(2)) == lines
    thrice = [*twice, *lines]
    found = [what for _, what in outcomes(store.hands.import_lines(enumerate(thrice, start=1)))]
    assert found == [KNOWN] * 10 + [NEW] * 5  # skipped as often as the store has them
    assert list(store.hands.export_lines()) == thrice


def test_a_cancelled_import_can_be_repeated(sqlite_store, lines, monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", 2)
    given = list(enumerate([*lines, *lines], start=1))
    assert outcomes(sqlite_store.hands.import_lines(given, cancelled=lambda: True)) == [(1, NEW), (2, NEW)]
    found = outcomes(sqlite_store.hands.import_lines(given))
    assert [what for _, what in found] == [KNOWN] * 2 + [NEW] * 8
    assert list(sqlite_store.hands.export_lines()) == [*lines, *lines]
    assert [game.hands for game in sqlite_store.games.list()] == [5, 5]


def test_odd_names_are_kept(store, lines):
    odd = lines[0].replace("player 0", "大菠蘿 '; DROP TABLE hands --")
    assert outcomes(store.hands.import_lines([(1, odd)])) == [(1, NEW)]
    assert list(store.hands.export_lines()) == [odd]
    assert "大菠蘿" in next(store.hands.seats()).player
    assert len(list(store.decisions.stream(player=next(store.hands.seats()).player))) == 5


def test_texts_that_a_database_refuses_are_cleaned(store, tmp_path, lines):
    file = write(tmp_path / "hand\udcff.jsonl", lines[:1])  # a file name that is not UTF-8
    assert [item.problem for item in store.hands.import_file(file)] == [None]
    assert [game.label for game in store.games.list()] == ["hand?.jsonl"]
    store.hands.note(1, text="a\0b")  # PostgreSQL refuses a zero byte
    assert store.hands.listed(1)[0].note == "a?b"


def test_a_single_record_is_verified_and_added(store, game):
    number = store.games.add("pineapple", "page")
    assert store.hands.add_record(number, game[0][0]) == 1
    broken = game[1][0].model_copy(update={"events": game[1][0].events[:-1]})
    with pytest.raises(InputError, match="one showdown and one score"):
        store.hands.add_record(number, broken)
    assert store.hands.count() == 1


@pytest.mark.accept
def test_a_thousand_games_keep_every_byte(tmp_path):
    with open_store(tmp_path / "one.sqlite") as one, open_store(tmp_path / "two.sqlite") as two:
        for seed in range(1000):
            GameRecorder(one, "pineapple", "match", "random, random").add(played_hands(3, seed))
        first = write(tmp_path / "first.jsonl", one.hands.export_lines())
        assert {what for _, what in outcomes(two.hands.import_file(first))} == {NEW}
        second = write(tmp_path / "second.jsonl", two.hands.export_lines())
        assert first.read_bytes() == second.read_bytes()
        assert len(list(two.games.list())) == 1000
        assert _rows(one, "decisions") == _rows(two, "decisions")


def test_stars_and_notes_are_stored_and_lists_sort_by_loss(store, game):
    recorder = GameRecorder(store, "pineapple", "play", "a, b")
    recorder.add(game)
    newest = store.hands.listed(10)
    numbers = [listed.hand.id for listed in newest]
    assert numbers == sorted(numbers, reverse=True)
    assert {(listed.starred, listed.note, *listed.losses) for listed in newest} == {(False, "")}
    first, last = numbers[-1], numbers[0]
    store.hands.note(first, starred=True)
    store.hands.note(first, text="a pair too early")
    store.hands.note(last, text="no star")
    (starred,) = store.hands.listed(10, starred=True)
    assert (starred.hand.id, starred.note) == (first, "a pair too early")
    store.hands.note(first, starred=False, text="")
    assert store.hands.listed(10, starred=True) == []
    with pytest.raises(StoreError, match="no hand 99999"):
        store.hands.note(99999, starred=True)

    made = list(store.decisions.stream(hand_id=first))
    player = made[0].player
    store.decisions.review(Review(one.id, 1.0, 1.5, 0.5, 0.1, False, None, "halving") for one in made)
    (other,) = [one for one in store.decisions.stream(hand_id=last) if one.player == player][:1]
    store.decisions.review([Review(other.id, 1.0, 10.0, 9.0, 0.1, False, None, "halving")])
    by_loss = store.hands.listed(10, player=player, order="ev_loss")
    assert [listed.hand.id for listed in by_loss][:2] == [last, first]
    seat = by_loss[1].losses[made[0].seat]
    assert seat.decisions == sum(one.seat == made[0].seat for one in made)
    assert seat.ev_loss == pytest.approx(0.5 * seat.decisions)
