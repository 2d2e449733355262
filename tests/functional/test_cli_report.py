"""``bromeliad report``, and reviews of games in a store."""

import json

import pytest

from analysis_hands import lines
from bromeliad.storage import open_store

HANDS = 3


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "hands.jsonl"
    path.write_text("\n".join(lines(hands=HANDS)) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def store(tmp_path, file):
    place = tmp_path / "store.sqlite"
    with open_store(place) as opened:
        list(opened.hands.import_file(file))
    return str(place)


class TestFiles:
    def test_prints_tables(self, run, file):
        done = run("report", file)
        assert (done.code, done.err) == (0, "")
        for text in ("Results", "points per hand", "Hand types: back", "Where cards go", "No anomalies.", "ann", "bob"):
            assert text in done.out

    def test_writes_everything(self, run, file, tmp_path):
        paths = {kind: tmp_path / f"out.{kind}" for kind in ("html", "csv", "parquet")}
        options = [part for kind, path in paths.items() for part in (f"--{kind}", str(path))]
        found = run("report", file, "--json", "--luck", *options).json
        assert found["hands"] == HANDS
        assert [item["player"] for item in found["adjusted"]] == ["ann", "bob"]
        html = paths["html"].read_text("utf-8")
        assert html.count("<svg") == 2
        assert "http" not in html.replace("http://www.w3.org", "")
        assert "<script" not in html
        assert len(paths["csv"].read_text("utf-8").splitlines()) == 2 * HANDS + 1
        assert paths["parquet"].read_bytes()[:4] == b"PAR1"

    def test_what_a_terminal_would_act_upon_does_not_reach_it(self, run, file, tmp_path):
        data = json.loads(lines(hands=1)[0])
        data["rules"] = "red\x1b[31m"
        data["players"][1]["name"] = "b\u2028b"
        named_badly = json.dumps(data | {"rules": "pineapple"})
        data["players"][1]["name"] = "bob"
        bad = tmp_path / "bad.jsonl"
        bad.write_text("\n".join([json.dumps(data), named_badly, "\x1b[31mnonsense"]) + "\n", encoding="utf-8")
        for command in (("report", file, str(bad)), ("hands", "show", str(bad)), ("hands", "check", str(bad))):
            done = run(*command)
            assert "line" in done.out + done.err
            assert all(letter.isprintable() or letter == "\n" for letter in done.out + done.err), command
        assert "line 2: players.1.name: may not contain control characters" in done.err

    def test_tells_of_anomalies(self, run, file, tmp_path):
        texts = lines(hands=HANDS)
        data = json.loads(texts[1])
        data["events"][-1]["points"][0] += 3
        data["players"][0]["name"] = "<b>"
        bad = tmp_path / "bad.jsonl"
        bad.write_text(json.dumps(data) + "\nnonsense\n", encoding="utf-8")
        page = tmp_path / "bad.html"
        found = run("report", file, str(bad), "--json", "--html", str(page)).json
        assert found["anomalies"] == {"score": 1, "sum": 1, "unreadable": 1}
        assert {(item["kind"], item["line"]) for item in map(named, found["anomaly_list"])} == {
            ("score", 1),
            ("sum", 1),
            ("unreadable", 2),
        }
        assert "<b>" not in page.read_text("utf-8")
        assert "scores that differ from the rules" in run("report", str(bad)).out

    def test_speaks_chinese(self, run, file):
        done = run("report", file, "--lang", "zh-CN")
        assert "牌型分" in done.out
        assert "没有异常" in done.out


def named(row):
    return row if isinstance(row, dict) else dict(zip(("kind", "source", "line", "hand", "detail"), row, strict=True))


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("/no/such/file",), "/no/such/file: cannot be read"),
        (("{file}", "--store", "x.sqlite"), "give either files or a store, not both"),
        (("{file}", "--player", "zoe"), "there is no player zoe; players: ann, bob"),
        (("{file}", "--html", "/no/such/page"), "/no/such/page: cannot be written"),
        (("{file}", "--rules", "nope"), "{file} has no hand under these rules; its rules: pineapple"),
        (("--store", "{store}", "--game", "7"), "there is no game 7 in the store"),
    ],
)
def test_refuses_in_one_line(run, file, store, args, expected):
    places = {"file": file, "store": store}
    assert run("report", *(arg.format(**places) for arg in args)).problem.startswith(expected.format(**places))


class TestStore:
    def test_a_game_is_reviewed_and_reported_on(self, run, store):
        options = ("--time", "0.02", "--threads", "1", "--player", "bob", "--store", store, "--json")
        found = run("review", "1", *options).json
        assert found["reviewed"] == found["decisions"] > 4 * HANDS
        report = run("report", "--store", store, "--json").json
        assert sum(item["loss"]["count"] for item in report["ev_losses"]) == found["reviewed"]
        assert report["anomalies"] == {}
        assert "EV lost" in run("report", "--store", store).out

    def test_the_default_store_is_that_of_the_environment(self, run, store, monkeypatch):
        monkeypatch.setenv("BROMELIAD_STORE", store)
        assert run("report", "--json").json["hands"] == HANDS

    @pytest.mark.parametrize(
        ("args", "expected"),
        [
            (("9", "--store", "{store}"), "there is no game 9 in the store"),
            (("{file}", "--store", "{store}"), "{file}: with --store, give the number of a game"),
        ],
    )
    def test_refuses_in_one_line(self, run, file, store, args, expected):
        places = {"file": file, "store": store}
        assert run("review", *(arg.format(**places) for arg in args)).problem.startswith(expected.format(**places))
