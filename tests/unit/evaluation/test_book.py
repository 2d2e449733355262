"""Books: building, interruptions, merging and verification."""

import itertools

import numpy as np
import pytest

from bromeliad.cluster import Batch, Checkpoint, open_executor
from bromeliad.errors import BookError, InputError, UnsupportedError
from bromeliad.evaluation.book import calibration, verify
from bromeliad.evaluation.book.build import BookPlan, build_book, check_start, hands_of, provenance
from bromeliad.evaluation.book.calibration import bias_error
from bromeliad.evaluation.book.merge import merge_books
from bromeliad.evaluation.book.search import Diligence
from bromeliad.evaluation.book.stats import book_stats
from bromeliad.evaluation.book.verify import verify_book
from bromeliad.games.ofc.book.file import open_book
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from opening_books import RUN, made_up_book, record

START = parse_spot(preset("pineapple"), objective="solo")
QUICK = Diligence(120, 400)


@pytest.fixture(autouse=True)
def quick_references(monkeypatch):
    """Reduce the playouts of calibrations and verifications, which run in this process."""
    monkeypatch.setattr(calibration, "PLAYOUTS", 60)
    monkeypatch.setattr(verify, "PLAYOUTS", 200)
    monkeypatch.setattr(verify, "TIMES", 1)


def build(path, seed=1, hands=40, part=(1, 1), **options):
    plan = BookPlan(seed, QUICK, hands, part)
    kept = Checkpoint(path.with_suffix(".jsonl"), provenance(START, plan))
    return build_book(START, plan, path, Batch(None, kept), **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a book of forty hands."""
    path = tmp_path_factory.mktemp("books") / "whole.book"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration, "PLAYOUTS", 60)
        assert build(path) is not None
    return open_book(path)


class TestBuild:
    def test_has_its_hands_and_says_where_it_comes_from(self, whole):
        whole.check()
        assert whole.records["hand"].tolist() == hands_of(START, BookPlan(1, QUICK, 40)).tolist()
        entries = whole.records["entries"]
        assert (entries["ev"][:, 1:] <= entries["ev"][:, :-1]).all()
        assert (entries["stderr"] > 0).all()
        assert (entries["visits"] > 0).all()
        run = whole.header.runs[0]
        assert (run.seed, run.hands, run.simulations, run.playouts) == (1, 40, 120, 400)
        assert len(run.weights) == 64

    def test_is_the_same_after_an_interruption(self, whole, tmp_path):
        path = tmp_path / "again.book"
        heard = []
        assert build(path, on_progress=heard.append, cancelled=lambda: len(heard) > 41) is None
        assert not path.exists()
        assert build(path) is not None
        assert path.read_bytes() == whole.path.read_bytes()

    def test_what_is_left_of_another_book_is_refused(self, tmp_path):
        path = tmp_path / "mine.book"
        heard = []
        build(path, hands=8, on_progress=heard.append, cancelled=lambda: len(heard) > 2)
        with pytest.raises(Exception, match="was made with seed = 1, now it is 2"):
            build(path, seed=2, hands=8)

    @pytest.mark.accept
    def test_processes_make_the_same_book(self, tmp_path, monkeypatch):
        monkeypatch.undo()
        for workers in (1, 2):
            with open_executor("local", workers) as executor:
                build_book(START, BookPlan(1, QUICK, 20), tmp_path / f"{workers}.book", Batch(executor))
        assert (tmp_path / "1.book").read_bytes() == (tmp_path / "2.book").read_bytes()

    def test_rules_whose_suits_differ_have_no_book(self):
        suits = START.rules.order.model_copy(update={"suits_break_ties": True})
        rules = START.rules.model_copy(update={"order": suits})
        with pytest.raises(UnsupportedError, match="suits of equal rank"):
            check_start(parse_spot(rules, objective="solo"))
        with pytest.raises(UnsupportedError, match="objective solo"):
            check_start(parse_spot(START.rules, objective="versus", opponents=["- / - / -"]))


class TestMerge:
    def test_a_part_without_hands_is_refused_at_once(self, tmp_path):
        with pytest.raises(InputError, match="part 3 of 3 has no hand"):
            build(tmp_path / "none.book", hands=2, part=(3, 3))

    def test_parts_make_the_whole(self, whole, tmp_path):
        parts = []
        for number in (1, 2):
            build(tmp_path / f"{number}.book", part=(number, 2))
            parts.append(open_book(tmp_path / f"{number}.book"))
        header = merge_books(parts, tmp_path / "merged.book")
        assert header == whole.header
        assert (tmp_path / "merged.book").read_bytes() == whole.path.read_bytes()

    def test_more_work_makes_it_surer(self, tmp_path):
        one, two = record(evs=(5.0, 4.7, 4.5)), record(evs=(5.4, 4.7, 5.3), visits=(10, 10, 10))
        made_up_book(tmp_path / "1.book", one)
        made_up_book(tmp_path / "2.book", two, runs=[RUN.model_copy(update={"seed": 2})])
        books = [open_book(tmp_path / name) for name in ("1.book", "2.book")]
        header = merge_books(books, tmp_path / "merged.book")
        assert [run.seed for run in header.runs] == [1, 2]
        merged = open_book(tmp_path / "merged.book").records["entries"][0]
        assert 5.0 < merged["ev"][0] < 5.4
        order = [0, 2, 1]  # by the pooled EVs
        assert merged["code"][:3].tolist() == one["entries"]["code"][order].tolist()
        assert (merged["stderr"][:3] < one["entries"]["stderr"][order]).all()
        assert merged["visits"][:3].tolist() == [20, 40, 30]

    def test_pooled_playouts_count_like_twice_as_many_of_one_book(self, tmp_path):
        """With a guess of variance V and playouts of variance v, two books have variance 1 / (1 / V + 2 / v)."""
        prior, noise = RUN.common**2 + RUN.own[0] ** 2, 0.09
        error = (1 / (1 / prior + 1 / noise)) ** 0.5
        for seed in (1, 2):
            row = record(placements=("Kc / 6c / 4d 4h Td",), errors=(error,))
            made_up_book(tmp_path / f"{seed}.book", row, runs=[RUN.model_copy(update={"seed": seed})])
        merge_books([open_book(tmp_path / f"{seed}.book") for seed in (1, 2)], tmp_path / "m.book")
        found = float(open_book(tmp_path / "m.book").records["entries"]["stderr"][0, 0])
        assert found == pytest.approx((1 / (1 / prior + 2 / noise)) ** 0.5, rel=5e-3)

    def test_the_order_of_books_makes_no_difference(self, tmp_path):
        runs = [RUN.model_copy(update={"seed": seed, "bias": 0.1 * seed}) for seed in (1, 2, 3)]
        for run in runs:
            made_up_book(tmp_path / f"{run.seed}.book", record(evs=(5.0 + 0.1 * run.seed, 4.7, 4.5)), runs=[run])
        merged = set()
        for order in itertools.permutations("123"):
            merge_books([open_book(tmp_path / f"{name}.book") for name in order], tmp_path / "merged.book")
            merged.add((tmp_path / "merged.book").read_bytes())
        assert len(merged) == 1

    def test_mergers_of_the_same_hands_are_refused(self, tmp_path):
        for seeds in ((1, 2), (3, 4)):
            runs = [RUN.model_copy(update={"seed": seed}) for seed in seeds]
            made_up_book(tmp_path / f"{seeds[0]}.book", runs=runs)
        with pytest.raises(BookError, match="both books are merged"):
            merge_books([open_book(tmp_path / f"{name}.book") for name in (1, 3)], tmp_path / "m.book")

    def test_the_same_playouts_do_not_count_twice(self, whole, tmp_path):
        with pytest.raises(BookError, match="with the same seed 1"):
            merge_books([whole, whole], tmp_path / "twice.book")

    def test_books_of_other_rules_are_refused(self, whole, tmp_path):
        about = whole.header.model_copy(update={"foul_cost": 3.0})
        made_up_book(tmp_path / "other.book", about=about)
        with pytest.raises(BookError, match="has other rules or another objective"):
            merge_books([whole, open_book(tmp_path / "other.book")], tmp_path / "merged.book")


def test_verification_compares_with_fresh_searches(whole):
    found = verify_book(whole, START, 6, 1, Batch())
    assert found.hands == 6
    assert found.simulations == 520
    assert 0.0 <= found.agreement.value <= 1.0
    assert 0.5 <= found.coverage_playouts.value <= 1.0
    assert abs(found.difference.value) < 3.0
    assert found.to_json()["regret"]["stderr"] > 0.0


def test_a_wrong_book_is_found_out(tmp_path):
    """A made-up book that prefers a bad placement: regret and coverage reveal it."""
    rows = []
    for hand in ("6c Kc 4d Td 4h", "7c Kc 4d Td 4h", "8c Kc 4d Td 4h"):
        low = hand.split()[0]
        rows.append(record(hand, (f"4d Td 4h / Kc / {low}", f"Kc / {low} / 4d Td 4h"), evs=(9.0, 5.0)))
    made_up_book(tmp_path / "wrong.book", *rows)
    found = verify_book(open_book(tmp_path / "wrong.book"), START, 3, 1, Batch())
    assert found.agreement.value == 0.0
    assert found.regret.value > 1.0
    assert found.regret_best.value > 1.0
    assert found.coverage_playouts.value < 0.6


def test_statistics_go_by_how_often_hands_are_dealt(tmp_path):
    pair, other = record("6c Kc 4d Td 4h", evs=(6.0, 5.0, 4.0)), record("2c 3c 5c 6c Ac", ("- / - / 2c 3c 5c 6c Ac",))
    made_up_book(tmp_path / "two.book", pair, other)
    found = book_stats(open_book(tmp_path / "two.book"))
    by_kind = {kind.name: kind for kind in found.kinds}
    assert by_kind["pair"].value == pytest.approx(6.0)
    assert by_kind["high card"].share == pytest.approx(4 / 28)
    assert found.value == pytest.approx((24 * 6.0 + 4 * 5.34) / 28)
    assert not found.complete
    assert {kind.name: round(kind.share, 3) for kind in found.shapes} == {"1-1-3": 0.857, "0-0-5": 0.143}
    assert {kind.name for kind in found.suits} == {"2", "5"}
    assert np.isfinite(found.lead)
    assert found.stderr > bias_error(RUN) > 0.0  # however many hands there are
