"""Results without luck: unbiased for all players, far more precise, and the same for the same seed."""

import math

import numpy as np
import pytest

from bromeliad.bench.luck import QuickTable, luck_bench, measure_luck
from bromeliad.evaluation.hand_luck import HandLuck, LuckTally, MeasuredHand, adjust_by_luck, hand_values
from bromeliad.games.ofc.play.dealer import play_hand, shuffled_deck
from bromeliad.games.ofc.play.strategies import HeuristicStrategy, RandomStrategy
from bromeliad.games.ofc.rules.files import parse_rules, preset

PINEAPPLE = preset("pineapple")
LATE = parse_rules("base: pineapple\nname: late\nfantasyland: {commit: last}\n")


def played(rules, strategies, number, fantasyland=None):
    """Return a hand of strategies at a dealer's table."""
    for seat, strategy in enumerate(strategies):
        strategy.begin_hand(10 * number + seat)
    return play_hand(rules, strategies, shuffled_deck(rules, (8, number)), fantasyland)


def averages_to_zero(lucks):
    lucks = np.array(lucks)
    return abs(lucks.mean()) < 4 * lucks.std(ddof=1) / math.sqrt(len(lucks))


class TestHands:
    def test_the_baseline_has_nothing_but_luck(self):
        """The heuristic strategy plays as the guide's baseline does: all that it wins is luck."""
        meter = HandLuck(PINEAPPLE)
        for number in range(5):
            hand = played(PINEAPPLE, [HeuristicStrategy(), HeuristicStrategy()], number)
            assert meter.measure(hand, 1).controls[:, 1] == pytest.approx(hand_values(hand))

    def test_is_reproducible(self):
        hand = played(PINEAPPLE, [HeuristicStrategy(), RandomStrategy()], 3)
        meter = HandLuck(PINEAPPLE)
        first = meter.measure(hand, 5).controls
        meter.measure(played(PINEAPPLE, [RandomStrategy()] * 2, 4), 5)
        assert (meter.measure(hand, 5).controls == first).all()
        assert (HandLuck(PINEAPPLE).measure(hand, 5).controls == first).all()
        assert (meter.measure(hand, 6).controls != first).any()

    @pytest.mark.parametrize("name", ["ultimate", "house", "deuce", "turbo", "regular"])
    def test_what_one_has_others_lack(self, name):
        rules = preset(name)
        meter = HandLuck(rules)
        for players in range(2, min(rules.players.max, 3) + 1):
            hand = played(rules, [RandomStrategy() for _ in range(players)], 5)
            measured = meter.measure(hand, 2)
            assert np.isfinite(measured.controls).all()
            assert measured.luck.sum() == pytest.approx(0.0, abs=1e-9)
            assert measured.values.sum() == pytest.approx(0.0, abs=1e-9)

    def test_values_count_fantasyland_once(self):
        """Over successive hands the worths cancel out."""
        table, fantasyland, total = QuickTable(PINEAPPLE, ["exact", "exact"]), (14, 0), np.zeros(2)
        points, hands = np.zeros(2), 0
        while any(fantasyland):
            hand = table.play((0, 1), fantasyland, (4, hands))
            total += hand_values(hand)
            points += hand.points
            fantasyland, hands = hand.next_fantasyland, hands + 1
        assert total == pytest.approx(points - [9.9, -9.9])

    @pytest.mark.parametrize(
        ("rules", "fantasyland", "hands"), [(PINEAPPLE, (14, 0), 25), (PINEAPPLE, (14, 14), 25), (LATE, (0, 14), 12)]
    )
    def test_fantasyland_hands_have_luck_too(self, rules, fantasyland, hands):
        table, meter = QuickTable(rules, ["exact", "guide"]), HandLuck(rules)
        found = [meter.measure(table.play((0, 1), fantasyland, (5, i)), i) for i in range(hands)]
        assert averages_to_zero([measured.luck[0] for measured in found])
        left = np.array([measured.values[0] - measured.luck[0] for measured in found])
        assert left.std() < 0.5 * np.std([measured.values[0] for measured in found])

    def test_a_badly_set_fantasyland_is_no_bad_luck(self):
        """A random board usually fouls: its loss belongs to the decision."""
        meter = HandLuck(PINEAPPLE)
        left = []
        for number in range(6):
            hand = played(PINEAPPLE, [RandomStrategy(), HeuristicStrategy()], number, (14, 0))
            measured = meter.measure(hand, number)
            left.append(measured.values[0] - measured.luck[0])
        assert np.mean(left) < -15

    def test_jokers_in_fantasyland(self):
        rules = preset("ultimate")
        meter = HandLuck(rules)
        hand = next(
            hand
            for number in range(100)
            if "Jk" in map(str, (hand := played(rules, [RandomStrategy()] * 2, number, (15, 14))).turns[1].cards)
            and "Jk" in map(str, hand.turns[0].cards)
        )  # one each: the second seat also sees its joker as the first
        assert meter.measure(hand, 1).luck.sum() == pytest.approx(0.0, abs=1e-9)


class TestResults:
    def test_strong_players_are_known_four_times_better(self):
        result, _ = measure_luck(PINEAPPLE, ["exact", "exact"], 200, seed=3)
        assert abs(result.luck_adjusted_mean - result.mean) < 3 * result.stderr
        assert 4 * result.luck_adjusted_stderr < result.stderr

    def test_is_true_for_uneven_players(self):
        result, _ = measure_luck(PINEAPPLE, ["exact", "guide", "random"], 60, seed=2)
        assert abs(result.luck_adjusted_mean - result.mean) < 3 * result.stderr
        assert result.luck_adjusted_mean > 3 * result.luck_adjusted_stderr

    def test_alone_against_the_deck(self):
        result, _ = measure_luck(PINEAPPLE, ["exact"], 120, seed=2)
        assert abs(result.luck_adjusted_mean - result.mean) < 3 * result.stderr
        assert 4 * result.luck_adjusted_stderr < result.stderr

    def test_alone_in_fantasyland(self):
        table, meter = QuickTable(PINEAPPLE, ["exact"]), HandLuck(PINEAPPLE)
        lucks = [meter.measure(table.play((0,), (14,), (6, i)), i).luck[0] for i in range(20)]
        assert averages_to_zero(lucks)
        assert np.std(lucks) > 3

    def test_few_hands_lose_their_whole_luck(self):
        tally = LuckTally()
        for value, luck in ((3.0, 2.0), (-1.0, 0.5)):
            tally.add(MeasuredHand(np.array([-value, value]), np.array([[-luck, 7.0], [luck, 7.0]])), 2)
        result = tally.result()
        assert (result.hands, result.mean, result.luck_adjusted_mean) == (2, 1.0, -0.25)

    def test_learned_shares_leave_the_mean_true(self):
        """Skewed luck that correlates with the squared value would bias shares learned from the same hands."""
        rng, means, raw = np.random.default_rng(1), [], []
        for _ in range(400):
            luck = rng.exponential(size=(200, 2)) - 1.0
            values = luck[:, 0] ** 2 + rng.normal(size=200)
            means.append(adjust_by_luck(values, luck).mean())
            raw.append(values.mean())
        assert abs(np.mean(means) - 1.0) < 3 * np.std(means) / 20
        assert np.std(means) < 0.9 * np.std(raw)

    def test_the_bench_has_a_row_for_every_table(self):
        (section,) = luck_bench(True, 5)
        assert [row[2] for row in section.rows] == [200, 20, 20, 20, 10, 20]
        assert all(abs(row[7]) < 4 for row in section.rows)
