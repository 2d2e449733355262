"""``bromeliad sequence solve | play | match``."""

import io
import json

import pytest

EMPTY = ["#________#", *["_" * 10] * 8, "#________#"]
WIN = {
    "board": [*EMPTY[:3], "_rrrr_____", *EMPTY[4:]],
    "seat": 0,
    "hand": "7s 8s 9s 2h 3h 3c",
    "draft": ["2c", "4c", "5c", "6c", "7c"],
    "sequences": [1, 0],
}
FEW = ("--simulations", "200")


class TestSolve:
    def test_a_position(self, run, monkeypatch, tmp_path):
        text = json.dumps(WIN)
        answer = run("sequence", "solve", "--position", text, "--json", *FEW).json
        assert answer["best"] == "3c@35"
        assert answer["turn"] == ["3c@35"]
        assert answer["value"] > 0.9
        assert answer["caches"]["actions"]["room"] == 10_000
        path = tmp_path / "position.json"
        path.write_text(text)
        assert "Best is 3c@35" in run("sequence", "solve", "--position", str(path), *FEW).out
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        assert run("sequence", "solve", "--position", "-", "--json", *FEW).json["best"] == "3c@35"

    def test_a_deal_is_shown_as_a_position_that_can_be_solved(self, run):
        shown = run("sequence", "solve", "--deal", "7", "--show").json
        assert len(shown["hand"]) == 6
        both = [
            run("sequence", "solve", *given, "--json", *FEW).json
            for given in (("--deal", "7"), ("--position", json.dumps(shown)))
        ]
        assert both[0]["candidates"] == both[1]["candidates"]

    def test_official_rules_for_three(self, run):
        answer = run("sequence", "solve", "--deal", "3", "--rules", "official", "--players", "3", "--json", *FEW).json
        assert len(answer["turn"]) == 1
        assert answer["draft"] == {}

    @pytest.mark.parametrize(
        "args",
        [
            (),
            ("--deal", "1", "--position", "{}"),
            ("--deal", "1", "--time", "0"),
            ("--deal", "1", "--players", "5", "--rules", "official"),
            ("--deal", "1", "--players", "3"),
            ("--deal", "1", "--rules", "official", "--players", "4", "--teams", "3"),
            ("--position", "{"),
            ("--position", "{}"),
            ("--position", "/nowhere.json"),
            ("--position", json.dumps(WIN | {"hand": "7s 7s 7s"})),
            ("--position", json.dumps(WIN | {"board": 3})),
        ],
    )
    def test_errors(self, run, args):
        assert run("sequence", "solve", *args).problem


def test_play(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("nonsense\n?\nmoves\nhint\nundo\nquit\n"))
    result = run("sequence", "play", "--seed", "7", *FEW)
    assert result.code == 0
    assert "is not a move" in result.out
    assert "Type a move such as 7c@20" in result.out
    assert "I would play" in result.out
    assert "Your hand: " in result.out
    assert run("sequence", "play", "--seat", "2").problem


def test_playing_by_the_hints(run, monkeypatch):
    """Moves can be typed as the game writes them, and undone."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(["9h@28", "+2c", "undo", "quit"])))
    result = run("sequence", "play", "--seed", "7", "--simulations", "20")
    assert result.code == 0
    assert "Moves: " in result.out


def test_match(run):
    result = run("sequence", "match", "greedy", "random", "--games", "4", "--json").json
    assert sum(result["counts"]) == len(result["games"]) == 4
    assert "greedy against random" in run("sequence", "match", "greedy", "random", "--games", "2").out
    assert run("sequence", "match", "greedy", "nobody", "--games", "2").problem
    assert run("sequence", "match", "greedy", "random", "--rules", "official", "--players", "3").problem
