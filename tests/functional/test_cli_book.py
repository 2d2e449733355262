"""``bromeliad book``, and ``bromeliad solve`` with a book."""

import pytest

from bromeliad.evaluation.book import calibration, verify
from opening_books import HAND, RUN, made_up_book, record

OTHER_SUITS = HAND.translate(str.maketrans("cdhs", "shcd"))


@pytest.mark.usefixtures("book")
class TestSolve:
    def test_answers_from_the_book_and_says_so(self, run):
        answer = run("solve", "--cards", OTHER_SUITS, "--json").json
        assert (answer["method"], answer["stored"], len(answer["actions"])) == ("book", False, 232)
        assert answer["best"]["stderr"] == pytest.approx(0.21, rel=1e-2)
        shown = run("solve", "--cards", HAND, "--top", "3", "--explain").out
        assert "from the opening book; --time 5 searches instead" in " ".join(shown.split())
        assert "(parts from the learned evaluation)" in shown

    def test_searches_if_told_to(self, run):
        budget = ("--simulations", "200", "--threads", "1", "--no-store", "--json")
        assert run("solve", "--cards", HAND, *budget).json["method"] == "halving"
        assert "--no-book" in run("solve", "--help").out

    def test_lines_may_say_so_too(self, run, tmp_path):
        lines = tmp_path / "positions.jsonl"
        lines.write_text(
            f'{{"cards": "{HAND}"}}\n{{"cards": "{HAND}", "book": false, "simulations": 200, "threads": 1}}\n'
        )
        found = run("solve", "--positions", str(lines), "--no-store").lines
        assert [answer["method"] for answer in found] == ["book", "halving"]


class TestShow:
    def test_shows_what_is_known_and_where_from(self, run, book):
        shown = run("book", "show", "--cards", OTHER_SUITS, "--book", str(book))
        assert shown.code == 0
        assert "5.340" in shown.out
        assert "foul cost 6" in " ".join(shown.out.split())
        data = run("book", "show", "--cards", OTHER_SUITS, "--book", str(book), "--json").json
        assert data["book"]["runs"][0]["seed"] == RUN.seed
        assert [round(action["ev"], 2) for action in data["actions"]] == [5.34, 4.78, 4.62]

    def test_says_what_is_wrong(self, run, book, tmp_path):
        show = ("book", "show", "--book", str(book), "--cards")
        assert "does not know this hand" in run(*show, "2c 3d 4h 5s 7c").problem
        assert "street 1 deals 5 cards" in run(*show, "2c 3d").problem
        assert "is a book for pineapple, foul cost 6" in run(*show, HAND, "--rules", "ultimate").problem
        (tmp_path / "no.book").write_text("no")
        assert (
            "is not an opening book"
            in run("book", "show", "--cards", HAND, "--book", str(tmp_path / "no.book")).problem
        )
        assert "there is no opening book for deuce" in run("book", "stats", "--rules", "deuce").problem


def test_stats(run, book):
    shown = run("book", "stats", "--book", str(book))
    assert "A first deal is worth 5.340" in shown.out
    assert "The book is incomplete" in shown.out
    assert run("book", "stats", "--book", str(book), "--json").json["kinds"][0]["name"] == "pair"


def test_merge(run, book, tmp_path):
    made_up_book(tmp_path / "2.book", record("2c 3c 5c 6c Ac", ("- / - / 2c 3c 5c 6c Ac",)))
    merged = tmp_path / "merged.book"
    found = run("book", "merge", str(book), str(tmp_path / "2.book"), "--output", str(merged), "--json").json
    assert found["book"]["hands"] == 2
    assert "with the same seed" in run("book", "merge", str(book), str(book), "--output", str(merged)).problem


def test_build_and_verify(run, tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "PLAYOUTS", 60)
    monkeypatch.setattr(verify, "PLAYOUTS", 200)
    path = tmp_path / "few.book"
    size = ("--hands", "5", "--simulations", "100", "--playouts", "400", "--workers", "1")
    built = run("book", "build", *size, "--output", str(path), "--json").json
    assert built["finished"]
    assert built["book"]["hands"] == 5
    checked = run("book", "verify", "--book", str(path), "--hands", "3", "--workers", "1", "--json").json
    assert checked["hands"] == 3
    assert {"regret", "agreement", "coverage_search", "coverage_playouts"} <= checked.keys()
    shown = run("book", "verify", "--book", str(path), "--hands", "2", "--workers", "1")
    assert "regret against the search's choice" in shown.out
    assert "I/N" in run("book", "build", "--part", "3/2", "--output", str(path)).problem
    assert "suits of equal rank" in run("book", "build", "--rules", str(suited(tmp_path))).problem


def suited(folder):
    rules = folder / "suited.yaml"
    rules.write_text(
        "name: suited\nbase: pineapple\norder: {strict: false, suits_break_ties: true, low_middle: null}\n"
    )
    return rules


class TestExplore:
    def test_all_deals_have_the_means_of_the_statistics(self, run):
        found, stats = run("book", "explore", "--json").json, run("book", "stats", "--json").json
        assert (found["hands"], found["deals"], found["share"]) == (stats["hands"], stats["deals"], 1.0)
        assert (found["ev"], found["lead"]) == (stats["value"], stats["lead"])
        assert found["shapes"] == pytest.approx({kind["name"]: kind["share"] for kind in stats["shapes"]})

    def test_kinds_and_suits_are_those_of_the_statistics(self, run):
        stats = run("book", "stats", "--json").json
        for field, groups in (("kind", stats["kinds"]), ("suited", stats["suits"])):
            for group in groups[:3]:
                found = run("book", "explore", "--filter", f"{field}={group['name']}", "--top", "1", "--json").json
                assert found["share"] == pytest.approx(group["share"])
                assert found["ev"] == pytest.approx(group["value"])

    def test_a_listed_deal_is_what_the_book_shows(self, run):
        found = run("book", "explore", "--filter", "pair=A", "--filter", "connected=3", "--top", "3", "--json").json
        for item in found["openings"]:
            (best, *_) = run("book", "show", "--cards", item["cards"], "--json").json["actions"]
            assert item["ev"] == best["ev"]
            assert [sorted(item[row]) for row in ("top", "middle", "back")] == [
                sorted(best[row]) for row in ("top", "middle", "back")
            ]

    def test_csv_and_tables(self, run):
        lines = run("book", "explore", "--filter", "kind=four of a kind", "--csv").out.splitlines()
        assert lines[0].startswith("cards,deals,kind,shape,top,middle,back,ev,")
        assert len(lines) == 1 + 156
        assert "156 first deals" in run("book", "explore", "--filter", "kind=four of a kind", "--top", "2").out

    @pytest.mark.parametrize(
        ("condition", "problem"),
        [
            ("pair", "write a condition like"),
            ("kind=quads", "is not one of high card"),
            ("colour=red", "there is no field colour"),
            ("lead>=much", "is not a number"),
            ("lead=1", "write >= or <="),
            ("shape=9-9-9", "is not a shape"),
        ],
    )
    def test_wrong_conditions_are_one_line(self, run, condition, problem):
        assert problem in run("book", "explore", "--filter", condition).problem
