"""Strategies by name, the strategy that asks the solver, and grades."""

from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.errors import InputError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.play.seat import OpponentView, SeatView
from bromeliad.games.ofc.play.strategies import HeuristicStrategy, MCTSStrategy, RandomStrategy
from bromeliad.games.ofc.rules.files import preset
from bromeliad.playing import strategies
from bromeliad.playing.grading import grade
from bromeliad.playing.strategies import SolverStrategy, StrategyRequest, find_strategy, strategy_names
from bromeliad.solving.request import read_request
from bromeliad.solving.solve import solve


def view_of(board, cards, *, opponents=(), dead="", street=4, fantasyland=0, rules="pineapple"):
    return SeatView(
        rules=preset(rules),
        seat=2,
        players=1 + len(opponents),
        street=street,
        cards=parse_cards(cards, PlayerArrangement.parse(board).cards),
        board=PlayerArrangement.parse(board),
        discards=CardSet.from_cards(parse_cards(dead)),
        fantasyland=fantasyland,
        opponents=tuple(opponents),
    )


OPEN = OpponentView(PlayerArrangement.parse("2c / 3c 4c / Kh Kd"), 1, 0)
HIDDEN = OpponentView(PlayerArrangement.empty(), 0, 14)
LATE = view_of("Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d", "Kc 9d 3s", dead="5c 5d")
FANTASYLAND = view_of("- / - / -", "As Ah Ad Kc Kd Qs Qh Js Jd Tc 9s 9h 8d 4c", street=0, fantasyland=14)


class TestNames:
    def test_ours(self):
        assert strategy_names()[:4] == ("random", "heuristic", "mcts", "solver")
        assert isinstance(find_strategy("random"), RandomStrategy)
        assert isinstance(find_strategy("heuristic"), HeuristicStrategy)
        assert isinstance(find_strategy(" mcts "), MCTSStrategy)
        assert find_strategy("mcts:0.2").params.seconds == 0.2
        assert find_strategy("mcts:50sims").params.simulations == 50
        assert find_strategy("solver:0.1:versus").objective == "versus"
        assert find_strategy("solver:solo:300sims").request(LATE).simulations == 300
        assert find_strategy("solver:solo").request(LATE).time == 1.0

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("nobody", "there is no strategy nobody; strategies: random, heuristic, mcts, solver"),
            ("random:3", "random takes no options: leave out 3"),
            ("heuristic:0.1", "heuristic takes no options"),
            (
                "solver:fast",
                "fast: after solver, write seconds like 0.1, simulations like 500sims,"
                " or solo, versus, uniform or model=2,1.5",
            ),
            ("mcts:solo", "solo: after mcts, write seconds like 0.1, simulations like 500sims"),
            ("solver:-1", "-1: after solver"),
            ("solver:0sims", "0sims: after solver"),
            ("solver:nan", "nan: after solver"),
            ("solver:1:5sims", "give a time or a number of simulations, not both"),
        ],
    )
    def test_says_what_is_wrong(self, text, expected):
        with pytest.raises(InputError) as caught:
            find_strategy(text)
        assert str(caught.value).startswith(expected)

    def test_packages_add_theirs(self, monkeypatch):
        entry = EntryPoint("stubborn", f"{__name__}:make_stubborn", "bromeliad.strategies")
        monkeypatch.setattr(EntryPoint, "load", lambda self: make_stubborn)
        monkeypatch.setattr(
            strategies, "entry_points", lambda group: [entry] if group == "bromeliad.strategies" else []
        )
        strategies._foreign.cache_clear()
        try:
            assert "stubborn" in strategy_names()
            found = find_strategy("stubborn:a:b", "progressive")
            assert found.request == StrategyRequest("progressive", preset("progressive"), ("a", "b"))
        finally:
            strategies._foreign.cache_clear()


def make_stubborn(request):
    strategy = RandomStrategy()
    strategy.request = request
    return strategy


class TestRequest:
    def test_solo_takes_open_cards_out_of_the_deck(self):
        solver = SolverStrategy(simulations=10, objective="solo")
        solver.begin_hand(7)
        asked = solver.request(view_of("- / - / -", "As Ah Kd 7c 2s", opponents=(OPEN, HIDDEN), dead="5c", street=0))
        assert asked.opponents == ("2c / 4c 3c / Kh Kd",)
        assert (asked.objective, asked.dead, asked.seed, asked.threads) == ("solo", "5c", 7, 1)
        assert not asked.fantasyland

    def test_versus_tells_everything_that_the_seat_knows(self):
        view = view_of("- / - / -", "As Ah Kd 7c 2s", opponents=(OPEN, HIDDEN), street=0)
        asked = SolverStrategy(seconds=0.5).request(view)
        assert asked.opponents == ("2c / 4c 3c / Kh Kd", "fantasyland:14")
        assert (asked.seat, asked.players, asked.objective, asked.time) == (2, 3, "versus", 0.5)

    def test_jokers_keep_their_places(self):
        view = view_of("Jk / - / As Ac", "Kc 9d Jk", rules="ultimate", street=0)
        action = SolverStrategy("ultimate", simulations=100, objective="solo").decide_placement(
            view_of("Jk / 9c 9s / As Ac", "Kc 9d Jk", rules="ultimate", street=1)
        )
        joker = view.cards[2]
        assert joker.value == 53
        assert joker in (*action.top, *action.middle, *action.back, *action.discards)


class TestSolver:
    def test_plays_the_best(self):
        solver = SolverStrategy(simulations=100, objective="solo")
        action = solver.decide_placement(LATE)
        assert solver.choose_action(LATE, LATE.legal_actions()) == action
        assert solver.evaluate_state(LATE) == pytest.approx(
            LATE.finished_value(PlayerArrangement.parse("Qd Qh Kc / 9c 9s 9d 4h 4d / As Ac Ad 7h 7d"))
        )
        poor = [item for item in LATE.legal_actions() if item != action][:2]
        assert solver.choose_action(LATE, poor) in poor

    def test_thinks_against_its_opponents(self):
        board = PlayerArrangement.parse("Kd Kh / 6h 6d 6c Th / Js Jc Jh 3c 3h")
        view = replace(LATE, seat=1, players=2, opponents=(OpponentView(board, 3, 0),))
        answer = SolverStrategy(simulations=100).ask(view)
        assert (answer.objective, answer.method) == ("versus", "exact")  # the opponent has one deal to come
        assert answer.best.opponent_p_fantasyland == 1.0  # kings on top of a full house

    def test_moves_though_nothing_was_found_in_time(self, monkeypatch):
        times = []

        def busy(planned):
            times.append(planned.request.time)
            if planned.request.time < 0.1:
                raise InputError("no answer was found in this time: give more time")
            return solve(planned)

        solve = strategies.solve
        monkeypatch.setattr(strategies, "solve", busy)
        SolverStrategy(seconds=0.03, objective="solo").decide_placement(LATE)
        assert times == [0.03, 0.06, 0.12]

    def test_simulations_are_not_doubled(self, monkeypatch):
        def never(request):
            raise InputError("nothing was found")

        monkeypatch.setattr(strategies, "solve", never)
        with pytest.raises(InputError, match="nothing was found"):
            SolverStrategy(simulations=5, objective="solo").decide_placement(LATE)

    def test_sets_fantasyland(self):
        action = SolverStrategy(objective="solo").decide_placement(FANTASYLAND)
        assert len(action.discards) == 1


class TestGrade:
    def test_the_best_loses_nothing(self):
        solver = SolverStrategy(simulations=100, objective="solo")
        found = grade(solver, LATE, solver.decide_placement(LATE))
        assert found.is_best
        assert found.loss == 0.0

    def test_mistakes_cost_what_the_solver_says(self):
        solver = SolverStrategy(simulations=100, objective="solo")
        worst = solver.ask(LATE).actions[-1]
        found = grade(solver, LATE, strategies.action_of(LATE.cards, worst))
        assert not found.is_best
        assert found.loss == worst.ev_loss > 10
        assert found.entry == worst

    def test_boards_that_are_not_listed_are_valued_by_themselves(self):
        cards = FANTASYLAND.cards
        action = strategies.own_action(cards, (cards[:3], cards[3:8], cards[8:13], cards[13:]))
        found = grade(SolverStrategy(objective="solo"), FANTASYLAND, action)
        assert not found.is_best
        assert found.entry.exact
        assert found.loss == pytest.approx(
            found.answer.value - FANTASYLAND.finished_value(PlayerArrangement.of(cards[:3], cards[3:8], cards[8:13]))
        )

    def test_placements_that_the_search_left_out_are_played_out(self):
        view = view_of("- / - / -", "As Ah Kd 7c 2s", street=0)
        rows = [("As", "Ah", "Kd"), ("7c", "2s"), (), ()]  # aces and a king on top of nothing
        found = grade(SolverStrategy(simulations=300, objective="solo"), view, strategies.own_action(view.cards, rows))
        made, best = found.entry, found.answer.best
        assert 2 < found.loss < 30
        assert found.is_mistake
        assert best.ev - made.ev == pytest.approx(found.loss)
        assert made.top == ("As", "Ah", "Kd")
        assert made.p_foul > best.p_foul + 0.2

    def test_against_an_opponent_the_choice_is_valued_by_the_same_hands(self):
        view = view_of("- / - / -", "As Ah Ks 7c 2s", street=0, opponents=(OPEN,))
        rows = [("As", "Ah", "Ks"), ("7c", "2s"), (), ()]
        found = grade(SolverStrategy(simulations=300), view, strategies.own_action(view.cards, rows))
        made, best = found.entry, found.answer.best
        assert found.answer.objective == "versus"
        assert best.ev - made.ev == pytest.approx(found.loss)
        assert 0 < found.stderr < found.loss
        assert sum(value for value in made.parts.model_dump().values() if value is not None) == pytest.approx(made.ev)
        assert made.row_points < best.row_points


@pytest.mark.parametrize("board", ["Qd / 9c 9s 4h 4d / As Ac 7h 7d", "- / 9c 9s / As Ac 7h"])
def test_what_is_shown_on_the_way_is_no_surer_than_the_answer(board):
    """With sampled opponents no EV is exact, neither in the answer nor in its progress."""
    shown = []
    request = read_request(
        {"cards": "Kc 9d 3s", "board": board, "opponents": ["Kd / 6h 6d / Js Jc Jh 3h"], "time": 3.0, "threads": 1}
    )
    answer = solve(request, lambda snapshot: shown.extend(snapshot.actions))
    assert shown
    for action in (*shown, *answer.actions):
        assert not action.exact
        assert action.ev is None or action.stderr is None or action.stderr > 0.0
