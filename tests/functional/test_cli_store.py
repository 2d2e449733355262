"""The store: answers are found again, hands are imported and exported, and a failing store costs no answer."""

import json
import subprocess
import sys

import pytest

from bromeliad.storage import open_store
from played_hands import played_hands

EXACT = ("solve", "--cards", "Kc 9d 3s", "--board", "Qd / 9c 9s 4h / As Ac Ad 7h 7d", "--dead", "2c 5d")
OTHER_SUITS = ("solve", "--cards", "Kd 9c 3s", "--board", "Qc / 9d 9s 4h / As Ac Ad 7h 7c", "--dead", "2d 5c")
LAST = ("solve", "--cards", "Kc 9d 3s", "--board", "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d")


class TestSolve:
    def test_a_solved_position_is_not_solved_again(self, run, own_store):
        first = run(*EXACT, "--json").json
        again = run(*OTHER_SUITS, "--json").json
        assert (first["stored"], again["stored"]) == (False, True)
        assert again["value"] == first["value"]
        assert (first["best"]["top"], again["best"]["top"]) == (["Kc"], ["Kd"])
        assert ", from the store; it was found in " in run(*EXACT).out
        facts = run("store", "--json").json
        assert facts["place"] == str(own_store)
        assert (facts["results"]["hits"], facts["results"]["misses"], facts["results"]["exact"]) == (2, 1, 1)
        assert "2 of 3 questions answered from the store (66.7 %)" in run("store").out

    def test_without_the_store(self, run, own_store):
        assert [run(*EXACT, "--no-store", "--json").json["stored"] for _ in range(2)] == [False, False]
        assert not own_store.exists()

    def test_deeper(self, run):
        asked = ("solve", "--cards", "Kc 9d 3s", "--board", "- / 9c 9s / As Ac Ad", "--time", "0.2", "--json")
        first = run(*asked).json
        assert (first["method"], run(*asked).json["stored"]) == ("halving", True)
        deeper = run(*asked, "--deeper").json
        assert deeper["best"]["stderr"] <= first["best"]["stderr"]
        assert run(*EXACT, "--json", "--deeper").json["stored"] is False
        assert run(*EXACT, "--json", "--deeper").json["stored"] is True  # an exact answer cannot be improved

    def test_what_is_quickly_computed_opens_no_store(self, run_process, own_store):
        script = (
            "import sys\nfrom bromeliad.cli.main import main\nmain(sys.argv[1:])\nprint('sqlalchemy' in sys.modules)\n"
        )
        assert run_process(*LAST, module=("-c", script)).out.splitlines()[-1] == "False"
        assert not own_store.exists()

    def test_batches_go_through_it(self, run, tmp_path):
        spots = [{"cards": args[2], "board": args[4], "dead": args[6]} for args in (EXACT, OTHER_SUITS)]
        file = tmp_path / "spots.jsonl"
        file.write_text("\n".join(map(json.dumps, spots)))
        assert [answer["stored"] for answer in run("solve", "--positions", str(file)).lines] == [False, True]

    @pytest.mark.parametrize("kind", ["nowhere", "no store", "read-only"])
    def test_a_store_that_fails_costs_a_line(self, run, tmp_path, monkeypatch, kind):
        place = tmp_path / "store.sqlite"
        if kind == "nowhere":
            place = "/dev/null/x/store.sqlite"
        elif kind == "no store":
            place.write_text("something else " * 100)
        else:
            run(
                "solve",
                "--cards",
                "Kc 9d 3s",
                "--board",
                "- / 9c 9s / As Ac 2d",
                "--time",
                "0.2",
                "--store",
                f"{place}",
            )
            monkeypatch.setattr("bromeliad.storage.database._set_up", _read_only)
        done = run(*EXACT, "--store", str(place), "--json")
        assert done.code == 0
        assert done.json["value"] == pytest.approx(17.429, abs=0.001)
        assert done.err.startswith("bromeliad: continuing without the store: ")
        assert done.err.count("\n") == 1


def _read_only(connection, record):
    """Make a connection read-only. File permissions would not do, because root may write everywhere."""
    connection.isolation_level = None
    connection.execute("PRAGMA query_only=ON").close()


class TestHands:
    @pytest.fixture
    def file(self, run, tmp_path):
        path = tmp_path / "hands.jsonl"
        done = run("match", "heuristic", "random", "--hands", "4", "--histories", str(path), "--store", "default")
        assert done.code == 0
        return path

    def test_a_match_is_kept_when_asked(self, run, file, own_store):
        (game,) = run("hands", "list", "--json").json["games"]
        assert (game["id"], game["hands"], game["source"], game["label"]) == (1, 4, "match", "heuristic, random")
        assert "heuristic, random" in run("hands", "list").out
        assert run("hands", "export").out == file.read_text()
        assert run("store", "--json").json["decisions"] == 40

    def test_hands_are_shown_by_their_numbers(self, run, file):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        assert run("hands", "show", "1", "--json").lines == lines
        assert run("hands", "show", "1/3", "--json").lines == run("hands", "show", "1", "--hand", "3", "--json").lines
        assert "Hand 3, pineapple rules" in run("hands", "show", "1/3").out
        assert run("hands", "show", "2").problem == "there is no game 2 in the store"
        assert run("hands", "show", "1/9").problem == "there is no hand 9 in game 1 of the store"

    def test_a_round_trip(self, run, file, tmp_path):
        other, out = str(tmp_path / "other.sqlite"), tmp_path / "out.jsonl"
        done = run("hands", "import", str(file), "--store", other)
        assert done.out == f"{file}: 4 hands imported, 0 already in the store, 0 refused\n"
        assert run("hands", "export", str(out), "--store", other).out == f"{out}: 4 hands\n"
        assert out.read_bytes() == file.read_bytes()
        assert run("hands", "import", str(out), "--store", other).out.endswith(
            "0 hands imported, 4 already in the store, 0 refused\n"
        )

    def test_bad_lines(self, run, file, tmp_path):
        lines = file.read_text().splitlines()
        bad = tmp_path / "bad.jsonl"
        bad.write_text("\n".join([lines[0], "nonsense", lines[1].replace('"seat": 1', '"seat": 2', 1), lines[2]]))
        other = str(tmp_path / "other.sqlite")
        done = run("hands", "import", str(bad), "--store", other)
        assert done.code == 1
        assert done.out == f"{bad}: 2 hands imported, 0 already in the store, 2 refused\n"
        first, second = done.err.splitlines()
        assert first == f"bromeliad: {bad}, line 2: not JSON: nonsense"
        assert second.startswith(f"bromeliad: {bad}, line 3: event 1: seat 1 acts next")
        result = run("hands", "import", str(bad), str(file), "--store", other, "--json")
        assert result.code == 1
        assert (result.json["imported"], result.json["known"], result.json["refused"]) == (2, 4, 2)
        assert [problem["line"] for problem in result.json["files"][0]["problems"]] == [2, 3]

    def test_errors(self, run, file, tmp_path):
        assert "cannot be read" in run("hands", "import", str(tmp_path / "none")).problem
        assert "there is no game 7" in run("hands", "export", "--game", "7").problem
        assert "cannot be written" in run("hands", "export", "/dev/null/x").problem
        assert "not mysql" in run("hands", "list", "--store", "mysql://x/y").problem
        assert "no games yet" in run("hands", "list", "--store", str(tmp_path / "new.sqlite")).out
        assert "No question has been asked" in run("store", "--store", str(tmp_path / "new.sqlite")).out


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("review", "{huge}"), "{huge}"),
        (("hands", "show", "{huge}"), "{huge}"),
        (("hands", "show", "1/{huge}"), "{huge}"),
        (("hands", "show", "1", "--hand", "{huge}"), "--hand"),
        (("hands", "export", "--game", "{huge}"), "--game"),
        (("report", "--game", "{huge}"), "--game"),
    ],
)
@pytest.mark.parametrize("huge", ["2147483648", "9" * 23])
def test_numbers_that_no_store_has(run, words, name, huge):
    with open_store() as store:
        store.games.add("pineapple", "play")
    done = run(*(word.format(huge=huge) for word in words))
    assert (done.code, done.problem) == (2, f"{name.format(huge=huge)} must be a whole number from 1 to 2147483647")


class TestPlay:
    HAND = "bbbbb\n\n" + "mmx\n\n" * 2 + "tmx\n\n" + "ttx\n\n"
    PLAY = ("play", "--opponent", "heuristic", "--seed", "3", "--hands", "1")

    def test_hands_are_kept(self, run, run_process, own_store):
        assert run_process(*self.PLAY, stdin=self.HAND).code == 0
        (game,) = run("hands", "list", "--json").json["games"]
        assert (game["source"], game["hands"], game["label"]) == ("play", 1, "you, heuristic")

    def test_unless_it_is_not_wanted(self, run_process, own_store):
        assert run_process(*self.PLAY, "--no-store", stdin=self.HAND).code == 0
        assert not own_store.exists()


IMPORT = (
    "import resource, sys; from bromeliad.cli.main import main; code = main(sys.argv[1:]);"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
)


def import_peaks(tmp_path, sizes):
    """Import files of these sizes in bytes, made of played hands; return the peak memory of each import in kB."""
    hands = [record for record, _ in played_hands(50)]
    peaks = []
    for size in sizes:
        path, count = tmp_path / f"{size}.jsonl", 0
        with path.open("w", encoding="utf-8") as file:
            while file.tell() < size:
                count += 1
                file.write(hands[count % len(hands)].model_copy(update={"hand": count}).to_line() + "\n")
        command = [sys.executable, "-c", IMPORT, "hands", "import", str(path), "--store", f"{path}.sqlite", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["files"][0]["imported"] == count
        with open_store(f"{path}.sqlite") as store:
            assert store.hands.count() == count
        peaks.append(int(done.stderr.split()[-1]))
    return peaks


@pytest.mark.accept
def test_an_import_of_a_hundred_megabytes_takes_no_more_memory_than_a_small_one(tmp_path):
    small, large = import_peaks(tmp_path, (3_000_000, 100_000_000))
    assert large < 1.2 * small
