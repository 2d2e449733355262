"""``bromeliad review``."""

import json

import pytest

from bromeliad.games.ofc.play.history import HistoryWriter, record_of
from bromeliad.games.ofc.play.strategies import RandomStrategy
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset

NAMES = ("<script>alert(1)</script>", "bob")


@pytest.fixture
def file(tmp_path):
    """Return a file with one hand of two random players."""
    path = tmp_path / "hands.jsonl"
    table = Table(preset("pineapple"), [RandomStrategy(), RandomStrategy()], seed=2)
    HistoryWriter(path).write(record_of(table.play_hand(), NAMES))
    return path


CALL = ("--time", "0.05", "--threads", "1", "--player", "bob")


def test_prints_mistakes_and_sums(run, file):
    done = run("review", str(file), *CALL)
    assert (done.code, done.err) == (0, "")
    assert "1. lost " in done.out
    assert "better" in done.out
    assert "royalties" in done.out
    assert "5 of 5 decisions in 1 hands reviewed" in " ".join(done.out.split())


def test_json_and_page(run, file, tmp_path):
    page = tmp_path / "review.html"
    found = run("review", str(file), "--time", "0.05", "--threads", "1", "--json", "--html", str(page)).json
    assert found["reviewed"] == 10
    assert {item["player"] for item in found["sums"]} == set(NAMES)
    losses = [item["ev_loss"] for item in found["mistakes"]]
    assert losses == sorted(losses, reverse=True)
    assert found["mistakes"][0]["best"]["ev"] > found["mistakes"][0]["best_ev"] - 1e-9
    html = page.read_text("utf-8")
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "http" not in html


def test_goes_on_after_a_bad_line(run, file):
    data = json.loads(file.read_text("utf-8"))
    data["events"][0]["cards"] = "As As Kd 2c 3c"
    file.write_text(json.dumps(data) + "\n" + file.read_text("utf-8"), encoding="utf-8")
    done = run("review", str(file), *CALL, "--json")
    assert done.code == 2
    assert done.err == "bromeliad: line 1: event 1: the same card appears twice: As\n"
    assert done.json["reviewed"] == 5


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("/no/such/file",), "/no/such/file: cannot be read"),
        (("{file}", "--player", "eve"), "there is no player eve; players: "),
        (("{file}", "--time", "1", "--simulations", "5"), "give a time or a number of simulations, not both"),
        (("{file}", "--time", "0"), "time: "),
        (("{file}", "--top", "0"), "--top must be a whole number from 1 up"),
        (("{file}", "--html", "/no/such/page.html"), "/no/such/page.html: cannot be written"),
    ],
)
def test_refuses_in_one_line(run, file, args, expected):
    assert run("review", *(arg.format(file=file) for arg in args)).problem.startswith(expected)


def test_speaks_chinese(run, file):
    done = run("review", str(file), *CALL, "--lang", "zh-TW")
    assert "范特西" in done.out
    assert "損失" in done.out
