"""Bromeliad as an engine: it answers the questions of a match, and survives all other input."""

import io
import json

import pytest

from bromeliad.games.ofc.play.dealer import play_hand, shuffled_deck
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.play.strategies import RandomStrategy
from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing import engine as module
from bromeliad.playing.engine import Engine, serve
from bromeliad.playing.engine_messages import NewHand, Place, new_hand, place, placement, read_message, read_placement

RULES = preset("pineapple").model_dump(mode="json")
HAND = {"id": 2, "ask": "new_hand", "rules": "pineapple", "rule_set": RULES} | {
    "players": 2,
    "seat": 1,
    "button": 2,
    "seed": 7,
}
PLACE = {
    "id": 3,
    "ask": "place",
    "street": 1,
    "cards": "As Ah Kd 7c 2s",
    "board": "- / - / -",
    "discards": "",
    "opponents": ["- / - / -"],
    "opponent_discards": [0],
    "fantasyland": 0,
    "opponent_fantasyland": [0],
    "seconds": 0.1,
}
BAD = [
    None, True, False, 0, -1, 1, 99, 2**63, 10**400, 0.5, 1e308, "", "x", "As As", "As / Ks", "\ud800", "\x00",
    "🂡" * 999, [], [[]], ["x"], [None], [0, 0], ["- / - / -"] * 9, {}, {"a": {}}, [[[[]]]], "- / - / -",
    "As Ah Kd 7c 2s",
]  # fmt: skip


@pytest.fixture
def engine(tmp_path):
    return Engine("random", tmp_path)


def ask(engine, message):
    line = message if isinstance(message, bytes) else json.dumps(message).encode()
    return engine.answer(line)


class Watching(RandomStrategy):
    """Keeps the views and seeds of its decisions."""

    def __init__(self, seen: list[tuple[SeatView, int]]) -> None:
        super().__init__()
        self.seen = seen

    def decide_placement(self, view):
        self.seen.append((view, self.seed))
        return super().decide_placement(view)


@pytest.mark.parametrize(
    ("rules", "fantasyland"),
    [("pineapple", (0, 0)), ("pineapple", (0, 14, 0)), ("ultimate", (17, 0)), ("regular", (0, 0)), ("turbo", (0, 0))],
)
def test_a_view_is_the_same_on_the_other_side(rules, fantasyland):
    seen = []
    played = play_hand(
        preset(rules), [Watching(seen) for _ in fantasyland], shuffled_deck(preset(rules), (5,)), fantasyland
    )
    for (view, seed), turn in zip(seen, played.turns, strict=True):
        hand = read_message(NewHand, json.loads(json.dumps(new_hand(view, seed))))
        asked = read_message(Place, json.loads(json.dumps(place(view, 0.1))))
        assert (hand.seat, hand.button, hand.players) == (view.seat, view.players, view.players)
        read = asked.to_view(hand.read_rules(), hand)
        assert (place(read, 0.1), new_hand(read, seed)) == (place(view, 0.1), new_hand(view, seed))
        assert read == view or view.rules.jokers.count  # either of two jokers may be the first
        assert read_placement(view, placement(turn.action)) == turn.action


def test_cards_of_an_answer_may_be_written_as_anywhere():
    hand = read_message(NewHand, HAND)
    view = read_message(Place, PLACE).to_view(hand.read_rules(), hand)
    answer = {"top": ["KD"], "middle": ["a♠", "Ah"], "back": ["7c", "2s"], "discards": [], "ev": 3}
    assert placement(read_placement(view, answer))["middle"] == ["As", "Ah"]


class TestAnswers:
    def test_hello(self, engine):
        answer = ask(engine, {"id": "a", "ask": "hello"})
        assert (answer["id"], answer["protocol"], answer["name"]) == ("a", 1, "bromeliad random")
        assert answer["rules"][0] == "pineapple"

    def test_the_seed_decides(self, engine):
        answers = []
        for _ in range(2):
            assert ask(engine, HAND) == {"id": 2, "ok": True}
            answers.append(ask(engine, PLACE))
        assert answers[0] == answers[1]
        placed = [card for row in ("top", "middle", "back") for card in answers[0][row]]
        assert sorted(placed) == sorted(PLACE["cards"].split())

    @pytest.mark.parametrize("rules", ["progressive", "turbo"])
    def test_a_preset_may_go_by_its_name(self, engine, rules):
        hand = {key: value for key, value in HAND.items() if key != "rule_set"}
        assert ask(engine, hand | {"rules": rules}) == {"id": 2, "ok": True}
        assert "rules must be one of pineapple" in ask(engine, hand | {"rules": "mine"})["error"]

    @pytest.mark.parametrize(
        ("change", "error"),
        [
            ({"players": 4}, "pineapple is played by 2 to 3 players, not 4"),
            ({"seat": 3}, "with 2 players a seat is 1 to 2, not 3"),
            ({"button": 1}, "the last seat has the button: 2, not 1"),
            ({"rule_set": RULES | {"streets": []}}, "rule_set.streets: "),
            ({"rule_set": {"name": "x"}}, "rule_set.summary is missing."),
            ({"seed": -1}, "seed: must be 0 or more"),
        ],
    )
    def test_a_wrong_hand_is_refused_and_none_is_left(self, engine, change, error):
        ask(engine, HAND)
        assert ask(engine, HAND | change)["error"].startswith(error)
        assert ask(engine, PLACE) == {"id": 3, "error": "no hand has begun: ask new_hand first"}

    @pytest.mark.parametrize(
        ("change", "error"),
        [
            ({"street": 2}, "the board is that of street 1, not 2"),
            ({"street": None}, "the board is that of street 1, not -"),
            ({"cards": ""}, "5 cards are dealt here, not 0"),
            ({"cards": "As Ah Kd"}, "street 1 deals 5 cards, not 3"),
            ({"cards": "As As Kd 7c 2s"}, "the same card appears twice: As"),
            ({"opponents": ["As / - / -"]}, "the same card appears twice: As"),
            ({"opponents": []}, "give the board, the discards and the fantasyland of 1 opponents"),
            ({"fantasyland": 14}, "a fantasyland hand has 13 to 17 cards, not 5"),
            ({"fantasyland": 13}, "pineapple deals no fantasyland of 13 cards"),
            ({"seconds": 0}, "seconds: must be more than 0"),
            ({"cards": 7}, "cards: must be text"),
        ],
    )
    def test_a_wrong_question_is_refused(self, engine, change, error):
        ask(engine, HAND)
        assert ask(engine, PLACE | change)["error"].startswith(error)
        assert "error" not in ask(engine, PLACE)

    def test_a_strategy_that_fails_is_an_error(self, engine, monkeypatch):
        ask(engine, HAND)
        monkeypatch.setattr(RandomStrategy, "decide_placement", lambda self, view: 1 // 0)
        assert ask(engine, PLACE)["error"].startswith("the strategy failed: ZeroDivisionError")


class TestSurvives:
    @pytest.mark.parametrize(
        "line",
        [
            b"", b"nonsense", b"[]", b"7", b"null", b'"hello"', b"{}", b'{"ask": 7}', b'{"ask": "sing"}',
            b'{"ask": []}', b'{"ask": {}}', b"\xff\xfe\x00", b"\x00" * 100, b"[" * 100_000, b'{"a":' * 100_000,
            b'{"id": 1e999, "ask": 1}',
            b'{"id": ' + b"9" * 5000 + b"}", b'{"id": [1], "ask": "place"}', b'{"id": NaN}', b'{"ask": "\\ud800"}',
        ],
    )  # fmt: skip
    def test_lines_that_are_no_question(self, engine, line):
        answer = ask(engine, line)
        assert "\n" not in answer["error"]
        json.loads(json.dumps(answer, allow_nan=False))
        assert ask(engine, HAND) == {"id": 2, "ok": True}

    @pytest.mark.parametrize("message", [HAND, PLACE], ids=["new_hand", "place"])
    def test_bad_values_in_every_field(self, engine, message):
        for field in message:
            for value in [*BAD, ...]:
                ask(engine, HAND)
                changed = {key: old for key, old in message.items() if key != field}
                answer = ask(engine, changed if value is ... else changed | {field: value})
                text = json.dumps(answer, allow_nan=False)
                assert "\n" not in text
                assert answer["id"] == (message["id"] if field != "id" else answer["id"])

    def test_bad_values_in_the_rule_set(self, engine):
        for field in RULES:
            for value in BAD:
                json.dumps(ask(engine, HAND | {"rule_set": RULES | {field: value}}), allow_nan=False)
        assert ask(engine, HAND) == {"id": 2, "ok": True}

    def test_every_line_of_a_stream_is_answered_until_quit(self, monkeypatch):
        monkeypatch.setattr(module, "_LONGEST", 1000)
        asks = [
            b'{"id": 1, "ask": "hello"}',
            b"x" * 2500,
            b"",
            b"  ",
            b'{"id": 2, "ask": "no"}',
            b'{"ask": "quit"}',
            b"7",
        ]
        sink, ready = io.BytesIO(), []
        serve("random", io.BytesIO(b"\n".join(asks)), sink, lambda: ready.append(True))
        answers = [json.loads(line) for line in sink.getvalue().splitlines()]
        assert [answer["id"] for answer in answers] == [1, None, 2]
        assert ready == [True]
