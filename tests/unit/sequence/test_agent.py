"""The agent: the moves it finds, hidden knowledge, its parameters, positions, rules and evaluators."""

import numpy as np
import pytest

from bromeliad.core.budget import Budget
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError, PositionError
from bromeliad.games.sequence.agent import (
    EXPLORATION_WEIGHT,
    MAX_THINK_TIME,
    ActionEvaluator,
    AdaptiveTimeManager,
    AgentParams,
    CardEvaluator,
    Evaluators,
    LRUCache,
    StateEvaluator,
    custom_shallow_copy,
    document_params,
    document_weights,
)
from bromeliad.games.sequence.game import Sequence, redraw
from bromeliad.games.sequence.notation import action_name, parse_action, parse_card
from bromeliad.games.sequence.playable import answer_data
from bromeliad.games.sequence.player import Player, strategy_named
from bromeliad.games.sequence.position import Position, cards_in
from bromeliad.games.sequence.rules import SequenceRules, rules_named
from bromeliad.games.sequence.state import CHIPS, DECK, DRAFT, HANDS, MOVER, SEQUENCES, TALLY, WEIGHTS, SequenceState
from bromeliad.games.sequence.table import SequenceTable
from bromeliad.games.sequence.team_value import position_value
from bromeliad.games.sequence.weights import Weights

EMPTY = ["#________#", *["_" * 10] * 8, "#________#"]
FEW = Budget(simulations=300)
GAME = Sequence("course")


def board(**chips):
    """Return board rows with chips: ``row_2="rrrr"`` lays them from column 0 on."""
    rows = list(EMPTY)
    for name, text in chips.items():
        row = int(name.removeprefix("row_"))
        rows[row] = text + rows[row][len(text) :]
    return rows


def solve(budget=FEW, params=None, **data):
    position = Position.from_data(GAME.rules, {"seat": 0, "draft": "2c 3c 4c 5c 6c", **data})
    state = position.to_state(GAME.new_state())
    return Player(GAME, params).think(state, budget), state


def middle(seed, turns, rules="course"):
    """Return the table of a game between greedy players after some turns."""
    table = SequenceTable(Sequence(rules), seed)
    greedy = strategy_named("greedy", table.game, Budget())
    while not table.over and table.view(None)["turn"] < turns:
        table.play(greedy.choose(table.state))
    return table


class TestFinds:
    def test_the_winning_square(self):
        answer, _ = solve(board=board(row_3="_rrrr"), hand="7s 8s 9s 2h 3h 3c", sequences=[1, 0])
        assert action_name(answer.best) == "3c@35"
        assert answer.value > 0.9
        assert len(answer.candidates) == 1  # nothing else is tried

    def test_the_heart_wins_the_course_variant(self):
        rows = board(row_4="____rr", row_5="____r_")
        answer, _ = solve(board=rows, hand="7s 8s 9s 2s 3h 4s")
        assert action_name(answer.best) == "3h@55"

    def test_a_block_where_the_opponent_would_win(self):
        rows = board(row_3="rbbbb")
        known = {"sequences": [1, 1], "known": {1: ["Jd"]}}
        answer, _ = solve(Budget(simulations=2000), board=rows, hand="7s 8s 9s 2h 4h 3c", **known)
        assert action_name(answer.best) == "3c@35"

    def test_a_turn_includes_the_card_to_take(self):
        answer, state = solve(board=board(), hand="7s 8s 9s 2h 4h 3c")
        names = [action_name(action) for action in answer.actions]
        assert len(names) == 2
        assert names[1][0] == "+"
        assert parse_card(names[1][1:]) in cards_in(state, DRAFT)


class TestKnowledge:
    @pytest.mark.parametrize("rules", ["course", "official"])
    @pytest.mark.parametrize("halving", [False, True])
    def test_the_answer_does_not_depend_on_hidden_cards(self, rules, halving):
        for seed in range(3):
            table = middle(seed, 9 + seed, rules)
            player = Player(table.game, AgentParams(halving=halving))
            before = player.think(table.state, FEW)
            for other in range(2):
                swapped = SequenceState(table.state.data.copy())
                redraw(swapped.data, new_rng(100 + other), swapped.data[MOVER])
                assert (swapped.data != table.state.data).any()
                again = player.think(swapped, FEW)
                assert [item[:4] for item in again.candidates] == [item[:4] for item in before.candidates]
                assert again.actions == before.actions

    def test_a_drafted_card_stays_known_until_it_is_played(self):
        table = SequenceTable(GAME, 4)
        taken = None
        for _ in range(12):
            seat = table.mover
            action = table.legal()[0]
            if action_name(action)[0] == "+":
                taken = action_name(action)[1:]
                table.play(action)
                assert taken in table.view(1 - seat)["players"][seat]["known"]
                continue
            table.play(action)
        data = table.state.data.copy()
        redraw(data, new_rng(1), 1 - table.mover)
        known = cards_in(table.state, HANDS + 4 * table.mover + 2)
        assert taken is not None
        assert known
        assert not set(known) - set(cards_in(SequenceState(data), HANDS + 4 * table.mover))

    def test_redrawing_keeps_every_card(self):
        table = middle(2, 12)
        data = table.state.data.copy()
        redraw(data, new_rng(5), 0)
        everything = [DECK, HANDS, HANDS + 4]
        before = sorted(card for at in everything for card in cards_in(table.state, at))
        assert sorted(card for at in everything for card in cards_in(SequenceState(data), at)) == before
        assert cards_in(SequenceState(data), HANDS) == cards_in(table.state, HANDS)

    def test_a_spectator_sees_no_hand(self):
        table = SequenceTable(GAME, 4)
        assert all(player["known"] == [] for player in table.view(None)["players"])
        assert table.view(None)["moves"] == []
        assert len(table.view(0)["players"][0]["known"]) == 6


class TestPositions:
    def test_the_knowledge_of_a_seat_is_read_back(self):
        table = middle(3, 15)
        position = Position.of(GAME.rules, table.state)
        again = Position.from_data(GAME.rules, position.to_data())
        assert again == position
        state = again.to_state(GAME.new_state())
        seat = table.mover
        assert cards_in(state, HANDS + 4 * seat) == cards_in(table.state, HANDS + 4 * seat)
        assert np.array_equal(state.data[CHIPS:DECK], table.state.data[CHIPS:DECK])
        assert np.array_equal(state.data[TALLY:WEIGHTS], table.state.data[TALLY:WEIGHTS])
        assert GAME.legal(state) == GAME.legal(table.state)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"board": EMPTY[:9]},
            {"board": ["r________#", *EMPTY[1:]]},
            {"board": board(row_3="_ggg")},
            {"board": board(row_2="rrrrr")},
            {"board": board(row_0="#rrrr")},
            {"board": board(row_4="____rr", row_5="____rr")},
            {"board": board(row_4="____bB", row_5="____Bb")},
            {"hand": "7s 7s 7s"},
            {"hand": "7s 8s 9s 2h 4h 3c 5c"},
            {"hand": []},
            {"hand": ["nonsense"]},
            {"seat": 5},
            {"seat": "x"},
            {"sequences": [2, 0]},
            {"known": {"1": ["2c"] * 7}},
            {"known": {"7": ["2c"]}},
            {"known": {"0": ["2c"]}},
            {"sizes": {"-1": 3}},
            {"draft": "2c 3c 4c 5c 6c 7c"},
            {"unheard": 1},
            {"picking": True, "draft": []},
            {"draft": []},  # there would be no card to take after the play
        ],
    )
    def test_impossible_positions_are_refused(self, wrong):
        with pytest.raises((PositionError, InputError)):
            Position.from_data(
                GAME.rules, {"board": EMPTY, "seat": 0, "hand": "7s 8s", "draft": "2c 3c 4c 5c 6c", **wrong}
            )

    def test_capitals_are_one_sequence_by_default(self):
        rows = board(row_2="RRRRR", row_4="rrrr")
        answer, state = solve(board=rows, hand="5h 8s 9s 2h 4h 3c")
        assert state.data[SEQUENCES : SEQUENCES + 2].tolist() == [1, 0]
        assert (answer.value, action_name(answer.best)) == (1.0, "5h@44")
        assert solve(board=rows, hand="5h 8s 9s 2h 4h 3c", sequences=[0, 0])[0].value < 1.0

    def test_undo_restores_everything(self):
        table = SequenceTable(Sequence("official"), 9)
        states = []
        for _ in range(40):
            states.append(table.state.data.copy())
            table.play(table.legal()[-1])
        for before in reversed(states):
            table.undo()
            assert np.array_equal(table.state.data, before)
        with pytest.raises(InputError, match="nothing to take back"):
            table.undo()

    def test_the_deck_does_not_depend_on_the_moves(self):
        one, two = SequenceTable(GAME, 5), SequenceTable(GAME, 5)
        assert one.view(0) == two.view(0)
        for table, pick in ((one, 0), (two, -1)):
            table.play(table.legal()[pick])
        fresh = [set(table.view(None)["draft"]) for table in (one, two)]
        assert fresh[0] == fresh[1]

    @pytest.mark.parametrize("text", ["7c@20", "Jh-20", "7c!", "+Ts", "keep", "pass", "Jd@45"])
    def test_actions_are_written_as_they_are_read(self, text):
        assert action_name(parse_action(text)) == text

    @pytest.mark.parametrize("text", ["", "7c", "7c@21", "7c@00", "Jd-20", "Jh@20", "+7c!", "7c-20", "1c@20", "7c@2"])
    def test_texts_that_are_not_actions_are_refused(self, text):
        with pytest.raises(InputError):
            parse_action(text)


class TestRules:
    @pytest.mark.parametrize(("players", "teams", "hand"), [(2, 2, 7), (3, 3, 6), (4, 2, 6), (6, 2, 5), (12, 2, 3)])
    def test_hands_by_players(self, players, teams, hand):
        rules = rules_named("official", players)
        assert (rules.teams, rules.hand) == (teams, hand)
        assert rules_named("official", 6, 3).goal == 1

    @pytest.mark.parametrize(
        "wrong", [("official", 5, None), ("official", 4, 3), ("course", 3, None), ("chess", 2, None)]
    )
    def test_impossible_rules_are_refused(self, wrong):
        with pytest.raises(InputError):
            rules_named(*wrong)
        with pytest.raises(InputError):
            SequenceRules("own", 5, 2, 5, 2)


class TestParameters:
    @pytest.mark.parametrize(
        "changes",
        [
            {"manage_time": True, "document_iterations": True},
            {"priors": True},
            {"adapt": True},
            {"deepening": True},
            {"widening": 2.0, "ucb_form": "doubled"},
            {"halving": True},
        ],
    )
    def test_every_variant_answers(self, changes):
        table = middle(6, 14)
        answer = Player(GAME, AgentParams(**changes)).think(table.state, Budget(simulations=200))
        assert answer.best in table.legal()

    @pytest.mark.parametrize("changes", [{}, {"deepening": True}, {"manage_time": True}])
    @pytest.mark.parametrize("seconds", [-0.5, 0.0, 0.0005])
    def test_an_answer_comes_at_once_if_no_time_is_left(self, changes, seconds):
        table = middle(6, 14)
        answer = Player(GAME, AgentParams(**changes)).think(table.state, Budget(seconds))
        assert answer.best in table.legal()
        assert answer.simulations < 5000  # a second has many more

    def test_time_used_for_the_play_is_missing_for_the_card(self):
        whole = Budget(1.0)
        assert whole.part(0.25).within(whole, 0.5).seconds == 0.25
        assert whole.part(0.25).within(whole, 0.875).seconds == 0.125
        assert whole.part(0.25).within(whole, 1.5).seconds == 0.0
        assert FEW.part(0.5).within(FEW, 9.0) == FEW.part(0.5)

    def test_the_documents_numbers(self):
        params = document_params()
        assert [params.search(critical, Budget(1.0)).simulations for critical in (False, True)] == [200, 400]
        tight = params.search(False, Budget(0.04))
        assert (tight.simulations, tight.playout_depth) == (50, 3)
        assert params.search(True, Budget(1.0)).uct_c == pytest.approx(1.2 * 2**0.5)
        assert params.search(False, Budget(1.0)).seconds <= 0.95

    @pytest.mark.parametrize(("turns", "critical", "most"), [(0, False, 12), (6, False, 12), (24, True, 20)])
    def test_the_document_agent_keeps_to_its_number_of_candidates(self, turns, critical, most):
        table = middle(1, turns, "official")
        assert len(table.legal()) > most
        game = Sequence("official", document_weights())
        answer = Player(game, document_params()).think(table.state, Budget(simulations=400))
        assert answer.critical is critical
        assert len(answer.candidates) == most
        evaluator, state = ActionEvaluator(), with_weights(game, table.state)
        tried = [evaluator.evaluate_action_quality(state, item.action) for item in answer.candidates]
        best = evaluator._heuristic_filter(state, table.legal(), critical)
        assert sorted(tried) == sorted(evaluator.evaluate_action_quality(state, action) for action in best)
        assert sum(item.visits for item in answer.candidates) == answer.simulations

    def test_wrong_parameters_are_refused(self):
        with pytest.raises(InputError):
            AgentParams(ucb_form="triple")
        with pytest.raises(InputError):
            AgentParams(candidates=0)
        with pytest.raises(InputError):
            Weights(scale=0)
        with pytest.raises(InputError):
            Weights(five=10**9)
        with pytest.raises(InputError, match="no Sequence strategy"):
            strategy_named("greedy:document", GAME, Budget())

    def test_the_caches_count_their_hits(self):
        answer, state = solve(board=board(), hand="7s 8s 9s 2h 4h 3c")
        evaluators = Evaluators()
        first = answer_data(GAME, state, answer, evaluators)
        again = answer_data(GAME, state, answer, evaluators)
        assert first["candidates"] == again["candidates"]
        used = again["caches"]
        assert [used[name]["room"] for name in ("actions", "cards", "states")] == [10_000, 5_000, 5_000]
        assert used["actions"]["hit_rate"] == used["cards"]["hit_rate"] == used["states"]["hit_rate"] == 0.5

    def test_caches_distinguish_hands_and_weights(self):
        evaluators = Evaluators()
        seat = {"seat": 0, "draft": "2c 3c 4c 5c 6c", "board": board()}
        plain = Position.from_data(GAME.rules, {**seat, "hand": "7s 8s 9s 2h 4h 3c"})
        jack = Position.from_data(GAME.rules, {**seat, "hand": "7s 8s 9s 2h 4h jc"})
        state, other = plain.to_state(GAME.new_state()), jack.to_state(GAME.new_state())
        strange = plain.to_state(Sequence("course", Weights(tempo=500)).new_state())
        for one in (state, other, strange):
            assert evaluators.state(one, 0) == float(position_value(one.data, 0))
        assert len({evaluators.state(one, 0) for one in (state, other, strange)}) == 3


def with_weights(game, state):
    """Return a state with the weights of another game."""
    copied = custom_shallow_copy(state)
    copied.data[WEIGHTS:] = game.new_state().data[WEIGHTS:]
    return copied


class TestEvaluators:
    def position(self):
        rows = board(row_3="_rrrr", row_6="bbbb")
        data = {"seat": 0, "draft": "2c 3c 4c 5c 6c", "board": rows, "hand": "7s 8s 9s 2h 4h 3c"}
        return Position.from_data(GAME.rules, data).to_state(GAME.new_state())

    def test_actions_cards_and_states_are_valued_once(self):
        state = self.position()
        actions, cards, states = ActionEvaluator(), CardEvaluator(), StateEvaluator()
        assert [item.cache.max_items for item in (actions, cards, states)] == [10_000, 5_000, 5_000]
        wins = parse_action("3c@35")
        quality = {action: actions.evaluate_action_quality(state, action) for action in GAME.legal(state)}
        assert max(quality, key=quality.get) == wins
        assert quality[wins] >= 2000
        assert actions.evaluate_action_quality(state, wins) == quality[wins]
        assert actions.cache.statistics().hits == 1
        assert cards.evaluate_card(state, parse_card("3c"), 0) > cards.evaluate_card(state, parse_card("2h"), 0)
        assert states.evaluate_state(state, 0) == float(position_value(state.data, 0))
        assert isinstance(states.cache, LRUCache)

    def test_the_filter_keeps_the_best(self):
        table = middle(1, 14)
        state, actions = table.state, table.legal()
        evaluator = ActionEvaluator()
        for critical, most in ((False, 12), (True, 20)):
            kept = evaluator._heuristic_filter(state, actions, critical)
            assert len(kept) == min(most, len(actions))
            worst = evaluator.evaluate_action_quality(state, kept[-1])
            left = set(actions) - set(kept)
            assert all(evaluator.evaluate_action_quality(state, action) <= worst for action in left)

    def test_a_guided_playout_leaves_the_position_alone(self):
        state = self.position()
        before = custom_shallow_copy(state)
        evaluator = StateEvaluator()
        values = [evaluator._heuristic_guided_simulate(state, 0, critical=True, seed=seed) for seed in range(8)]
        assert np.array_equal(state.data, before.data)
        assert all(-1.0 <= value <= 1.0 for value in values)
        assert len(set(values)) > 1
        assert values[3] == evaluator._heuristic_guided_simulate(state, 0, critical=True, seed=3)

    def test_time_is_divided_by_phase(self):
        assert [AdaptiveTimeManager(1.0).plan(stage, False).seconds for stage in range(3)] == [0.4, 0.6, 0.8]
        assert AdaptiveTimeManager(1.0).plan(0, True).seconds == 0.9
        assert (MAX_THINK_TIME, EXPLORATION_WEIGHT) == (0.95, 1.2)
