"""Reports: their counts are those of the played hands, and their intervals are correct."""

import math
from itertools import pairwise

import numpy as np
import pytest

from analysis_hands import NAMES, lines, played, sourced
from bromeliad.analysis.export import SeatTable
from bromeliad.analysis.intervals import mean_of, share_of
from bromeliad.analysis.luck import LuckResults, batch_values
from bromeliad.analysis.plots import plots
from bromeliad.analysis.report import make_report
from bromeliad.analysis.report_page import report_tables
from bromeliad.analysis.trends import MOST, Bins
from bromeliad.errors import InputError
from bromeliad.evaluation.hand_luck import hand_values

HANDS = 40


@pytest.fixture(scope="module")
def report():
    return make_report("here", sourced(lines("progressive", 3, HANDS)))


def results():
    """Yield (player, hand, seat) for every seat of every hand."""
    for hand in played("progressive", 3, HANDS):
        for seat, player in enumerate(hand.seating):
            yield NAMES[player], hand.hand, seat


class TestIntervals:
    def test_wilson(self):
        found = share_of(10, 50)
        assert (found.low, found.high) == (pytest.approx(0.1124, abs=1e-4), pytest.approx(0.3304, abs=1e-4))
        assert share_of(0, 10).low == 0.0
        assert share_of(0, 10).high == pytest.approx(0.2775, abs=1e-4)
        assert share_of(0, 0).share is None

    def test_never_and_always_are_bounds_without_rounding(self):
        assert {share_of(0, of).low for of in range(1, 200)} == {0.0}
        assert {share_of(of, of).high for of in range(1, 200)} == {1.0}

    def test_mean(self):
        values = np.array([1.0, 2.0, 4.0, -3.0])
        found = mean_of(4, values.sum(), (values**2).sum())
        assert found.mean == values.mean()
        assert found.stderr == pytest.approx(values.std(ddof=1) / 2)
        assert mean_of(1, 3.0, 9.0).stderr is None


class TestStatistics:
    def test_results(self, report):
        for item in report.players:
            mine = [(hand, seat) for name, hand, seat in results() if name == item.player]
            ends = [(hand.showdown.players[seat], hand.fantasyland[seat]) for hand, seat in mine]
            points = [hand.points[seat] for hand, seat in mine]
            assert item.hands == item.points.count == HANDS
            assert item.points.mean == pytest.approx(np.mean(points))
            assert item.points.stderr == pytest.approx(np.std(points, ddof=1) / math.sqrt(HANDS))
            assert item.royalties.mean == pytest.approx(np.mean([end.royalties for end, _ in ends]))
            assert item.foul.count == sum(end.fouled for end, _ in ends)
            assert item.entry.of == sum(not cards for _, cards in ends)
            assert item.entry.count == sum(end.fantasyland > 0 for end, cards in ends if not cards)
            assert item.stay.of == sum(cards > 0 for _, cards in ends)
            assert item.stay.count == sum(end.fantasyland > 0 for end, cards in ends if cards)
            pairs = [pair for hand, seat in mine for pair in hand.showdown.settlements[seat] if pair]
            assert item.scoop.count == sum(min(pair.rows) > 0 for pair in pairs)
            assert item.scooped.count == sum(max(pair.rows) < 0 for pair in pairs)
            assert item.scoop.of == 2 * HANDS
        assert any(item.stay.of for item in report.players)

    def test_hand_types(self, report):
        for item in report.hand_types:
            row = ("top", "middle", "back").index(item.row)
            mine = [hand.showdown.players[seat] for name, hand, seat in results() if name == item.player]
            kinds = [end.hands[row].name for end in mine if not end.fouled]
            assert {kind: count for kind, count in item.counts.items() if count} == {
                kind: kinds.count(kind) for kind in kinds
            }

    def test_cards(self, report):
        turns = [
            (NAMES[hand.seating[turn.seat - 1]], turn)
            for hand in played("progressive", 3, HANDS)
            for turn in hand.hand.turns
        ]
        for item in report.cards:
            attribute = "discards" if item.place == "discard" else item.place
            mine = [turn for name, turn in turns if name == item.player and (turn.street or None) == item.street]
            ranks = [str(card)[0] for turn in mine for card in getattr(turn.action, attribute)]
            assert {rank: count for rank, count in item.counts.items() if count} == {
                rank: ranks.count(rank) for rank in ranks
            }
        assert sum(sum(item.counts.values()) for item in report.cards) == sum(len(turn.cards) for _, turn in turns)

    def test_rows_fill_up(self, report):
        for name in NAMES[:3]:
            for row in ("top", "middle", "back"):
                shares = [item.full.share for item in report.rows if (item.player, item.row) == (name, row)]
                assert shares == sorted(shares)
                assert shares[-1] == 1.0

    def test_the_trend_covers_all_hands(self, report):
        for item in report.players:
            mine = [point for point in report.trend if point.player == item.player]
            assert mine[-1].last == HANDS
            assert sum(point.mean.mean * point.mean.count for point in mine) == pytest.approx(item.points.mean * HANDS)


def test_stretches_of_a_trend_grow():
    bins = Bins()
    for value in range(1000):
        bins.add(float(value))
    points = bins.points("ann")
    assert len(points) <= MOST
    assert points[0].first == 1
    assert all(two.first == one.last + 1 for one, two in pairwise(points))
    assert points[-1].last == 1000
    assert points[1].mean.mean == np.mean(range(points[1].first - 1, points[1].last))


def test_filters_and_refusals():
    texts = lines(hands=5)
    found = make_report("here", sourced(texts), players=["bob"])
    assert [item.player for item in found.players] == ["bob"]
    assert {item.player for item in found.cards} == {"bob"}
    with pytest.raises(InputError, match="there is no player zoe; players: ann, bob"):
        make_report("here", sourced(texts), players=["zoe"])
    with pytest.raises(InputError, match="under these rules; its rules: pineapple"):
        make_report("here", sourced([*texts, "nonsense"]), rules="ultimate")
    with pytest.raises(InputError, match="has no hands"):
        make_report("here", [])


def test_a_cancelled_report_is_marked():
    found = make_report("here", sourced(lines(hands=5)), cancelled=lambda: True)
    assert not found.complete
    assert found.hands == 5


def test_luck_is_subtracted():
    measured = {}
    luck = LuckResults(None, lambda item, values: measured.update({item.line: values}))
    values = []
    texts = lines(hands=5)
    make_report("here", sourced(texts), listeners=[luck.add, lambda batch: values.append(batch_values(batch))])
    (rows,) = values
    assert rows == pytest.approx(np.stack([hand_values(hand.hand) for hand in played(hands=5)]))
    assert len(measured) == 5
    assert all(abs(row.sum()) < 1e-9 for row in measured.values())
    first = luck.results(["ann"])[0]
    mine = [hand.seating.index(0) for hand in played(hands=5)]
    assert first.raw.mean == pytest.approx(np.mean([row[seat] for row, seat in zip(rows, mine, strict=True)]))
    assert first.adjusted.mean == pytest.approx(
        np.mean([row[seat] - measured[i][seat] for i, (row, seat) in enumerate(zip(rows, mine, strict=True), start=1)])
    )
    again = LuckResults(measured)  # known luck is not measured again
    make_report("here", sourced(texts), listeners=[again.add])
    assert again.results(["ann"])[0] == first


def test_values_count_fantasyland_over_a_game():
    """Over successive hands the worths of fantasyland cancel out, except that of the last hand."""
    seen = []
    make_report("here", sourced(lines("progressive", 2, HANDS, 3)), listeners=[seen.append])
    (batch,) = seen
    hands = played("progressive", 2, HANDS, 3)
    values = sum(row[hand.seating.index(0)] for row, hand in zip(batch_values(batch), hands, strict=True))
    points = sum(hand.by_player(hand.hand.points)[0] for hand in hands)
    worth = hands[0].hand.rules.objective.fantasyland_worth
    left = [worth.get(cards, 0.0) for cards in hands[-1].by_player(hands[-1].hand.next_fantasyland)]
    assert values == pytest.approx(points + left[0] - left[1])


def test_tables_and_plots(report):
    titles = [table.title for table in report_tables(report)]
    assert titles[0] == "Results"
    assert "Where cards go" in titles
    assert "Anomalies" not in titles
    for table in report_tables(report):
        assert all(len(row.cells) == len(table.columns) for row in table.rows), table.title
    drawn = plots(report)
    assert len(drawn) == 2
    assert all(svg.startswith("<svg") and "http" not in svg.replace("http://www.w3.org", "") for svg in drawn)
    assert plots(report) == drawn


def test_tables_for_other_programs(tmp_path):
    import polars

    table = SeatTable()
    make_report("here", sourced(lines(hands=5)), listeners=[table.add])
    table.write(tmp_path / "seats.csv", tmp_path / "seats.parquet")
    csv, parquet = polars.read_csv(tmp_path / "seats.csv"), polars.read_parquet(tmp_path / "seats.parquet")
    assert csv.rows() == parquet.rows()
    assert len(csv) == 10
    assert csv["points"].sum() == 0
    assert csv["points"].to_list() == [points for hand in played(hands=5) for points in hand.hand.points]
