"""``bromeliad gomoku solve | play | match | train`` and ``pbrain-bromeliad``."""

import io
import json
import sys

import pytest

WIN = "H8A1I8A3J8A5"  # black makes an open four


class TestSolve:
    def test_one_position(self, run):
        answer = run("gomoku", "solve", "--position", WIN, "--json").json
        assert answer["result"] == "win"
        assert answer["best"] == answer["line"][0] in ("G8", "K8")
        assert "wins by continuous fours" in run("gomoku", "solve", "--position", WIN).out

    def test_many_positions_and_bad_lines(self, run, tmp_path):
        path = tmp_path / "positions.jsonl"
        lines = [{"side": 1, "size": 15, "stones": WIN}, {"stones": "H8H8"}, {"size": 15}, {"stones": "E5", "size": 9}]
        path.write_text("\n".join([*map(json.dumps, lines), "nonsense"]))
        result = run("gomoku", "solve", "--positions", str(path), "--simulations", "50")
        assert result.code == 1
        answers = result.lines
        assert [answer.get("result", "error") for answer in answers[:3]] == ["win", "error", "error"]
        assert answers[3]["result"] in ("none", "unknown")
        assert answers[3]["how"] == "search"
        assert "error" in answers[4]

    @pytest.mark.parametrize(
        "args",
        [
            (),
            ("--position", WIN, "--positions", "-"),
            ("--position", WIN, "--time", "0"),
            ("--position", WIN, "--size", "4"),
            ("--position", WIN, "--model", "/nowhere.npz"),
            ("--position", "H8H8"),
        ],
    )
    def test_errors(self, run, args):
        assert run("gomoku", "solve", *args).problem


def test_play(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("help\nH9\nE5\nE5\nhint\nundo\nE5\nquit\n"))
    result = run("gomoku", "play", "--size", "9", "--time", "0.02")
    assert result.code == 0
    assert "Type a cell such as H8" in result.out
    assert "Moves of this position: A9 B9 C9 D9 E9\n" in result.out
    assert "E5 cannot be played" in result.out
    assert "I would play" in result.out
    assert "Moves: " in result.out


def test_match_and_training(run, tmp_path):
    model = tmp_path / "model.npz"
    few = ("--size", "7", "--simulations", "10")
    train = run("gomoku", "train", *few, "--rounds", "1", "--games", "1", "--output", str(model), "--model", "plain")
    assert train.code == 0, train
    openings = tmp_path / "openings.txt"
    openings.write_text("0,0\n")
    names = ("bromeliad", f"bromeliad:{model}")
    played = run("gomoku", "match", *names, *few, "--games", "2", "--openings", str(openings), "--json").json
    assert len(played["games"]) == 2
    assert "Elo" in run("gomoku", "match", *names, *few, "--games", "2", "--openings", str(openings)).out
    assert run("gomoku", "match", *names, "--sprt", "5,1").problem
    assert run("gomoku", "match", "bromeliad", "/no/such/engine", "--openings", str(openings)).problem


def test_an_engine_of_its_own_process_plays_a_match(run, tmp_path):
    openings = tmp_path / "openings.txt"
    openings.write_text("0,0\n")
    engine = f"{sys.executable} -c 'from bromeliad.games.gomoku.gomocup.protocol import main; main()'"
    args = ("--size", "7", "--games", "2", "--time", "0.05", "--openings", str(openings), "--json")
    played = run("gomoku", "match", "bromeliad", engine, *args).json
    assert {game["reason"] for game in played["games"]} <= {"five", "draw"}
