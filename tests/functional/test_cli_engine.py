"""The engine protocol: the document's conversation, matches with engines, exit codes."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from bromeliad.games.ofc.rules.files import preset
from engines import write_engine

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "engine-protocol.md").read_text(encoding="utf-8")
MATCHES = re.findall(r"^bromeliad match .*$", TEXT, re.MULTILINE)


def test_the_conversation_of_the_document(run_process):
    lines = re.findall(r"^([→←]) (.*)$", TEXT, re.MULTILINE)
    rules = preset("pineapple").model_dump_json()
    asked = [line.replace("{…}", rules) for arrow, line in lines if arrow == "→"]
    answers = [line for arrow, line in lines if arrow == "←"]
    done = run_process("engine", "heuristic", stdin="\n".join(asked) + "\n")
    assert (done.code, done.out.splitlines()) == (0, answers)
    assert [json.loads(line)["ask"] for line in asked] == ["hello", "new_hand", "place", "place", "place", "quit"]


@pytest.mark.parametrize("command", MATCHES)
def test_the_matches_of_the_document(run, monkeypatch, command):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    command = command.replace("--hands 200", "--hands 2")
    if "engine:bromeliad" in command:  # run this package, which need not be installed
        command = command.replace("engine:bromeliad", f"engine:{sys.executable} -m bromeliad")
    done = run(*shlex.split(command)[1:])
    assert done.code == 0, done
    assert "pairs" in done.out


def test_the_document_lists_what_the_json_has(run, tmp_path):
    player = run("match", write_engine(tmp_path), "random", "--hands", "2", "--json").json["players"]
    table = re.search(r"^\| key \|.*?\n\n", TEXT, re.MULTILINE | re.DOTALL)[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(rows)) == list(player[0]["engine"])
    assert player[1]["engine"] is None


class TestMatch:
    def test_names_what_an_engine_did_wrong(self, run, tmp_path):
        own = "def place(m): return {'error': 'pass'} if m['street'] == 2 else {} if m['street'] == 3 else legal(m)"
        name = write_engine(tmp_path, own)
        done = run("match", name, "random", "--hands", "2", "--histories", str(tmp_path / "hands.jsonl"))
        assert done.code == 0
        flat = " ".join(done.out.split())
        assert (
            "is test 7: 2 illegal placements, 0 late placements, 2 placements given up, 0 hands given up, 0 restarts"
            in flat
        )
        assert "deck 0, seat 1, street 2: gives up: pass" in flat
        assert "seat 2, street 3: illegal: top must be a list of cards" in flat
        assert run("hands", "check", str(tmp_path / "hands.jsonl")).code == 0

    def test_speaks_chinese(self, run, tmp_path):
        done = run("match", write_engine(tmp_path), "random", "--hands", "2", "--lang", "zh-TW")
        assert "違規擺牌0次" in "".join(done.out.split())

    def test_a_dead_engine_is_one_line_and_exit_code_1(self, run, tmp_path):
        name = write_engine(tmp_path, "def place(m): sys.exit('out of\\x1b ideas')")
        done = run("match", "random", name, "--hands", "4")
        assert (done.code, done.out) == (1, "")
        assert done.err.count("\n") == 1
        assert done.err.endswith("has ended: out of  ideas\n")

    def test_an_engine_that_plays_nothing(self, run, tmp_path):
        name = write_engine(tmp_path, "def new_hand(m): return {'error': 'not mine'}")
        assert "no hand was finished" in run("match", "random", name, "--hands", "4").problem

    @pytest.mark.parametrize(
        ("args", "expected"),
        [
            (
                ("random", "engine:/no/such/engine"),
                "the engine /no/such/engine cannot be started: there is no such program",
            ),
            (("random", "random", "--time", "soon"), "--time must be a number"),
            (("random", "engine:true", "--time", "nan"), "nan: after solver"),
        ],
    )
    def test_refuses_in_one_line(self, run, args, expected):
        assert run("match", *args).problem.startswith(expected)

    def test_goes_on_only_with_the_same_engine(self, run, tmp_path):
        name = write_engine(tmp_path, "def place(m): return legal(m) if m['street'] < 5 else os._exit(1)")
        assert run("match", name, "random", "--hands", "8").code == 1
        write_engine(tmp_path)
        done = run("match", name, "random", "--hands", "8", "--json")
        assert (done.code, done.json["players"][0]["engine"]["illegal"]) == (0, 0)
        assert "going on" not in done.err


class TestEngine:
    def test_unknown_strategies_are_refused(self, run):
        assert run("engine", "nobody").problem.startswith("there is no strategy nobody")
        assert "engine" in run("--help").out

    def test_answers_every_line_and_only_answers(self, run_process):
        done = run_process(
            "engine", "random", stdin='nonsense\n{"ask": "sing", "id": 5}\n\n[]\n{"id": 6, "ask": "hello"}'
        )
        assert done.code == 0
        assert [answer["id"] for answer in done.lines] == [None, 5, None, 6]
        assert [sorted(answer)[0] for answer in done.lines[:3]] == ["error"] * 3
