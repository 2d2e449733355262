"""``bromeliad match`` and ``bromeliad hands``."""

import json
import signal
import subprocess
import sys
import time

import pytest


class TestMatch:
    def test_prints_who_is_better(self, run):
        done = run("match", "heuristic", "random", "--hands", "20")
        assert done.code == 0
        assert "20 hands from 10 decks under pineapple rules, seed 1" in done.out
        assert "heuristic" in done.out
        assert "±" in done.out

    def test_json_is_the_same_every_time(self, run):
        call = ("match", "mcts:50sims", "random", "--hands", "6", "--seed", "9", "--json")
        results = [run(*call).json for _ in range(2)]
        for result in results:
            for player in result["players"]:
                del player["ms_per_decision"]
        assert results[0] == results[1]
        assert results[0]["hands"] == 6
        assert {"mean", "stderr", "luck_adjusted_mean", "p_foul", "p_scoop"} <= results[0]["players"][0].keys()

    def test_writes_histories_that_replay(self, run, tmp_path):
        path = str(tmp_path / "hands.jsonl")
        assert run("match", "heuristic", "random", "--hands", "6", "--carry", "--histories", path).code == 0
        done = run("hands", "check", path)
        assert (done.code, done.err) == (0, "")
        assert "no problems" in done.out

    def test_stops_by_the_test(self, run):
        result = run("match", "heuristic", "random", "--hands", "5000", "--sprt", "0:2", "--json").json
        assert (result["stop_reason"], result["sprt_verdict"]) == ("sprt", "high")

    @pytest.mark.parametrize(
        ("args", "expected"),
        [
            (("random",), "pineapple is played by 2 to 3 players, not 1"),
            (("random", "nobody"), "there is no strategy nobody; strategies: random, heuristic, mcts, solver"),
            (("random", "random", "--sprt", "3"), "--sprt 3: write it like 0:1 (points per hand)"),
            (
                ("random", "random", "--sprt", "3:1"),
                "the test needs two means, the lower one first: 3.0 is not below 1.0",
            ),
            (("random", "random", "--hands", "0"), "--hands must be a whole number from 1 up"),
            (("random", "random", "--time", "0"), "--time must be a number from 0.01 to 86400"),
            (("random", "random", "--rules", "nothing"), "nothing: no such preset and no such file"),
            (("random", "random", "--histories", "/no/such/file"), "/no/such/file: cannot be written"),
        ],
    )
    def test_refuses_in_one_line(self, run, args, expected):
        assert run("match", *args).problem.startswith(expected)

    def test_speaks_chinese(self, run):
        done = run("match", "heuristic", "random", "--hands", "2", "--lang", "zh-TW")
        assert "每手分數" in done.out

    def test_ctrl_c_gives_the_result_so_far(self, tmp_path):
        path = tmp_path / "hands.jsonl"
        args = ("match", "heuristic", "random", "--hands", "1000000", "--json", "--histories", str(path))
        command = [sys.executable, "-m", "bromeliad", *args]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 240
        while not (path.exists() and path.stat().st_size) and time.monotonic() < end:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        result = json.loads(out)
        assert result["stop_reason"] == "cancelled"
        assert result["hands"] >= 2


class TestHands:
    @pytest.fixture
    def path(self, run, tmp_path):
        path = tmp_path / "hands.jsonl"
        assert run("match", "heuristic", "random", "--hands", "4", "--histories", str(path)).code == 0
        return path

    def test_shows_hands(self, run, path):
        done = run("hands", "show", str(path), "--hand", "2")
        assert done.out.startswith("Hand 2, pineapple rules")
        assert done.out.count("Hand ") == 1
        assert "♠" in done.out
        assert run("hands", "show", str(path), "--json").lines[3]["hand"] == 4

    def test_names_the_line_and_goes_on(self, run, path):
        lines = path.read_text().splitlines()
        broken = json.loads(lines[1])
        broken["events"][-1]["points"][0] += 1
        path.write_text("\n".join([lines[0], json.dumps(broken), "nonsense", lines[3]]))
        done = run("hands", "check", str(path))
        assert done.code == 2
        problems = done.err.splitlines()
        assert len(problems) == 2
        assert problems[0].startswith("bromeliad: line 2: points: the replay gives seat 1 ")
        assert problems[1] == "bromeliad: line 3: not JSON: nonsense"
        result = run("hands", "check", str(path), "--json")
        assert result.code == 2
        assert [problem["line"] for problem in result.json["problems"]] == [2, 3]
        assert (result.json["ok"], result.json["hands"]) == (False, 4)

    def test_shows_what_can_be_shown(self, run, path):
        path.write_text("nonsense\n" + path.read_text())
        done = run("hands", "show", str(path))
        assert done.code == 2
        assert "line 1: not JSON" in done.err
        assert done.out.count("Hand ") == 4

    def test_files_must_be_there(self, run, tmp_path):
        assert "cannot be read" in run("hands", "check", str(tmp_path / "none")).problem


def test_a_file_without_the_hand_is_refused(run, tmp_path):
    path = tmp_path / "hands.jsonl"
    assert run("match", "heuristic", "random", "--hands", "2", "--histories", str(path)).code == 0
    once = path.read_text("utf-8")
    assert run("match", "heuristic", "random", "--hands", "2", "--histories", str(path)).code == 0
    assert path.read_text("utf-8") == once + once  # the file is appended to
    assert "has no such hand" in run("hands", "show", str(path), "--hand", "99").problem
    path.write_text("", "utf-8")
    assert "has no hands" in run("hands", "check", str(path)).problem
