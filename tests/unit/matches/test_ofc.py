"""OFC matches: fair, reproducible, and without the luck of the deal."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from bromeliad.bench.match import match_section
from bromeliad.cluster import Batch, open_executor
from bromeliad.core.budget import Cancel
from bromeliad.errors import InputError, PositionError
from bromeliad.games.ofc.rules.files import preset
from bromeliad.matches.ofc import OfcMatch
from bromeliad.matches.ofc_deck import Players, Setting, hands_of
from bromeliad.matches.runner import play_match
from bromeliad.matches.sprt import Sprt


def play(names, hands, *, batch=None, sprt=None, on_deck=None, on_progress=lambda progress: None, cancel=None, **rest):
    """Play a match; ``on_deck`` is called with the hands of each deck."""
    match = OfcMatch(names, hands, with_hands=on_deck is not None, **rest)

    def show(deck):
        if on_deck:
            on_deck(hands_of(deck))

    return play_match(match, batch=batch, sprt=sprt, on_played=show, on_progress=on_progress, cancel=cancel)


def numbers(result):
    """Return the figures of a result that must be the same in every run."""
    return [(p.name, p.mean, p.luck_adjusted_mean, p.p_foul, p.royalties) for p in result.players]


def same(result):
    """Return the result without times."""
    return [replace(player, ms_per_decision=0.0) for player in result.players], result.hands, result.stop_reason


class TestMatch:
    @pytest.mark.parametrize("name", ["random", "heuristic", "mcts:60sims"])
    def test_a_strategy_breaks_even_with_itself(self, name):
        result = play([name, name], 12)
        assert [player.mean for player in result.players] == [0.0, 0.0]
        assert result.players[0].p_foul == result.players[1].p_foul

    def test_is_reproducible_and_does_not_depend_on_the_workers(self):
        names = ["mcts:60sims", "heuristic"]
        decks = [], []
        results = [play(names, 12, seed=3, on_deck=decks[0].append), play(names, 12, seed=3)]
        with open_executor("local", 2) as executor:
            results.append(play(names, 12, seed=3, batch=Batch(executor), on_deck=decks[1].append))
        assert same(results[0]) == same(results[1]) == same(results[2])
        assert decks[0] == decks[1]
        assert same(results[0]) != same(play(names, 12, seed=4))

    def test_the_solver_is_reproducible(self):
        results = [play(["solver:40sims", "random"], 2, rules_name="regular") for _ in range(2)]
        assert numbers(results[0]) == numbers(results[1])

    def test_finds_the_better_one(self):
        result = play(["heuristic", "random"], 60)
        better, worse = result.players
        assert better.luck_adjusted_mean > 4 + 3 * better.luck_adjusted_stderr
        assert better.luck_adjusted_stderr < better.stderr
        assert better.mean == -worse.mean
        assert better.p_scoop == worse.p_scooped
        assert (result.hands, result.decks, result.stop_reason) == (60, 30, "hands")

    def test_three_players_take_every_seat(self):
        seatings = []
        result = play(
            ["heuristic", "random", "random"],
            9,
            on_deck=lambda hands: seatings.append([hand.seating for hand in hands]),
        )
        assert seatings == [[(0, 1, 2), (2, 0, 1), (1, 2, 0)]] * 3
        assert result.decks == 3
        assert sum(player.mean for player in result.players) == pytest.approx(0.0)

    def test_everybody_gets_the_same_cards(self):
        decks = []
        play(["heuristic", "random"], 2, on_deck=decks.append)
        one, two = decks[0]
        assert [turn.cards for turn in one.hand.turns] == [turn.cards for turn in two.hand.turns]

    def test_fantasyland_counts_with_its_worth(self):
        decks = []
        result = play(["heuristic", "random"], 60, on_deck=decks.append)
        values = []
        for one, two in decks:
            worth = [
                9.9 * sum((hand.next_fantasyland[seat] > 0) * sign for seat, sign in enumerate(signs))
                for hand, signs in ((one.hand, (1, -1)), (two.hand, (-1, 1)))
            ]
            values.append((one.hand.points[0] + two.hand.points[1] + sum(worth)) / 2)
        assert result.players[0].p_fantasyland > 0
        assert result.players[0].mean == pytest.approx(float(np.mean(values)))

    def test_carry_plays_fantasyland_out(self):
        hands = []
        result = play(["heuristic", "heuristic"], 60, carry=True, on_deck=hands.extend)
        assert result.hands == len(hands) > 60
        assert any(any(hand.hand.fantasyland) for hand in hands)
        assert result.players[0].mean == 0.0
        assert result.players[0].p_stay is not None
        for before, after in pairwise(hands):
            expected = before.by_player(before.hand.next_fantasyland)
            assert after.by_player(after.hand.fantasyland) == expected

    @pytest.mark.parametrize("rules", ["regular", "turbo", "deuce", "ultimate", "house"])
    def test_every_rule_set_has_its_luck(self, rules):
        result = play(["heuristic", "random"], 8, rules_name=rules)
        assert math.isfinite(result.players[0].luck_adjusted_mean)

    def test_can_be_stopped(self):
        told = []
        result = play(["random", "random"], 100, on_progress=told.append, cancel=Cancel(lambda: len(told) >= 3))
        assert (result.decks, result.stop_reason) == (3, "cancelled")
        assert [progress.fraction for progress in told] == [0.02, 0.04, 0.06]

    def test_a_match_without_a_hand_has_no_result(self):
        with pytest.raises(InputError, match="no hand was finished"):
            play(["random", "random"], 100, cancel=Cancel(lambda: True))

    @pytest.mark.parametrize("names", [["random"], ["random"] * 4])
    def test_player_counts_are_checked(self, names):
        with pytest.raises(PositionError, match="2 to 3 players"):
            play(names, 10)


class TestLuck:
    @pytest.mark.parametrize("carry", [False, True])
    def test_averages_to_zero(self, carry):
        """The mean luck is zero for good and bad players alike: here one plays well, the other at random."""
        setting = Setting("", ("heuristic", "random"), "pineapple", preset("pineapple"), 21, carry, False)
        players = Players(setting)
        luck = np.stack([players.play_deck(deck).luck for deck in range(40)])
        means, errors = luck.mean(axis=0), luck.std(axis=0, ddof=1) / math.sqrt(len(luck))
        assert (np.abs(means) < 4 * errors).all()


class TestSprt:
    def test_ends_a_match(self):
        result = play(["heuristic", "random"], 2000, sprt=Sprt(0.0, 1.0))
        assert (result.stop_reason, result.sprt_verdict) == ("sprt", "high")
        assert result.hands < 300


def test_the_table_of_matches():
    results = [play(["heuristic", "random"], 4, seed=seed) for seed in (1, 2)]
    section = match_section(results)
    assert [row[:3] for row in section.rows] == [("heuristic", "random", 4)] * 2
    assert all(len(row) == len(section.columns) == len(set(section.columns)) for row in section.rows)
    assert section.rows[0][3] == results[0].players[0].mean
