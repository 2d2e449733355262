"""One plan per question: everything that follows from a request is worked out once, for every interface and method."""

import json
from collections import Counter

import pytest

from bromeliad.cli.main import main
from bromeliad.core.budget import Budget, Cancel, Progress
from bromeliad.errors import InputError, UnsupportedError
from bromeliad.games.ofc.exact import earlier_streets
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import Spot
from bromeliad.solving import plan as planning
from bromeliad.solving.plan import plan
from bromeliad.solving.request import SolveRequest, read_request
from bromeliad.solving.solve import solve
from bromeliad.storage.playable import OfcPlayable
from opening_books import HAND
from serving import Client, serving

FEW = {"simulations": 50, "threads": 1}
STREET_2 = {"cards": "Kc 9d 3s", "board": "- / 9c 9s / As Ac Ad"}
STREET_3 = {"cards": "Kc 9d 3s", "board": "Qd / 9c 9s 4h / As Ac Ad"}
STREET_4 = {"cards": "Kc 9d 3s", "board": "Qd / 9c 9s 4h / As Ac Ad 7h 7d"}
STREET_5 = {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"}
FANTASYLAND = {"cards": "As Ah Ad Kc Kd Qs Qh Js Jd Tc 9s 9h 8d 4c", "fantasyland": True}
VERSUS = {"opponents": ["Kd / 6h 6d / Js Jc"]}
LATE_VERSUS = {"opponents": ["Kd Kh / 6h 6d 6c / Js Jc Jh 3h"]}
HIDDEN = {"opponents": ["fantasyland:14"]}
FULL = "2d 3d 5s / 6c 6s Th Td 8s / Ks Kh Qh 3c 3h"

# The question, its method, and how often its exact cost is computed and its search state built.
QUESTIONS = {
    "book": ({"cards": HAND}, "book", 0, 0),
    "last street": (STREET_5, "last street", 0, 0),
    "fantasyland": (FANTASYLAND, "fantasyland", 0, 0),
    "exact": (STREET_4, "exact", 1, 0),
    "exact, worth an order": (STREET_3 | {"threads": 2, "time": 60.0}, "exact", 1, 1),
    "search": (STREET_2 | FEW, "search", 1, 1),
    "search by a tree": (STREET_2 | FEW | {"policy": "puct"}, "search", 1, 1),
    "last street against a player": (STREET_5 | LATE_VERSUS | FEW, "last street", 0, 0),
    "fantasyland against a player": (FANTASYLAND | HIDDEN | FEW, "fantasyland", 0, 0),
    "exact against a player": (STREET_4 | LATE_VERSUS | FEW | {"rules": "deuce"}, "exact", 1, 1),
    "search against a player": (STREET_2 | VERSUS | FEW | {"rules": "deuce"}, "search", 1, 1),
    "table": (STREET_2 | VERSUS | FEW, "table", 1, 1),
}


@pytest.fixture
def calls(monkeypatch):
    """Return a function that starts counting calls for the spot of a question; warm-ups have other spots."""
    counted: Counter[str] = Counter()
    asked: list[Spot] = []
    to_spot = SolveRequest.to_spot

    def watch(home, name, spot_of):
        inner = getattr(home, name)

        def call(*args, **options):
            if spot_of(*args) in asked:
                counted[name] += 1
            return inner(*args, **options)

        monkeypatch.setattr(home, name, call)

    watch(SolveRequest, "to_spot", to_spot)
    watch(planning, "_plan", lambda request, spot: spot)
    watch(planning, "look_up", lambda spot: spot)
    watch(earlier_streets, "exact_cost", lambda spot: spot)
    watch(Spot, "to_search_state", lambda spot: spot)

    def begin(question):
        counted.clear()
        asked[:] = [to_spot(read_request(question))]
        return counted

    return begin


def expected(costs, states, by_book):
    counts = {"to_spot": 1, "_plan": 1, "exact_cost": costs, "to_search_state": states, "look_up": int(by_book)}
    return {name: count for name, count in counts.items() if count}


def asks_book(question):
    return "time" not in question and "simulations" not in question


def as_options(question):
    names = {"opponents": "opponent"}
    for name, value in question.items():
        for item in value if isinstance(value, list) else [value]:
            yield f"--{names.get(name, name).replace('_', '-')}"
            if item is not True:
                yield str(item)


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_command_derives_nothing_twice(name, calls, own_store, capsys):
    question, method, costs, states = QUESTIONS[name]
    counted = calls(question)
    assert main(["solve", *as_options(question), "--store", str(own_store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["best"]["ev"] is not None
    assert counted == expected(costs, states, asks_book(question))
    assert plan(read_request(question)).method == method


@pytest.mark.usefixtures("book")
def test_a_job_derives_nothing_twice(calls, tmp_path):
    with serving(tmp_path / "store.sqlite", workers=1) as address, Client(address) as client:
        for name in ("book", "exact", "search", "search against a player"):
            question, _, costs, states = QUESTIONS[name]
            counted = calls(question)
            answer = client.wait(client.job(question))["answer"]
            assert answer["best"]["ev"] is not None
            assert counted == expected(costs, states, asks_book(question))


def test_every_interface_asks_the_game_of_the_registry(monkeypatch, tmp_path):
    asked = []
    think = OfcPlayable.think

    def watched(self, question, context):
        asked.append(plan(question).spot)
        return think(self, question, context)

    monkeypatch.setattr(OfcPlayable, "think", watched)
    for command in ("solve",), ("ofc", "solve"):
        assert main([*command, *as_options(STREET_5), "--no-store", "--json"]) == 0
    (tmp_path / "lines").write_text(json.dumps(STREET_5) + "\n")
    assert main(["solve", "--positions", str(tmp_path / "lines"), "--no-store"]) == 0
    with serving(tmp_path / "store.sqlite", workers=1) as address, Client(address) as client:
        assert client.wait(client.job(STREET_5))["status"] == "completed"
    assert asked == [plan(read_request(STREET_5)).spot] * 4


def test_a_plan_is_its_own_plan():
    planned = plan(SolveRequest(**STREET_4))
    assert plan(planned) is planned
    assert planned.without_book() is planned


@pytest.mark.usefixtures("book")
def test_a_deeper_plan_asks_no_book():
    planned = plan(SolveRequest(cards=HAND))
    assert (planned.method, planned.is_immediate, planned.kernels) == ("book", True, ())
    deeper = planned.without_book()
    assert (deeper.method, deeper.spot) == ("search", planned.spot)
    assert not deeper.is_immediate


@pytest.mark.parametrize(
    ("more", "method", "values"),
    [
        ({}, "search", None),
        (VERSUS, "table", "both boards"),
        (HIDDEN, "table", "both boards"),
        (VERSUS | {"objective": "solo"}, "search", None),
        (VERSUS | {"rules": "deuce"}, "search", "own board"),
        (VERSUS | {"opponent_model": "6,1"}, "table", "both boards"),
        (HIDDEN | {"opponent_model": "6,1"}, "search", "own board"),
        (VERSUS | {"policy": "puct"}, "search", "own board"),
        ({"opponents": [*HIDDEN["opponents"], *HIDDEN["opponents"]]}, "search", "own board"),
        ({"opponents": [FULL]}, "search", None),
        ({"opponents": [FULL, *VERSUS["opponents"]]}, "search", "own board"),
    ],
)
def test_the_plan_says_by_which_values_opponents_play(more, method, values):
    planned = plan(read_request(STREET_2 | FEW | more))
    assert (planned.method, planned.opponent_values) == (method, values)


def test_on_the_last_street_no_opponent_plays_on():
    for opponents in (VERSUS, LATE_VERSUS, HIDDEN):
        assert plan(read_request(STREET_5 | FEW | opponents)).opponent_values is None


def test_wrong_questions_have_no_plan():
    with pytest.raises(InputError, match="twice"):
        plan(SolveRequest(cards="As As"))
    with pytest.raises(UnsupportedError, match="before the deal of street 2"):
        plan(SolveRequest(board="- / 9c 9s / As Ac Ad"))


def test_progress_is_of_one_kind():
    told: list[object] = []
    for question in (STREET_3 | {"time": 60.0}, STREET_2 | {"simulations": 100_000_000, "policy": "puct"}):
        told.clear()
        solve(SolveRequest(**question, threads=1), told.append, Cancel(lambda: bool(told)))
        assert {type(item) for item in told} == {Progress}


class TestPolicy:
    def test_the_answer_says_how_it_was_found(self):
        found = {policy: solve(SolveRequest(**STREET_2, **FEW, policy=policy)) for policy in ("halving", "puct", "uct")}
        assert [answer.method for answer in found.values()] == ["halving", "mcts", "mcts"]
        assert found["halving"] == solve(SolveRequest(**STREET_2, **FEW)).model_copy(
            update={"elapsed_s": found["halving"].elapsed_s}
        )
        assert [answer.simulations for answer in found.values()] == [48, 50, 50]  # halving ends with a whole round
        visits = [{str(action): action.visits for action in answer.actions} for answer in found.values()]
        assert visits[0] != visits[1] != visits[2] != visits[0]

    def test_only_three(self):
        with pytest.raises(InputError, match="policy"):
            read_request({"cards": "As Ah Kd 7c 2s", "policy": "alphabeta"})

    def test_exact_answers_need_none(self):
        answer = solve(SolveRequest(**STREET_4, policy="uct", threads=1))
        assert (answer.method, answer.stop_reason) == ("exact", "exact")


class TestSettingsOfTheRules:
    """The section ``mcts`` of a rule file sets how to search, unless the question does."""

    @pytest.fixture
    def rules(self, tmp_path):
        path = tmp_path / "own.yaml"
        path.write_text(
            "base: pineapple\nname: own\nmcts: {exploration_weight: 0.3, simulation_count: 20, temperature: 2.0}\n"
        )
        return str(path)

    def test_the_number_of_simulations(self, rules):
        answer = solve(SolveRequest(**STREET_2, rules=rules, threads=1))
        assert (answer.simulations, answer.stop_reason, answer.method) == (20, "simulations", "mcts")
        assert solve(SolveRequest(cards="As Ah Kd 7c 2s", rules=rules, threads=1)).simulations == 20  # no book
        settings = preset("house").mcts
        assert plan(SolveRequest(**STREET_2, rules="house")).budget == Budget(None, settings.simulation_count)

    def test_a_budget_of_the_question_counts_more(self, rules):
        assert plan(SolveRequest(**STREET_2, rules=rules, time=0.5)).budget == Budget(0.5, None)
        assert plan(SolveRequest(**STREET_2, rules=rules, simulations=30)).budget == Budget(None, 30)

    def test_the_way_of_searching(self, rules, monkeypatch):
        from bromeliad.games.ofc import search_spot

        seen = []
        inner = search_spot.search_spot
        monkeypatch.setattr(
            search_spot, "search_spot", lambda spot, params, **rest: seen.append(params) or inner(spot, params, **rest)
        )
        for changes in ({}, {"policy": "uct"}, {"policy": "halving"}, {"rules": "pineapple", "policy": "puct"}):
            solve(SolveRequest(**{**STREET_2, **FEW, "rules": rules, **changes}))
        own, uct, halving, usual = seen
        assert (own.root_policy, own.policy, own.puct_c, own.temperature) == ("tree", "puct", 0.3, 2.0)
        assert (uct.root_policy, uct.policy, uct.uct_c, uct.temperature) == ("tree", "uct", 0.3, 2.0)
        assert halving.root_policy == "halving"
        assert (usual.policy, usual.puct_c, usual.temperature) == ("puct", 2.0, 1.0)
