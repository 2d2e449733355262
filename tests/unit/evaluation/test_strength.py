"""Levels of play on seeded deals: known means, equal deals, repeatable results."""

import json
from itertools import combinations

import numpy as np
import pytest

from bromeliad.bench.published import published_spot
from bromeliad.bench.strength import strength_section
from bromeliad.cli.main import main
from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.evaluation import LEVELS
from bromeliad.evaluation.luck import Luck, adjust
from bromeliad.evaluation.play import Played, deal_hands, play_hands, rollouts
from bromeliad.evaluation.strength import measure_strength, spot_of
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot


def solo(foul_cost=0.0):
    return parse_spot(preset("pineapple"), objective="solo", foul_cost=foul_cost, fantasyland_worth={14: 8.0})


class TestDeals:
    def test_are_disjoint_and_of_the_right_sizes(self):
        deals = deal_hands(solo().to_search_state(), 50, 1)
        assert deals.shape == (50, 5)
        for hand in deals.tolist():
            assert [mask.bit_count() for mask in hand] == [5, 3, 3, 3, 3]
            assert sum(hand).bit_count() == 17  # no card twice, so the sum of the masks is their union

    def test_depend_on_the_seed_and_the_number_only(self):
        state = solo().to_search_state()
        many = deal_hands(state, 2005, 3)
        assert (deal_hands(state, 7, 3, 1998) == many[1998:]).all()
        assert not (deal_hands(state, 7, 4, 1998) == many[1998:]).any()

    def test_start_from_the_cards_that_are_left(self):
        spot = published_spot()
        deals = deal_hands(spot.to_search_state(), 200, 1)
        assert deals.shape == (200, 4)
        board = spot.board.cards.mask
        assert not (deals & board).any()
        second_alone = (np.bitwise_or.reduce(deals, axis=1) >> 52) == 2
        assert not second_alone.any()  # two equal jokers come in order

    def test_seats_share_a_deck(self):
        state = parse_spot(preset("ultimate")).to_search_state()
        seats = [deal_hands(state, 300, 3, seat=seat) for seat in range(2)]
        assert (seats[0] == deal_hands(state, 300, 3)).all()
        boards = [np.bitwise_or.reduce(deals, axis=1) for deals in seats]
        naturals = (1 << 52) - 1
        assert not (boards[0] & boards[1] & naturals).any()
        for board in boards:
            assert not ((board >> 52) == 2).any()  # each player's only joker is the first
        assert ((boards[0] >> 52 == 1) & (boards[1] >> 52 == 1)).any()


class TestLevels:
    def test_random_play_is_worth_what_is_known(self):
        result = measure_strength(solo(), "random", 4000, seed=5)
        assert abs(result.mean - 0.03) < 4 * result.stderr
        assert abs(result.p_foul - 0.69) < 0.03

    def test_each_level_beats_the_one_before(self):
        results = {level: measure_strength(solo(), level, 600, seed=2) for level in LEVELS}
        means = [results[level].luck_adjusted_mean for level in LEVELS]
        assert means[0] < 0.2 < 3 < means[1] < means[2]
        assert means[3] > means[2] - 0.05  # they differ little, and play the same deals
        assert means[4] > means[3]

    def test_a_foul_cost_takes_its_share(self):
        """Uniform play ignores the cost, so the mean falls by exactly the cost times the share of fouls."""
        free, dear = (measure_strength(solo(cost), "random", 1000, seed=3) for cost in (0.0, 6.0))
        assert free.p_foul == dear.p_foul
        assert dear.mean == pytest.approx(free.mean - 6.0 * free.p_foul)
        assert free.royalties == dear.royalties

    def test_mean_is_made_of_its_parts(self):
        result = measure_strength(solo(6.0), "greedy", 1000, seed=3)
        assert result.mean == pytest.approx(result.royalties + 8.0 * result.p_fantasyland - 6.0 * result.p_foul)

    def test_search_by_time_stops_when_told(self):
        spot = published_spot()
        assert measure_strength(spot, "search", 2, seed=4, seconds=0.02).hands == 2
        stopped = measure_strength(spot, "search", 50, seed=4, seconds=0.02, cancelled=lambda: True)
        assert stopped.hands == 1
        assert stopped.cancelled

    def test_same_simulations_same_numbers(self):
        # A short deck makes street 3 cheap enough to be exact at once.
        dead = "2c 2d 3c 3d 4c 4d 5c 5d 6c 6d 7c 7d 8c 8d 9c 9d Tc Td 2h 2s"
        spot = parse_spot(preset("pineapple"), objective="solo", foul_cost=0.0, fantasyland_worth={14: 8.0}, dead=dead)
        one, two = (measure_strength(spot, "search", 3, seed=4, simulations=500).to_json() for _ in range(2))
        del one["ms_per_decision"], two["ms_per_decision"]
        assert one == two

    def test_table(self):
        result = measure_strength(solo(), "random", 10, seed=1)
        section = strength_section([result])
        assert len(section.rows[0]) == len(section.columns)


def whole_hands(unseen):
    """Return a spot before street 4, and all hands that can come from it."""
    dead = CardSet.deck(0) - CardSet.from_cards(parse_cards("Qd 9c 9s 4h As Ac Ad 8h 8d " + unseen))
    spot = parse_spot(preset("pineapple"), board="Qd / 9c 9s 4h / As Ac Ad 8h 8d", dead=str(dead), foul_cost=6.0)
    cards = [card.value for card in parse_cards(unseen)]
    hands = []
    for first in combinations(cards, 3):
        for second in combinations([card for card in cards if card not in first], 3):
            hands.append([sum(1 << card for card in deal) for deal in (first, second)])
    return spot, np.array(hands, np.int64)


class TestLuck:
    @pytest.mark.parametrize("level", ["guide", "evaluation", "exact"])
    def test_mean_over_all_hands_of_a_short_deck_stays(self, level):
        spot, deals = whole_hands("Qc 4d 4s Kd 2c 2d 5h 9h")
        root = spot.to_search_state()
        results, codes = play_hands(root, deals, level, 1)
        values = results[:, Played.VALUE]
        adjusted = values - Luck(root, level, 1).measure(deals, codes, 0).sum(axis=1)
        assert adjusted.mean() == pytest.approx(values.mean(), abs=1e-9)
        assert adjusted.std() < 0.6 * values.std()  # luck by good play explains least of the guide's
        if level == "exact":  # perfect play leaves only luck
            assert adjusted.std() < 1e-9

    def test_does_not_depend_on_threads_or_batches(self, monkeypatch):
        root = solo().to_search_state()
        deals = deal_hands(root, 60, 5)
        codes = play_hands(root, deals, "greedy", 5).codes
        luck = Luck(root, "greedy", 5)
        monkeypatch.setattr("bromeliad.evaluation.luck.cores", lambda: 1)
        one = luck.measure(deals, codes, 0)
        monkeypatch.setattr("bromeliad.evaluation.luck.cores", lambda: 3)
        assert (luck.measure(deals, codes, 0) == one).all()
        assert (luck.measure(deals[23:40], codes[23:40], 23) == one[23:40]).all()
        assert (Luck(root, "greedy", 5).measure(deals, codes, 0) == one).all()

    @pytest.mark.parametrize("name", ["pineapple", "regular", "turbo", "deuce", "house", "ultimate"])
    def test_keeps_the_mean_and_lessens_the_error(self, name):
        count = 1500 if name == "pineapple" else 250
        spot = parse_spot(preset(name), objective="solo")
        root = spot.to_search_state() if name == "pineapple" else short_of_a_card(spot).to_search_state()
        deals = deal_hands(root, count, 9)
        results, codes = play_hands(root, deals, "greedy", 9)
        values = results[:, Played.VALUE]
        luck = Luck(root, "greedy", 9).measure(deals, codes, 0)
        differences = values - adjust(values, luck)
        assert abs(differences.mean()) < 4 * differences.std() / count**0.5
        assert adjust(values, luck).std() < 0.75 * values.std()
        assert (abs(luck.mean(axis=0)) < 4 * luck.std(axis=0) / count**0.5).all()

    def test_bad_play_is_not_blurred_by_the_luck_of_good_play(self):
        result = measure_strength(solo(), "random", 1000, seed=6)
        assert result.luck_adjusted_stderr < 1.05 * result.stderr

    def test_shares_of_luck_come_from_the_other_half(self):
        rng = np.random.default_rng(1)
        luck = rng.normal(size=(2000, 3))
        values = 5.0 + luck @ [1.0, 0.3, 0.0] + 0.1 * rng.normal(size=2000)
        adjusted = adjust(values, luck)
        assert adjusted.mean() == pytest.approx(5.0, abs=0.01)
        assert adjusted.std() == pytest.approx(0.1, abs=0.01)
        changed = np.concatenate([values[:1], values[1:] + 3.0 * luck[1:, 2]])
        assert adjust(changed, luck)[0] != adjusted[0]  # the share comes from the odd hands
        few = adjust(values[:10], luck[:10])
        assert few == pytest.approx(values[:10] - luck[:10].sum(axis=1))


def short_of_a_card(spot):
    """Return the spot with one card gone: this avoids the exact mean of the first street, which takes seconds."""
    return parse_spot(spot.rules, objective="solo", dead="2c")


class TestRollouts:
    def test_depend_on_the_seed_and_their_number_only(self):
        spot = parse_spot(preset("pineapple"), board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", foul_cost=0.0)
        state = spot.to_search_state()
        first, again = rollouts(state, 0b111001, 40, 7), rollouts(state, 0b111001, 20, 7, 20)
        assert (first[20:] == again).all()
        assert not (first == rollouts(state, 0b111001, 40, 8)).all()

    def test_spot_of_is_the_way_back(self):
        spot = parse_spot(preset("pineapple"), board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s", dead="2c 2d")
        again = spot_of(spot, spot.to_search_state())
        assert again.unseen == spot.unseen
        assert again.board == spot.board
        assert set(again.cards) == set(spot.cards)


class TestCommand:
    def test_prints_json(self, capsys):
        args = "--objective solo --foul-cost 0 --fantasyland-worth 14=8 --hands 300 --level greedy --seed 2 --json"
        outputs = []
        for _ in range(2):
            assert main(["bench", "strength", *args.split()]) == 0
            outputs.append(capsys.readouterr().out)
        one, two = map(json.loads, outputs)
        for key in ("hands", "mean", "stderr", "royalties", "p_foul", "p_fantasyland", "ms_per_decision"):
            assert isinstance(one[key], int | float)
        assert one["luck_adjusted_stderr"] < 0.6 * one["stderr"]
        assert one["luck_adjusted_mean"] == two["luck_adjusted_mean"]
        assert one["hands"] == 300
        assert one["mean"] == two["mean"]

    def test_searches_with_a_time(self, capsys):
        assert main(["bench", "strength", "--hands", "1", "--time", "0.02", "--foul-cost", "0", "--json"]) == 0
        assert '"level": "search"' in capsys.readouterr().out

    def test_writes_a_table(self, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "strength.md").write_text("# Strength\n")
        assert main(["bench", "strength", "--hands", "20", "--level", "random", "--write"]) == 0
        for path in ("benchmarks/RESULTS.md", "docs/strength.md"):
            assert "bench strength, random" in (tmp_path / path).read_text()

    @pytest.mark.parametrize(
        ("args", "problem"),
        [
            (["evaluator", "--hands", "3"], "--hands is only for bench strength"),
            (
                ["strength", "--level", "best"],
                "--level must be one of random, guide, evaluation, greedy, exact, search",
            ),
            (
                ["strength", "--level", "random", "--time", "1"],
                "--time, --simulations and --threads are only for --level",
            ),
            (["strength", "--time", "1", "--simulations", "5"], "give a time or a number of simulations, not both"),
            (["strength", "--hands", "0"], "--hands must be a whole number from 1 up"),
        ],
    )
    def test_refuses(self, args, problem, capsys):
        assert main(["bench", *args]) == 2
        assert problem in capsys.readouterr().err
