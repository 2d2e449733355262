"""Answers through the store: found again in any suits if they are good enough, and given even if the store fails."""

import itertools

import pytest
from sqlalchemy import update

from bromeliad.core.budget import Cancel
from bromeliad.core.cards import SUITS
from bromeliad.errors import InputError, StoreError
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.solving.plan import plan
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve
from bromeliad.storage import cached, open_store
from bromeliad.storage.cached import solve_stored
from bromeliad.storage.keys import question_of, spot_key
from bromeliad.storage.schema import results

EXACT = SolveRequest(cards="Kc 9d 3s", board="Qd / 9c 9s 4h / As Ac Ad 7h 7d", dead="2c 5d", threads=1)
SAMPLED = SolveRequest(cards="Kc 9d 3s", board="- / 9c 9s / As Ac Ad", simulations=20, threads=1)
TIMED = SAMPLED.model_copy(update={"simulations": None, "time": 0.2})
ORDERS = list(itertools.permutations(SUITS))


def recoloured(request, order):
    """Return a question with its suits permuted."""
    table = str.maketrans(SUITS, "".join(order))

    def change(text):
        return "".join(part.translate(table) if part in SUITS else part for part in text)

    fields = {name: change(getattr(request, name)) for name in ("cards", "board", "dead")}
    return request.model_copy(update={**fields, "opponents": tuple(map(change, request.opponents))})


@pytest.fixture
def steady(monkeypatch):
    """Replace each second of search by a thousand simulations, so that the load of the machine does not matter."""

    def solve_steadily(planned, *args):
        request = planned.request
        if request.time is not None:
            request = request.model_copy(update={"time": None, "simulations": round(1000 * request.time)})
        return solve(request, *args)

    monkeypatch.setattr(cached, "solve", solve_steadily)


def is_found(request, store):
    return store.results.find(question_of(plan(request)).question) is not None


def comparable(answer):
    """Return the parts of an answer that are the same for equal questions; equal values may come in any order."""
    entries = sorted(
        (round(action.ev, 9), *(tuple(sorted(row)) for row in (action.top, action.middle, action.back)))
        for action in answer.actions
    )
    return round(answer.value, 9), answer.method, answer.confidence, entries


def test_an_exact_answer_serves_every_suit(store):
    first = solve_stored(EXACT, store)
    assert not first.stored
    for order in ORDERS[1::5]:
        request = recoloured(EXACT, order)
        found = solve_stored(request, store)
        assert found.stored
        assert comparable(found) == comparable(solve(request))
    again = solve_stored(EXACT, store)
    assert again == first.model_copy(update={"stored": True})
    statistics = store.results.statistics()
    assert (statistics.results, statistics.exact, statistics.hits, statistics.misses) == (1, 1, 6, 1)
    assert statistics.hit_rate == pytest.approx(6 / 7)
    assert statistics.streets == ((4, True, 1, 6),)


def test_an_exact_answer_is_good_whatever_the_effort(sqlite_store):
    first = solve_stored(EXACT, sqlite_store)
    for change in ({"simulations": 5}, {"time": 99.0, "threads": 64}, {"seed": 9}, {"policy": "uct"}):
        for deeper in (False, True):
            request = EXACT.model_copy(update=change)
            found = solve_stored(request, sqlite_store, deeper=deeper)
            assert found == first.model_copy(update={"stored": True, "seed": request.seed})


def test_sampled_answers_only_for_the_same_run(sqlite_store):
    first = solve_stored(SAMPLED, sqlite_store)
    assert (first.method, first.stored) == ("halving", False)
    assert solve_stored(SAMPLED, sqlite_store) == first.model_copy(update={"stored": True})
    for change in (
        {"simulations": 21},
        {"seed": 2},
        {"threads": 2},
        {"memory": 9.0},
        {"policy": "puct"},
        {"simulations": None, "time": 0.01},
    ):
        assert not is_found(SAMPLED.model_copy(update=change), sqlite_store)
    other = recoloured(SAMPLED, "dchs")
    found = solve_stored(other, sqlite_store)
    assert not found.stored  # a run in other suits samples other cards
    assert found.actions == solve(other).actions
    assert sqlite_store.results.statistics().results == 2


@pytest.mark.usefixtures("steady")
def test_timed_answers_for_no_more_time_and_threads(sqlite_store):
    solve_stored(TIMED, sqlite_store)
    for change, found in (({"time": 0.1}, True), ({"time": 0.3}, False), ({"threads": 2}, False), ({"seed": 2}, True)):
        assert is_found(recoloured(TIMED.model_copy(update=change), "hscd"), sqlite_store) is found
    longer = TIMED.model_copy(update={"time": 0.3})
    assert not solve_stored(longer, sqlite_store).stored
    assert is_found(longer, sqlite_store)
    assert sqlite_store.results.statistics().results == 1  # the longer run replaced the shorter one


@pytest.mark.usefixtures("steady")
def test_each_search_method_has_its_own_answers(sqlite_store):
    by_tree = TIMED.model_copy(update={"policy": "puct"})
    methods = [solve_stored(request, sqlite_store).method for request in (TIMED, by_tree)]
    assert methods == ["halving", "mcts"]
    again = [solve_stored(request, sqlite_store) for request in (TIMED, by_tree)]
    assert [(answer.method, answer.stored) for answer in again] == [("halving", True), ("mcts", True)]


@pytest.mark.usefixtures("steady")
def test_deeper_solves_again_and_keeps_the_better(sqlite_store):
    first = solve_stored(TIMED, sqlite_store)
    calls = []
    longer = TIMED.model_copy(update={"time": 0.6})
    second = solve_stored(longer, sqlite_store, deeper=True, before_solving=lambda: calls.append(1))
    assert calls == [1]
    assert second.simulations > first.simulations
    kept = solve_stored(TIMED, sqlite_store)
    assert kept == second.model_copy(update={"stored": True})
    worse = solve_stored(TIMED.model_copy(update={"time": 0.02}), sqlite_store, deeper=True)
    assert worse == kept


def test_other_weights_invalidate_sampled_answers_but_not_exact_ones(sqlite_store):
    solve_stored(SAMPLED, sqlite_store)
    solve_stored(EXACT, sqlite_store)
    with sqlite_store.writing() as connection:
        connection.execute(update(results).values(weights="others"))
    assert not solve_stored(SAMPLED, sqlite_store).stored
    assert solve_stored(EXACT, sqlite_store).stored


def test_an_answer_that_was_cut_short_is_not_kept(sqlite_store):
    asked = itertools.count()
    answer = solve_stored(
        TIMED.model_copy(update={"time": 60.0}), sqlite_store, cancel=Cancel(lambda: next(asked) > 10)
    )
    assert answer.stop_reason == "cancelled"
    assert sqlite_store.results.statistics().results == 0


def test_an_answer_that_cannot_be_read_is_replaced(sqlite_store):
    solve_stored(EXACT, sqlite_store)
    with sqlite_store.writing() as connection:
        connection.execute(update(results).values(answer="{}"))
    assert not solve_stored(EXACT, sqlite_store).stored
    assert solve_stored(EXACT, sqlite_store).stored


def test_answers_that_are_quickly_computed_are_not_stored(sqlite_store):
    last = SolveRequest(cards="Kc 9d 3s", board="Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", dead="2c 5d 6s")
    set_at_once = SolveRequest(cards="2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2d", fantasyland=True)
    for request in (last, set_at_once):
        assert plan(request).is_immediate
        solve_stored(request, sqlite_store)
    assert sqlite_store.results.statistics()[:4] == (0, 0, 0, 0)
    opponent = last.model_copy(update={"opponents": ("Kh / Jc Jd 2h / Ts Tc 8s",), "simulations": 10})
    assert not plan(opponent).is_immediate
    assert [solve_stored(opponent, sqlite_store).stored for _ in range(2)] == [False, True]


def test_a_failing_store_costs_no_answer(sqlite_store, caplog):
    problems = []
    sqlite_store.engine.dispose()
    with sqlite_store.writing() as connection:
        connection.exec_driver_sql("ALTER TABLE results RENAME TO gone")
    answer = solve_stored(EXACT, sqlite_store, on_problem=problems.append)
    assert (answer.stored, answer.value) == (False, solve(EXACT).value)
    assert [type(problem) for problem in problems] == [StoreError, StoreError]
    solve_stored(EXACT, sqlite_store)
    assert "solving without the store" in caplog.text
    with pytest.raises(InputError, match="twice"):
        solve_stored(SolveRequest(cards="As As"), sqlite_store)


def test_a_store_that_can_only_be_read_answers(tmp_path):
    place = tmp_path / "store.sqlite"
    with open_store(place) as store:
        first = solve_stored(EXACT, store)
    problems = []
    with open_store(f"sqlite:///file:{place}?mode=ro&uri=true") as store:
        found = solve_stored(EXACT, store, on_problem=problems.append)
        assert found == first.model_copy(update={"stored": True})
        assert store.results.statistics().hits == 0
        assert problems == []


def test_an_answer_from_the_store_is_logged(sqlite_store, caplog):
    caplog.set_level("INFO", logger="bromeliad")
    solve_stored(EXACT, sqlite_store)
    assert "solve from store" not in caplog.messages
    answer = solve_stored(EXACT, sqlite_store)
    (logged,) = [record.fields for record in caplog.records if record.message == "solve from store"]
    assert (logged["rules"], logged["street"], logged["value"]) == ("pineapple", 4, answer.value)
    assert "hit not counted" not in caplog.messages


def key(rules="pineapple", **spot):
    rules = preset(rules) if isinstance(rules, str) else rules
    return spot_key(parse_spot(rules, **spot)).key


class TestKeys:
    SPOT = {"cards": "Kc 9d 3s", "board": "- / 9c 9s / As Ac Ad"}  # noqa: RUF012

    def test_opponents_in_any_order(self):
        one, two = "Kh / Jc Jd / Ts Tc", "Qh / 8c 8d / 5s 5c"
        both = key(**self.SPOT, opponents=(one, two))
        assert both == key(**self.SPOT, opponents=(two, one))
        assert both != key(**self.SPOT, opponents=(one,))

    def test_alone_only_open_cards_count(self):
        boards = "Kh / Jc Jd / Ts Tc", "Kh / Jc Ts / Jd Tc"
        alone = {key(**self.SPOT, opponents=(board,), objective="solo") for board in boards}
        versus = {key(**self.SPOT, opponents=(board,)) for board in boards}
        assert (len(alone), len(versus)) == (1, 2)

    def test_the_order_of_play(self):
        waiting = {"board": "Qd / 9c 9s / As Ac", "opponents": ("Kh / Jc Jd / Ts Tc", "Qh / 8c 8d / 5s 5c")}
        keys = [key(**waiting, seat=seat) for seat in (1, 2, 3)]
        assert len(set(keys)) == 3
        assert keys[0] == key(**waiting)  # without a seat the player acts first
        assert len({key(**waiting, seat=seat, objective="solo") for seat in (1, 2, 3)}) == 1
        hidden = {**self.SPOT, "opponents": ("fantasyland:14",)}
        assert key(**hidden, seat=1) != key(**hidden, seat=2)

    def test_players(self):
        first = {"cards": "As Ah Kd 7c 2s"}
        assert len({key(**first), key(**first, players=2), key(**first, players=3)}) == 3

    def test_jokers_are_alike(self):
        spots = ({"cards": "Jk1 9d 3s", "dead": "Jk2"}, {"cards": "Jk2 9d 3s", "dead": "Jk1"})
        keys = {key("ultimate", board="- / 9c 9s / As Ac Ad", **spot) for spot in spots}
        assert len(keys) == 1

    def test_everything_else_matters(self):
        changes = (
            {},
            {"dead": "2c"},
            {"foul_cost": 1.0},
            {"fantasyland_worth": {14: 1.0}},
            {"opponents": ("Kh / Jc Jd / Ts Tc",)},
            {"opponents": ("fantasyland:14",)},
            {"cards": "Kc 9d 3c"},
        )
        keys = {key(**{**self.SPOT, **change}) for change in changes}
        assert len(keys) == len(changes)
        assert key("progressive", **self.SPOT) not in keys

    def test_rules_count_by_their_content(self):
        rules = preset("pineapple")
        renamed = rules.model_copy(update={"name": "mine", "summary": "other words"})
        scooped = rules.model_copy(update={"scoring": rules.scoring.model_copy(update={"scoop": 5})})
        assert key(renamed, **self.SPOT) == key(**self.SPOT) != key(scooped, **self.SPOT)

    def test_suits_are_not_alike_where_they_break_ties(self):
        rules = preset("pineapple")
        strict = rules.model_copy(update={"order": rules.order.model_copy(update={"suits_break_ties": True})})
        others = {"cards": "Kd 9c 3s", "board": "- / 9d 9s / As Ad Ac"}
        assert key(**self.SPOT) == key(**others)
        assert key(strict, **self.SPOT) != key(strict, **others)
        assert spot_key(parse_spot(strict, **others)).order == (0, 1, 2, 3)
