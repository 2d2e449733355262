"""Hand histories can be read as written, and their replay gives the same scores or names the error."""

import json

import pytest

from bromeliad.errors import BromeliadError, InputError
from bromeliad.games.ofc.play.history import HandRecord, HistoryWriter, parse_record, read_records, record_of
from bromeliad.games.ofc.play.replay import check, replay
from bromeliad.games.ofc.play.strategies import HeuristicStrategy, RandomStrategy
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset, preset_names
from support import changed


def played(name="pineapple", players=2, hands=1, **options):
    rules = preset(name) if isinstance(name, str) else name
    table = Table(rules, [HeuristicStrategy(), *(RandomStrategy() for _ in range(players - 1))], **options)
    for _ in range(hands):
        hand = table.play_hand()
        yield hand, record_of(hand, [f"player {i}" for i in range(players)])


def first(**options):
    return next(iter(played(**options)))[1]


@pytest.mark.parametrize("name", preset_names())
def test_replays_give_the_same_scores(name):
    for players in range(preset(name).players.min, preset(name).players.max + 1):
        for hand, record in played(name, players, hands=8, seed=players):
            again = replay(parse_record(record.to_line()))
            assert again.points == hand.hand.points
            assert again.boards == hand.hand.boards
            assert again.turns == hand.hand.turns
            assert check(record) == []


def test_fantasyland_and_stacks_are_replayed():
    seen = 0
    for _, record in played("progressive", hands=40, stacks=[500, 500], seed=4):
        seen += any(player.fantasyland for player in record.players)
        assert check(parse_record(record.to_line())) == []
        assert record.players[0].stack is not None
        assert record.events[-1].chips is not None
    assert seen


def test_other_rules_are_written_out():
    rules = changed("pineapple", scoring={"scoop": 5}).model_copy(update={"name": "mine"})
    record = first(name=rules)
    assert record.rules["scoring"]["scoop"] == 5
    assert parse_record(record.to_line()).rule_set() == rules
    assert check(parse_record(record.to_line())) == []
    assert isinstance(first().rules, str)


def test_the_form_is_the_documented_one():
    data = json.loads(first().to_line())
    assert list(data) == ["format", "version", "hand", "rules", "players", "events"]
    assert data["players"] == [{"name": "player 0", "fantasyland": 0}, {"name": "player 1", "fantasyland": 0}]
    kinds = [event["event"] for event in data["events"]]
    assert kinds[:8] == ["deal", "place", "deal", "place", "deal", "place", "discard", "deal"]
    assert kinds[-2:] == ["showdown", "score"]
    assert len(data["events"][-2]["boards"][0]) == 2 * 13 + 2


def change(record, index, **fields):
    """Return the record with fields of one event changed."""
    data = json.loads(record.to_line())
    data["events"][index].update(fields)
    return HandRecord.model_validate(data)


class TestCheck:
    def test_names_what_differs(self):
        record = first()
        score = record.events[-1]
        wrong = change(record, -1, points=[score.points[0] + 1, score.points[1]], fouls=[not score.fouls[0], True])
        texts = [str(problem) for problem in check(wrong)]
        points = score.points[0]
        assert f"points: the replay gives seat 1 {points}, the record says {points + 1}" in texts
        assert any(text.startswith("fouls: the replay gives seat 1 ") for text in texts)

    def test_counts_the_seats(self):
        assert [str(problem) for problem in check(change(first(), -1, points=[0]))] == ["points: 1 values for 2 seats"]

    def test_boards_are_compared(self):
        (problem,) = check(change(first(), -2, boards=["a", "b"]))[:1]
        assert str(problem).startswith("boards: the replay gives seat 1 ")

    @pytest.mark.parametrize(
        ("index", "fields", "expected"),
        [
            (0, {"seat": 2}, "event 1: seat 1 acts next, not seat 2"),
            (0, {"cards": "As Kd"}, "event 1: street 1 deals 5 cards, not 2"),
            (
                0,
                {"cards": "As Kd 5x"},
                "event 1: not a card: 5x. Write rank and suit like As Td 9h 2c, and Jk for a joker",
            ),
            (1, {"board": "As"}, "event 2: a board has three rows, not 1"),
            (6, {"cards": "Jk"}, "event 7: not in hand: Jk"),
        ],
    )
    def test_names_the_event_that_cannot_be(self, index, fields, expected):
        (problem,) = check(change(first(), index, **fields))
        assert str(problem).startswith(expected)

    def test_names_a_card_that_was_dealt_before(self):
        record = first()
        (problem,) = check(change(record, 2, cards=record.events[0].cards))
        assert str(problem).startswith("event 3: the same card appears twice")

    def test_hands_must_be_whole(self):
        record = first()
        cut = record.model_copy(update={"events": record.events[:9]})
        assert "the hand is not over" in str(check(cut)[0])
        silent = record.model_copy(update={"events": record.events[:-2]})
        assert [str(problem) for problem in check(silent)] == ["a hand ends with one showdown and one score"]
        more = record.model_copy(update={"events": (*record.events[:-2], record.events[0])})
        assert "the hand is over" in str(check(more)[0])

    def test_every_order_but_the_true_one_is_wrong(self):
        events = first().events
        for i in range(len(events) - 1):
            swapped = (*events[:i], events[i + 1], events[i], *events[i + 2 :])
            assert check(first().model_copy(update={"events": swapped})), i

    def test_places_come_once(self):
        record = first()
        twice = record.model_copy(update={"events": (*record.events[:6], record.events[5], *record.events[6:])})
        assert "has already placed cards" in str(check(twice)[0])
        early = record.model_copy(update={"events": (*record.events[:5], record.events[6])})
        assert "discards before placing cards" in str(check(early)[0])


class TestReading:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("nonsense", "not JSON: nonsense"),
            ("[]", 'not a hand: its "format" is not "bromeliad-hand"'),
            ('{"format": "bromeliad-hand", "version": 2}', "format version 2 is newer"),
            ('{"format": "bromeliad-hand", "version": 1}', "hand is missing."),
            ('{"format": "bromeliad-hand", "version": 0}', "version: must be 1 or more"),
            ("[" * 5000, "not JSON"),
        ],
    )
    def test_says_what_is_wrong_with_a_line(self, line, expected):
        with pytest.raises(InputError) as caught:
            parse_record(line)
        assert str(caught.value).startswith(expected)

    def test_unknown_rules_are_named(self):
        record = first().model_copy(update={"rules": "nonsense"})
        assert str(check(record)[0]).startswith("there is no preset nonsense")
        broken = first().model_copy(update={"rules": {"name": "x"}})
        assert str(check(broken)[0]).startswith("rules.summary: ")

    def test_keys_of_later_versions_are_passed_over(self):
        data = json.loads(first().to_line()) | {"weather": "fine"}
        assert check(parse_record(json.dumps(data))) == []

    def test_bad_lines_do_not_stop_the_rest(self, tmp_path):
        path = tmp_path / "hands.jsonl"
        writer = HistoryWriter(path)
        for _, record in played(hands=2):
            writer.write(record)
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0], "", "nonsense", lines[1]]) + "\n")
        found = list(read_records(path))
        assert [number for number, _ in found] == [1, 3, 4]
        assert isinstance(found[1][1], BromeliadError)
        assert [check(record) for _, record in (found[0], found[2])] == [[], []]

    def test_files_that_cannot_be_used(self, tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            list(read_records(tmp_path / "none.jsonl"))
        with pytest.raises(InputError, match="cannot be written"):
            HistoryWriter(tmp_path / "no" / "such.jsonl")
