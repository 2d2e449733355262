"""The agent and its game, the player, models, openings and notation."""

import copy
import math
from types import SimpleNamespace

import numpy as np
import pytest

from bromeliad.core.budget import Budget
from bromeliad.errors import InputError, PositionError, WeightsError
from bromeliad.games.gomoku.agent import MAX_CANDIDATES, SHOWN_MOVES, GomokuCore, MCTSAgent, seed_agent
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.model import default_model, load_model, plain_model, save_model, seed_model
from bromeliad.games.gomoku.notation import cell_name, parse_cell, parse_stones
from bromeliad.games.gomoku.openings import balanced_opening, propose_opening, read_openings
from bromeliad.games.gomoku.player import Player
from bromeliad.games.gomoku.position import play_cells, read_position
from bromeliad.learning.gomoku import Plan, train_model


class TestCore:
    def test_stones_are_placed_in_turn_and_taken_back(self):
        game = GomokuCore(board_size=9)
        assert game.place_stone(4, 4)
        assert not game.place_stone(4, 4)
        assert not game.place_stone(9, 0)
        assert game.current_player == 2
        assert game.board[4, 4] == 1
        other = copy.deepcopy(game)
        assert game.undo() == (4, 4)
        assert other.board[4, 4] == 1
        with pytest.raises(InputError):
            game.undo()

    def test_five_in_a_row_win(self):
        game = GomokuCore()
        for column in range(4):
            game.place_stone(0, column)
            game.place_stone(5, column)
        assert not game.game_over
        game.place_stone(0, 4)
        assert (game.game_over, game.winner) == (True, 1)
        assert not game.place_stone(9, 9)

    def test_recommended_positions_begin_with_urgent_moves(self):
        game = GomokuCore()
        for cell in ((7, 7), (0, 0), (7, 8), (0, 14), (7, 9), (14, 0), (7, 10)):
            game.place_stone(*cell)
        assert set(game.recommand_positions()[:2]) == {(7, 6), (7, 11)}
        assert game.recommend_positions(3) == game.recommand_positions(3)
        assert GomokuCore().recommand_positions()


class TestAgent:
    def test_the_seeds_example(self, capsys):
        game = GomokuCore(board_size=15)
        game.place_stone(7, 7)
        agent = MCTSAgent(game, num_simulations=300, c_puct=1.0)
        row, column = agent.get_best_move(game)
        shares, values = agent.get_move_probabilities(), agent.get_move_values()
        assert math.isclose(sum(shares.values()), 1.0)
        assert len(shares) <= MAX_CANDIDATES
        assert max(shares, key=shares.get) == (row, column)
        assert all(-1.0 <= value <= 1.0 for value in values.values())
        agent.print_tree_info()
        assert len(capsys.readouterr().out.splitlines()) == 1 + len(shares)
        again = MCTSAgent(game, num_simulations=300)
        assert again.get_best_move() == (row, column)
        assert again.get_move_probabilities() == shares
        assert game.place_stone(row, column)

    def test_nodes_are_views_on_the_tree(self):
        game = GomokuCore(board_size=9)
        agent = MCTSAgent(game, num_simulations=50)
        agent.get_best_move()
        root = agent.root
        assert root.visit_count == 50
        child = root.select_child(agent.c_puct)
        assert child.ucb1_score(1.0) == max(node.ucb1_score(1.0) for node in root.children.values())
        assert child.game_state.board[child.move] == 1
        leaf = next(node for node in root.children.values() if not node.children_expanded)
        assert 1 <= len(leaf.expand()) <= MAX_CANDIDATES
        before = (leaf.visit_count, leaf.value_sum, root.value_sum)
        next(iter(leaf.children.values())).backup(1.0)
        assert (leaf.visit_count, leaf.value_sum, root.value_sum) == (before[0] + 1, before[1] - 1.0, before[2] + 1.0)

    @pytest.mark.parametrize("size", [6, 9, 15, 20])
    def test_the_first_stone_is_beside_the_centre_or_on_it(self, size):
        for seed in (1, 2, 3):
            row, column = MCTSAgent(GomokuCore(size), 150, seed=seed).get_best_move()
            assert max(abs(row - size // 2), abs(column - size // 2)) <= 1
        game, agent = seed_agent(size, num_simulations=20)
        assert max(abs(cell - size // 2) for cell in agent.get_best_move()) <= 1
        assert game.recommand_positions(1) == [(size // 2, size // 2)] or size % 2 == 0

    def test_the_root_tries_what_the_game_recommends(self):
        game = GomokuCore()
        for cell in ((7, 7), (8, 8), (6, 8)):
            game.place_stone(*cell)
        for limit in (3, 10, 14):
            agent = MCTSAgent(game, 100, max_candidates=limit)
            agent.get_best_move()
            assert set(agent.root.children) == set(game.recommand_positions(limit))
            assert all(len(node.children) <= limit for node in agent.root.children.values())

    def test_a_five_is_answered_with_one_candidate(self):
        game = GomokuCore()
        for cell in ((7, 7), (0, 0), (7, 8), (0, 14), (7, 9), (7, 6), (7, 10)):
            game.place_stone(*cell)
        assert MCTSAgent(game, 20, max_candidates=1).get_best_move() == (7, 11)

    def test_cells_are_named_by_the_board_that_was_searched(self, capsys):
        agent = MCTSAgent(GomokuCore(15), num_simulations=100)
        small = GomokuCore(9)
        small.place_stone(0, 0)
        best = agent.get_best_move(small)
        agent.print_tree_info()
        lines = capsys.readouterr().out.splitlines()
        assert lines[1].split()[0] == cell_name(best[0] * 9 + best[1], 9)
        assert len(lines) <= 1 + SHOWN_MOVES
        assert {line[0] for line in lines[1:]} <= set("ABC")
        agent.get_best_move()
        agent.print_tree_info()
        assert all(line[0] in "GHI" for line in capsys.readouterr().out.splitlines()[1:])

    def test_the_seed_agent_plays(self):
        game, agent = seed_agent(board_size=9, num_simulations=60)
        assert agent.get_best_move() in game.recommand_positions()


class Corner:
    """A network that prefers moves close to the top left, and values a position by its top left cell."""

    def __init__(self):
        self.asked = {"predict": 0, "evaluate_batch": 0, "evaluate_final": 0}

    def predict(self, game_state, move):
        self.asked["predict"] += 1
        assert game_state.board[move] == 0
        return 1.0 / (1 + sum(move))

    def evaluate_batch(self, game_state, candidates):
        self.asked["evaluate_batch"] += 1
        return np.array([-sum(move) for move in candidates])

    def evaluate_final(self, game_state):
        self.asked["evaluate_final"] += 1
        mine = game_state.board == game_state.current_player
        return 0.5 if mine[0, 0] else 0.0


class TestSteps:
    """The agent's steps one by one, in kernels, in Python and with a network."""

    def game(self):
        game = GomokuCore(9)
        for cell in ((4, 4), (4, 5), (3, 4)):
            game.place_stone(*cell)
        return game

    def test_an_iteration_visits_one_leaf(self):
        agent = MCTSAgent(self.game(), c_puct=1.0)
        for visits in (1, 2, 3):
            agent._simulate_once()
            assert agent.root.visit_count == visits
            assert sum(node.visit_count for node in agent.root.children.values()) == visits
        assert sum(node.children_expanded for node in agent.root.children.values()) >= 1

    def test_iterations_in_python_agree_with_the_kernels(self):
        class InPython(MCTSAgent):
            def _simulate_playout(self, game_state, max_candidates=5):
                return super()._simulate_playout(game_state, max_candidates)

        fast, slow = (make(self.game(), 150) for make in (MCTSAgent, InPython))
        assert fast.get_best_move() == slow.get_best_move()
        assert slow.root.visit_count == 150
        values, others = fast.get_move_values(), slow.get_move_values()
        best = slow.get_best_move()
        assert values[best] == pytest.approx(others[best], abs=0.2)

    def test_a_playout_ends_with_the_winner(self):
        game = GomokuCore(9)
        for cell in ((4, 2), (0, 0), (4, 3), (0, 2), (4, 4), (0, 4), (4, 5)):
            game.place_stone(*cell)
        agent = MCTSAgent(game, playout_moves=5)
        assert agent._simulate_playout(game.copy()) == 1.0  # black has an open four and moved last
        game.place_stone(4, 1)
        assert agent._simulate_playout(game.copy()) == -1.0
        game.place_stone(4, 6)
        assert MCTSAgent(game)._simulate_playout(game.copy()) == 1.0  # it is over
        assert game.winner == 1

    def test_a_quick_look_prefers_the_winning_moves(self):
        game = GomokuCore(9)
        for cell in ((4, 2), (0, 0), (4, 3), (0, 2), (4, 4), (0, 4), (4, 5), (8, 8)):
            game.place_stone(*cell)
        agent = MCTSAgent(game)
        looks = {move: agent._quick_evaluate(game, move) for move in game.recommand_positions()}
        assert max(looks, key=looks.get) in ((4, 1), (4, 6))

    def test_a_network_gives_priors_and_values(self):
        net, game = Corner(), self.game()
        agent = MCTSAgent(game, 30, playout_moves=2, network=net)
        agent.get_best_move()
        assert min(net.asked.values()) > 0
        assert agent.root.visit_count == 30
        for move, node in agent.root.children.items():
            assert node._get_prior_probability() == 1.0 / (1 + sum(move))
            assert node.prior == pytest.approx(node._get_prior_probability())
        assert max(agent.get_move_values().values()) <= 1.0

    def test_a_networks_value_is_for_the_player_to_move(self):
        game = GomokuCore(9)
        game.place_stone(0, 0)
        agent = MCTSAgent(game, network=Corner())
        assert agent._simulate_playout(game.copy()) == 0.0  # white moves, black has the corner
        game.place_stone(5, 5)
        assert agent._simulate_playout(game.copy()) == -0.5

    def test_without_a_network_priors_are_the_models(self):
        agent = MCTSAgent(self.game(), 10)
        agent.get_best_move()
        assert agent.root._get_prior_probability() == 1.0
        for node in agent.root.children.values():
            assert node._get_prior_probability() == node.prior


class TestPlayer:
    game = Gomoku(15)

    def think(self, moves, simulations=200):
        return Player(self.game).think(read_position(self.game, moves), Budget(simulations=simulations))

    def test_wins_and_stops_fives(self):
        assert cell_name(self.think("H8A1I8A3J8A5K8O1").best, 15) in ("G8", "L8")
        assert cell_name(self.think("H8A1I8A3J8A5K8").best, 15) in ("G8", "L8")

    def test_an_open_three_is_answered(self):
        answer = self.think("H8A1I8A3J8")
        assert cell_name(answer.best, 15) in ("F8", "G8", "K8", "L8")

    def test_the_same_seed_gives_the_same_answer(self):
        one, two = (self.think("H8I9G7H7") for _ in range(2))
        assert one.candidates == two.candidates
        assert one.line == two.line

    def test_a_finished_game_has_no_answer(self):
        with pytest.raises(PositionError):
            Player(self.game).think(play_cells(self.game, parse_stones("A1A2B1B2C1C2D1D2E1", 15)), Budget(0.1))


class TestModels:
    def test_models_are_saved_and_damaged_files_are_refused(self, tmp_path):
        path = tmp_path / "model.npz"
        save_model(path, seed_model())
        assert np.allclose(load_model(path).priors, seed_model().priors)
        assert load_model(path).sigmoid
        path.write_bytes(b"nothing")
        with pytest.raises(WeightsError):
            load_model(path)

    def test_learning_changes_the_model_and_is_reproducible(self):
        plan = Plan(rounds=1, games=2, simulations=20, steps=5)
        one, two = (train_model(plain_model(), plan, 7, "freestyle", 3, lambda share: None) for _ in range(2))
        assert np.array_equal(one.values, two.values)
        assert not np.array_equal(one.values, plain_model().values)
        assert np.isfinite(one.priors).all()

    def test_the_default_model_was_learned(self):
        assert not np.allclose(default_model().values, plain_model().values)


class TestOpenings:
    def test_opening_files_are_read_and_checked(self, tmp_path):
        path = tmp_path / "openings.txt"
        path.write_text("0,0, 1,-1, -2,3\n\n0,0, 1,0\n")
        assert read_openings(path, 15) == [[112, 6 * 15 + 8, 10 * 15 + 5], [112, 113]]
        for wrong in ("0,0 8,0", "0,0 0,0", "a,b", "1 2"):
            path.write_text(wrong)
            with pytest.raises(InputError):
                read_openings(path, 15)

    def test_balanced_openings_have_distinct_stones(self):
        cells = balanced_opening(Player(Gomoku(9)), np.random.default_rng(1), Budget(simulations=30), 3)
        assert len(set(cells)) == 3

    def test_a_proposal_keeps_to_its_time(self, monkeypatch):
        player, thought = Player(Gomoku(9)), []
        monkeypatch.setattr(player, "think", lambda *given: thought.append(given) or SimpleNamespace(value=1.0))
        assert len(propose_opening(player, np.random.default_rng(1), 0.0)) == 3
        assert len(thought) == 1


@pytest.mark.parametrize("text", ["", "Z1", "A0", "A16", "H", "8H", "H8H", "H88"])
def test_texts_that_are_not_cells_are_refused(text):
    with pytest.raises(InputError):
        parse_cell(text, 15)


def test_positions_are_read_strictly():
    assert parse_stones(" h8 I9 ", 15) == [parse_cell("H8", 15), parse_cell("I9", 15)]
    for text in ("H8H8", "H8x", "H8 99"):
        with pytest.raises(InputError):
            parse_stones(text, 15)
