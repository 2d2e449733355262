"""Games of other packages: made by docs/adding-a-game.md from an empty folder, installed, played, solved and served."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from serving import API, Client, ServiceProcess

ROOT = Path(__file__).parents[2]
FEW = ("--simulations", "500")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install the game of the document, and the games of examples/games, where only these tests look for them."""
    folder, site = tmp_path_factory.mktemp("twentyone"), tmp_path_factory.mktemp("site")
    text = (ROOT / "docs" / "adding-a-game.md").read_text("utf-8")
    for name, language in (("twentyone.py", "python"), ("pyproject.toml", "toml")):
        (folder / name).write_text(re.search(rf"`{name}`.*?```{language}\n(.*?)```", text, re.DOTALL)[1], "utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(site)]
    subprocess.run([*pip, *options, str(folder), str(ROOT / "examples" / "games")], check=True, timeout=300)
    careless = "class Careless:\n    def __init__(self):\n        raise RuntimeError('no luck')\n"
    (site / "careless.py").write_text(careless)
    about = site / "careless-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: careless\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[bromeliad.games]\ncareless = careless:Careless\nsolve = careless:Careless\n"
    )
    places = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(places)}


@pytest.fixture
def run(run_process, installed):
    """Run a command where the games are installed."""
    return lambda *args, stdin="": run_process(*args, stdin=stdin, env=installed)


def test_the_command_line_lists_them(run):
    out = run("--help").out
    for name in ("twentyone", "tictactoe", "connect4"):
        assert f"\n  {name} " in out
    assert "--position MOVES" in run("connect4", "solve", "--help").out
    assert out.count("\n  solve ") == 1  # a game may not take the name of a command


def test_a_careless_game_is_told_in_one_line(run):
    """So the service of :func:`test_the_service_answers` starts beside it, too."""
    assert run("careless", "solve").problem == "the game careless cannot be loaded: no luck"


class TestSolve:
    def test_the_toy_game(self, run):
        answer = run("twentyone", "solve", "--position", "+3 +3 +3 +3 +2", "--json", *FEW).json
        assert answer["game"] == "twentyone"
        assert answer["best"] == answer["line"][0] == answer["candidates"][0]["move"] == "+3"
        assert answer["method"] == "mcts"
        assert answer["simulations"] == 500
        assert answer["stop_reason"] == "simulations"
        assert answer["elapsed_s"] > 0.0
        assert "Best is +3" in run("twentyone", "solve", "--position", "+3 +3 +3 +3 +2", *FEW).out

    def test_connect_four_wins_at_once(self, run):
        answer = run("connect4", "solve", "--position", "1 2 1 2 1 2", "--json", *FEW).json
        assert (answer["best"], answer["value"]) == ("1", 1.0)

    def test_many_positions_and_bad_lines(self, run):
        lines = [{"position": "1 2 1 2 1 2"}, {"position": "9"}, {"nonsense": 1}, {"position": "", "simulations": 20}]
        result = run("connect4", "solve", "--positions", "-", *FEW, stdin="\n".join(map(json.dumps, lines)))
        assert result.code == 1
        assert [answer.get("best", "error") for answer in result.lines[:3]] == ["1", "error", "error"]
        assert result.lines[3]["simulations"] == 20

    def test_what_is_wrong_is_told(self, run):
        assert run("connect4", "solve").problem
        assert "'8' is not a column" in run("connect4", "solve", "--position", "8").problem
        assert run("twentyone", "solve", "--position", "+x").problem.startswith("'+x' is not a move")
        assert run("connect4", "solve", "--position", "1", "--simulations", "0").problem.startswith("--simulations")


def test_play(run):
    out = run("connect4", "play", *FEW, stdin="4\n9\nhint\nmoves\nundo\nquit\n").out
    assert ". . . x . . ." in out
    assert "'9' is not a column" in out
    assert "I play " in out
    assert "I would play " in out
    assert "\n1 2 3 4 5 6 7\n" in out
    for word in ("help", "?"):
        shown = run("connect4", "play", *FEW, stdin=f"{word}\nquit\n").out
        assert "Type a move, or help, hint, moves, undo or quit." in shown
        assert "Moves of this position: 1 2 3 4 5\n" in shown
    won = run("tictactoe", "play", "--moves", "a1 a2 b1 b2", *FEW, stdin="c1\n").out
    assert "You win." in won
    assert "Moves: a1 a2 b1 b2 c1" in won
    assert run("connect4", "play", "--seat", "2").problem


def test_match(run):
    played = run("connect4", "match", "mcts", "random", "--games", "4", "--simulations", "100", "--json").json
    assert played["counts"] == [4, 0, 0]
    assert [game["first_is_black"] for game in played["games"]] == [True, False, True, False]
    assert run("connect4", "match", "mcts", "nobody", "--games", "2").problem


def test_the_service_answers(tmp_path, installed):
    service = ServiceProcess(tmp_path / "store.sqlite", **installed)
    try:
        with Client(service.address) as client:
            described = client.get(f"{API}/openapi.json").json()["components"]["schemas"]
            assert described["TwentyoneJob"]["properties"]["game"]["const"] == "twentyone"
            done = client.wait(client.job({"position": "+3 +3 +3 +3 +2", "simulations": 500}, game="twentyone"))
            answer = done["answer"]
            assert done["simulations"] == answer["simulations"] == 500
            assert (answer["game"], answer["best"], answer["method"]) == ("twentyone", "+3", "mcts")
            job = client.job({"position": "1 2 1 2", "time": 50}, game="connect4")
            shown = next(data["actions"] for name, data in client.events(job) if name == "progress" and data["actions"])
            assert {entry["move"] for entry in shown} <= set("1234567")
            ended = client.delete(f"{API}/jobs/{job['id']}").json()
            assert ended["answer"]["stop_reason"] == "cancelled"
            wrong = client.job({"position": "8"}, game="connect4", status=422)
            assert wrong["field"] == "request.position"
            assert "'8' is not a column" in wrong["detail"]
            unknown = client.job({"cards": "8"}, game="connect4", status=422)["detail"]
            assert unknown == "request.cards: is not a known field; allowed: time, simulations, seed, position"
            assert client.job({"seed": -1}, game="connect4", status=422)["field"] == "request.seed"
            assert client.job({}, game="nothing", status=422)["field"] == "game"
    finally:
        service.stop()
