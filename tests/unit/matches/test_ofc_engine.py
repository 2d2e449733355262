"""Matches with engines: good ones play like strategies; bad ones are counted, quoted, restarted or refused."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from bromeliad.cluster import Batch, open_executor
from bromeliad.errors import EngineError, InputError
from bromeliad.games.ofc.play.dealer import play_hand, shuffled_deck
from bromeliad.games.ofc.play.strategies import RandomStrategy
from bromeliad.games.ofc.rules.files import dump_rules, preset
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.matches import ofc_engine
from bromeliad.matches.ofc import OfcMatch
from bromeliad.matches.ofc_deck import hands_of
from bromeliad.matches.runner import play_match
from bromeliad.playing.strategies import find_strategy
from engines import write_engine

OURS = f"engine:{sys.executable} -m bromeliad engine"
DECISIONS = 5  # per hand


def play(names, hands=2, *, batch=None, **rest):
    """Play a match; return its result and the hands."""
    match, decks = OfcMatch(names, hands, with_hands=True, **rest), []
    try:
        result = play_match(match, batch=batch, on_played=lambda deck: decks.append(hands_of(deck)))
    finally:
        match.close()
    return result, [hand for deck in decks for hand in deck]


def behaviour(own, folder, hands=2, **rest):
    """Return the report on an engine that plays against a random player."""
    return play([write_engine(folder, own), "random"], hands, **rest)[0].players[0].engine


def heard(folder):
    return [json.loads(line) for line in (folder / "heard.jsonl").read_text().splitlines()]


@pytest.fixture
def hurry(monkeypatch):
    """Shorten the time after which an engine counts as dead."""
    monkeypatch.setattr(ofc_engine, "GRACE", 0.4)
    monkeypatch.setattr(ofc_engine, "START", 3.0)


@pytest.fixture
def jokers(tmp_path):
    """Return the path of rules that are not a preset: two jokers, another foul cost."""
    data = preset("pineapple").to_data()
    data |= {"name": "own", "jokers": {"count": 2, "may_copy_seen": True}}
    data["objective"]["foul_cost"] = 3.5
    path = tmp_path / "own.yaml"
    path.write_text(dump_rules(RuleSet.model_validate(data)))
    return str(path)


class TestEqualPlay:
    @pytest.mark.parametrize(
        ("strategy", "rules", "carry"),
        [("look", "pineapple", False), ("heuristic", "ultimate", True), ("random", "regular", False)],
    )
    def test_a_strategy_plays_alike_inside_and_as_an_engine(self, strategy, rules, carry):
        engine = f"{OURS} {strategy}"
        result, hands = play([strategy, engine], 8, rules_name=rules, carry=carry, engine_seconds=1.0)
        _, expected = play([strategy, strategy], 8, rules_name=rules, carry=carry)
        assert [hand.hand.turns for hand in hands] == [hand.hand.turns for hand in expected]
        assert [player.mean for player in result.players] == [0.0, 0.0]
        assert result.players[0].engine is None
        report = result.players[1].engine
        assert (report.name, report.version) == (f"bromeliad {strategy}", "0.1.0")
        assert (report.illegal, report.placements_given_up, report.hands_given_up, report.restarts) == (0, 0, 0, 0)

    def test_with_jokers_and_rules_of_a_file(self, jokers):
        result, hands = play(["heuristic", f"{OURS} heuristic"], 20, rules_name=jokers, engine_seconds=1.0)
        _, expected = play(["heuristic", "heuristic"], 20, rules_name=jokers)
        boards = [[str(board) for board in hand.hand.boards] for hand in hands]
        assert boards == [[str(board) for board in hand.hand.boards] for hand in expected]
        assert any("Jk" in board for pair in boards for board in pair)
        assert result.players[1].engine.problems == ()

    def test_the_solver_with_simulations(self):
        result, _ = play(["solver:60sims", f"{OURS} solver:60sims"], 2, engine_seconds=5.0)
        assert result.players[0].mean == 0.0

    def test_three_players_two_of_them_engines_on_two_workers(self, tmp_path):
        names = ["heuristic", write_engine(tmp_path / "one"), write_engine(tmp_path / "two")]
        here = play(names, 6, engine_seconds=2.0)[0]
        with open_executor("local", 2) as executor:
            there = play(names, 6, engine_seconds=2.0, batch=Batch(executor))[0]
        assert [player.mean for player in here.players] == [player.mean for player in there.players]
        assert [player.engine and player.engine.name for player in there.players] == [None, "test", "test"]


class TestConversation:
    def test_is_that_of_the_document(self, tmp_path):
        name = write_engine(tmp_path)
        play([name, "heuristic"], 2, engine_seconds=0.25, seed=3)
        asked = heard(tmp_path)
        assert [message["ask"] for message in asked] == ["hello", *["new_hand", *["place"] * 5] * 2, "quit"]
        assert [message["id"] for message in asked[:-1]] == list(range(1, 14))
        first, second = asked[1], asked[7]
        assert first["rules"] == "pineapple"
        assert RuleSet.model_validate(first["rule_set"]) == preset("pineapple")
        assert [(hand["players"], hand["seat"], hand["button"]) for hand in (first, second)] == [(2, 1, 2), (2, 2, 2)]
        assert all(0 <= hand["seed"] < 2**63 for hand in (first, second))
        opening, reply = asked[2], asked[8]
        assert (opening["street"], opening["board"], opening["opponents"]) == (1, "- / - / -", ["- / - / -"])
        assert len(opening["cards"].split()) == 5
        assert reply["opponents"] != ["- / - / -"]  # seat 2 has seen seat 1 act
        last = asked[6]
        assert (last["street"], last["opponent_discards"], last["seconds"]) == (5, [3], 0.25)
        assert len(last["discards"].split()) == 3
        assert (last["fantasyland"], last["opponent_fantasyland"]) == (0, [0])

    def test_fantasyland_has_no_street_and_may_be_left_to_the_solver(self, tmp_path):
        own = "def place(m): return {'error': 'too hard'} if m['street'] is None else legal(m)"
        command = write_engine(tmp_path, own).removeprefix("engine:")
        rules, engine = preset("pineapple"), ofc_engine.EngineStrategy(command, "pineapple")
        engine.begin_hand(3)
        play_hand(rules, [engine, RandomStrategy()], shuffled_deck(rules, (1,)), (14, 0))
        engine.close()
        (asked,) = (message for message in heard(tmp_path) if message["ask"] == "place")
        assert (asked["street"], asked["fantasyland"], len(asked["cards"].split())) == (None, 14, 14)
        assert engine.counts == {"placements given up": 1}
        assert engine.problems == ["seat 1, fantasyland: gives up: too hard"]

    def test_an_opponent_in_fantasyland_is_hidden(self, tmp_path):
        play([write_engine(tmp_path), "look:6,5"], 12, carry=True, seed=2)
        asked = [message for message in heard(tmp_path) if message.get("opponent_fantasyland", [0]) != [0]]
        assert asked
        assert {message["opponents"][0] for message in asked} == {"- / - / -"}


class TestWrongAnswers:
    @pytest.mark.parametrize(
        ("answer", "problem"),
        [
            ("{}", 'top must be a list of cards like ["As", "Td"]'),
            ("{**legal(m), 'top': 'As'}", "top must be a list"),
            ("{**legal(m), 'back': [1, None]}", "back must be a list"),
            ("{**legal(m), 'middle': {}}", "middle must be a list"),
            ("{**legal(m), 'discards': None}", "discards must be a list"),
            ("{**legal(m), 'middle': ['Zz']}", "not a card: Zz"),
            ("{**legal(m), 'middle': ['']}", "is not one card"),
            (
                "{**legal(m), 'discards': [c for c in ('2c', '2d', '2h', '2s') if c not in m['cards']][:1]}",
                "not in hand",
            ),
            ("{**legal(m), 'top': m['cards'].split()[:1]}", "not in hand"),
            ("{'top': [], 'middle': [], 'back': [], 'discards': m['cards'].split()}", "places"),
            ("{'top': m['cards'].split(), 'middle': [], 'back': [], 'discards': []}", "street"),
        ],
    )
    def test_an_illegal_placement_is_counted_and_named(self, tmp_path, answer, problem):
        engine = behaviour(f"def place(m): return {answer}", tmp_path)
        assert engine.illegal == 2 * DECISIONS
        assert len(engine.problems) == 10
        assert engine.problems[0].startswith("deck 0, seat 1, street 1: illegal: ")
        assert problem in engine.problems[0] + engine.problems[1]

    def test_a_row_that_overflows(self, tmp_path):
        own = (
            "def place(m): c = m['cards'].split(); return {'top': c[:5][:5], 'middle': [], 'back': [], 'discards': []}"
        )
        engine = behaviour(own, tmp_path)
        assert "the top row holds 3 cards, not 5" in engine.problems[0]

    def test_late_answers_are_counted_but_for_the_first(self, tmp_path):
        engine = behaviour("def place(m): time.sleep(0.25); return legal(m)", tmp_path, engine_seconds=0.05)
        assert (engine.late, engine.illegal, engine.restarts) == (2 * DECISIONS - 1, 0, 0)
        assert engine.problems[0].startswith("deck 0, seat 1, street 2: late: 0.")

    def test_a_slow_start_is_not_late(self, tmp_path):
        assert behaviour("time.sleep(1.0)", tmp_path, engine_seconds=0.5).problems == ()

    @pytest.mark.parametrize(
        "talk",
        [
            "say('nonsense\\n\\n')",
            "say('[1, 2]\\n7\\nnull\\n\"text\"\\n')",
            "say(json.dumps({'id': m['id'] + 1, 'error': 'not this one'}) + '\\n')",
            'say(\'{"id": true, "error": ""}\\n{"id": null}\\n{"error": "whose?"}\\n\')',
            "say(chr(123) * 3_000_000 + '\\n')",
            "say('{\"id\": ' * 100_000 + '\\n')",
            "sys.stdout.buffer.write(b'\\xff\\xfe\\x00\\n')",
            "sys.stderr.write('chatter ' * 40_000)",
        ],
    )
    def test_other_lines_are_skipped(self, tmp_path, talk):
        engine = behaviour(f"def place(m): {talk}; return legal(m)", tmp_path, engine_seconds=2.0)
        assert engine.problems == ()

    def test_a_placement_given_up_is_made_by_the_solver(self, tmp_path):
        own = "def place(m): return {'error': {'a': 1}} if m['street'] == 5 else legal(m)"
        engine = behaviour(own, tmp_path)
        assert (engine.placements_given_up, engine.illegal) == (2, 0)
        assert engine.problems[0] == 'deck 0, seat 1, street 5: gives up: {"a": 1}'

    def test_a_hand_given_up_leaves_its_deck_out(self, tmp_path):
        own = "def new_hand(m): return {'ok': True} if m['seed'] % 2 else {'error': 'an even\\nseed'}"
        result, hands = play([write_engine(tmp_path, own), "random"], 24)
        engine = result.players[0].engine
        assert 0 < engine.hands_given_up < 12
        assert result.decks == 12 - engine.hands_given_up
        assert len(hands) == result.hands == 2 * result.decks
        assert result.stop_reason == "hands"
        assert "gives up the hand: an even seed" in engine.problems[0]

    def test_an_engine_that_gives_up_every_hand_ends_the_match(self, tmp_path):
        with pytest.raises(
            InputError, match=r"no hand was finished: engine:.* gave up every hand; deck 0, .* not mine"
        ):
            play([write_engine(tmp_path, "def new_hand(m): return {'error': 'not mine'}"), "random"])


class TestDeath:
    def test_a_dead_engine_is_started_again_once(self, tmp_path):
        own = """
def place(m):
    if m["street"] == 3 and not (HERE / "died").exists():
        (HERE / "died").touch()
        os._exit(3)
    return legal(m)
"""
        engine = behaviour(own, tmp_path)
        assert (engine.restarts, engine.illegal, engine.placements_given_up) == (1, 0, 0)
        assert "street 3: started again: " in engine.problems[0]
        asked = [message["ask"] for message in heard(tmp_path)]
        assert asked[:8] == ["hello", "new_hand", "place", "place", "place", "hello", "new_hand", "place"]

    @pytest.mark.parametrize(
        ("own", "problem"),
        [
            ("def place(m): sys.exit('no memory left')", "has ended: no memory left$"),
            ("def hello(m): os._exit(1)", "has ended$"),
            ("import no_such_module", "has ended: ModuleNotFoundError"),
            ("def new_hand(m): raise KeyError(m['seat'])", "has ended: KeyError: 1$"),
            ("def place(m): time.sleep(60)", "does not answer$"),
            ("time.sleep(60)", "does not answer$"),
            ("def place(m): os.close(1); time.sleep(60)", "has ended"),
            ("def place(m): return {'id': 'another'}", 'does not answer; it said \'{"id": "another"'),
            ("def place(m):\n    while True: say('thinking\\n')", "does not answer; it said 'thinking'"),
            ("def hello(m): return {'protocol': 2}", r"answered hello with \{.*\}, not with protocol 1"),
            ("def hello(m): return {'error': 'go away'}", "answered hello with .*go away"),
        ],
    )
    def test_the_second_time_it_is_reported(self, tmp_path, hurry, own, problem):
        with pytest.raises(EngineError, match=problem):
            behaviour(own, tmp_path, engine_seconds=0.1)
        path = tmp_path / "heard.jsonl"
        assert sum(message["ask"] == "hello" for message in (heard(tmp_path) if path.exists() else [])) <= 2

    def test_the_report_comes_from_workers_too(self, tmp_path):
        names = [write_engine(tmp_path, "def place(m): os._exit(1)"), "random"]
        with open_executor("local", 2) as executor, pytest.raises(EngineError, match="has ended"):
            play(names, 8, batch=Batch(executor))

    def test_an_engine_ends_with_its_match_even_if_it_does_not_want_to(self, tmp_path):
        own = """
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
(HERE / "pids").write_text(f"{os.getpid()} {child.pid}")
import atexit
atexit.register(time.sleep, 600)
"""
        behaviour(own, tmp_path)
        end = time.monotonic() + 10
        for pid in map(int, (tmp_path / "pids").read_text().split()):
            while _runs(pid) and time.monotonic() < end:
                time.sleep(0.05)
            assert not _runs(pid)


def _runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # a zombie is not running
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("command", ["", "  ", "/no/such/program", "'open", "no-such-program -x"])
def test_a_command_that_cannot_be_started_is_refused_at_once(command):
    with pytest.raises(InputError, match="cannot be started: there is no such program"):
        OfcMatch([f"engine:{command}", "random"], 2)


def test_only_matches_start_programs():
    with pytest.raises(InputError, match="there is no strategy engine"):
        find_strategy("engine:true")
