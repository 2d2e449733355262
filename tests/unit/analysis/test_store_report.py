"""Reports on a store: its hands, reviews, measured luck, and anomalies."""

import pytest
from sqlalchemy import update

from analysis_hands import lines, sourced
from bromeliad.analysis.anomalies import KINDS
from bromeliad.analysis.decision_judge import Judges
from bromeliad.analysis.decisions import read_decisions
from bromeliad.analysis.report import make_report
from bromeliad.analysis.review import review
from bromeliad.analysis.store_report import largest_jump, report_on_store
from bromeliad.analysis.stored import ReviewKeeper, from_store
from bromeliad.games.ofc.rules.files import preset
from bromeliad.storage import open_store
from bromeliad.storage.cached import solve_stored
from bromeliad.storage.decisions import Review
from bromeliad.storage.schema import decisions, seats

HANDS = 20


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "hands.sqlite") as opened:
        done = list(opened.hands.import_lines(enumerate(lines(hands=HANDS), start=1), "test"))
        assert all(item.is_new for item in done)
        yield opened


def reviewed(store, ev=1.0, best=1.5, loss=0.5):
    """Store the same review for every decision, and return the ids of the decisions."""
    numbers = [row.id for row in store.decisions.stream()]
    store.decisions.review(Review(number, ev, best, loss, 0.1, False, None, "mcts") for number in numbers)
    return numbers


def change(store, table, where, **values):
    with store.writing() as connection:
        connection.execute(update(table).where(*where).values(**values))


def test_equals_the_report_on_a_file_with_the_same_hands(store):
    found = report_on_store(store)
    other = make_report("file", sourced(lines(hands=HANDS)))
    for name in ("hands", "players", "hand_types", "cards", "rows", "trend", "anomalies"):
        assert getattr(found, name) == getattr(other, name), name
    assert found.anomalies == {}
    assert (found.ev_losses, found.ev_trend, found.adjusted) == ((), (), ())


def test_reviews_are_summed_up(store):
    numbers = reviewed(store)
    found = report_on_store(store)
    assert sum(item.loss.count for item in found.ev_losses) == len(numbers)
    assert all(item.loss.mean == 0.5 for item in found.ev_losses)
    assert {item.street for item in found.ev_losses} == {1, 2, 3, 4, 5, None}
    assert sum(point.mean.count for point in found.ev_trend) == len(numbers)
    mine = report_on_store(store, players=["ann"])
    assert {item.player for item in mine.ev_losses} == {"ann"}
    assert report_on_store(store, 1).ev_losses == found.ev_losses
    assert found.anomalies == {}


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("EV above best", {"ev": 2.0, "best_ev": 1.5, "ev_loss": -0.5}),
        ("EV loss", {"ev_loss": 0.7}),
        ("EV jump", {"ev": -150.0, "best_ev": -150.0, "ev_loss": 0.0}),
        ("stored seat", {}),
    ],
)
def test_planted_anomalies_are_found(store, kind, values):
    numbers = reviewed(store)
    assert kind in KINDS
    if kind == "stored seat":
        change(store, seats, (seats.c.hand_id == 3, seats.c.seat == 1), points=99)
    else:
        change(store, decisions, (decisions.c.id == numbers[-1],), **values)
    found = report_on_store(store)
    assert found.anomalies == {kind: 1}
    assert found.anomaly_list[0].line == (3 if kind == "stored seat" else HANDS)


def test_the_largest_jump_depends_on_what_the_rules_pay():
    assert 40 < largest_jump(preset("pineapple")) / 2 < 60
    assert largest_jump(preset("house")) > largest_jump(preset("pineapple"))


def test_luck_is_measured_once_and_stored(store):
    first = report_on_store(store, luck=True)
    assert {item.player for item in first.adjusted} == {"ann", "bob"}
    kept = [seat.luck for seat in store.hands.seats()]
    assert None not in kept
    again = report_on_store(store)
    assert again.adjusted == first.adjusted
    assert [item.hands for item in again.adjusted] == [HANDS, HANDS]


def test_reviews_of_a_game_are_stored(store):
    read = read_decisions("game", list(from_store(store, 1))[:2])
    late = [item for item in read.decisions if item.street == 5]
    keeper = ReviewKeeper(store)
    with Judges(
        simulations=50, threads=1, answers=lambda planned, cancel: solve_stored(planned, store, cancel=cancel)
    ) as judges:
        found = review(late, judges, on_review=keeper.keep)
    kept = {(row.hand_id, row.seat): row for row in store.decisions.stream(reviewed=True)}
    assert len(kept) == len(found) == 4
    for item in found:
        row = kept[item.line, item.seat]
        assert row.street == 5
        assert (row.ev, row.best_ev, row.ev_loss) == (item.ev, item.best_ev, item.ev_loss)
        assert row.placed.replace("-", "") == "".join((*item.placed.top, *item.placed.middle, *item.placed.back))
        assert row.better["top"] == list(item.best.top)
    assert report_on_store(store).anomalies == {}
