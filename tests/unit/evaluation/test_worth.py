"""The worth of fantasyland: the linear system, the rounds behind it, settlements by two other scorers, whole runs."""

import math

import numpy as np
import pytest

from bromeliad.bench import worth
from bromeliad.cluster import Batch, open_executor
from bromeliad.core.cards import Card, CardSet
from bromeliad.errors import InputError
from bromeliad.evaluation.play import Played, play_hands
from bromeliad.evaluation.worth import _foul_cost, _solve, solve_worth, solve_worths
from bromeliad.evaluation.worth_hands import (
    FOUL,
    NEXT_CARDS,
    NORMALS,
    ROYALTIES,
    Settled,
    deal_rounds,
    play_normally,
    set_fantasyland,
    settle_boards,
)
from bromeliad.evaluation.worth_rounds import Sample
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.rules.score import Score
from bromeliad.games.ofc.spot import parse_spot
from oracles import ofc_scorer as oracle
from support import changed


class TestSystem:
    def test_one_size_by_hand(self):
        (worth,) = solve_worths(np.array([12.0]), np.array([[0.1]]), np.array([0.2]))
        assert worth == pytest.approx(12 / (1 - 0.1 + 0.2))

    def test_two_sizes_by_hand(self):
        """A stay deals the small hand."""
        points, stay, entry = np.array([10.0, 30.0]), np.array([[0.1, 0.0], [0.6, 0.0]]), np.array([0.1, 0.2])
        # W = 10 + 0.1 W - 0.1 W - 0.2 V      ->  W = 10 - 0.2 V
        # V = 30 + 0.6 W - 0.1 W - 0.2 V      ->  1.2 V = 30 + 0.5 W = 35 - 0.1 V
        assert solve_worths(points, stay, entry) == pytest.approx([10 - 0.2 * 35 / 1.3, 35 / 1.3])

    def test_solution_is_a_fixed_point(self):
        rng = np.random.default_rng(3)
        points, stay, entry = rng.random(4) * 20, rng.random((4, 4)) / 5, rng.random(4) / 5
        worth = solve_worths(points, stay, entry)
        for n in range(4):
            carried = sum(stay[n, m] * worth[m] - entry[m] * worth[m] for m in range(4))
            assert worth[n] == pytest.approx(points[n] + carried)

    def test_what_never_ends_is_told(self):
        with pytest.raises(InputError, match="never ends"):
            solve_worths(np.array([10.0, 12.0]), np.eye(2), np.array([0.1, 0.1]))


def made_up_sample(rng, count):
    """Return rounds whose parts correlate as in real rounds: a good hand also stays."""
    luck = rng.normal(size=(count, 2))
    entered = rng.random((count, NORMALS))
    return Sample(
        points=12 + 8 * luck + rng.normal(size=(count, 1)),
        royalties=np.zeros((count, 2)),
        next_cards=np.where(luck > 1, 14, 0) * np.array([1, 1]),
        normal_points=np.zeros((count, NORMALS)),
        normal_fouls=(entered > 0.7).astype(float),
        normal_royalties=np.zeros((count, NORMALS)),
        normal_next=np.where(entered < 0.1, 14, np.where(entered < 0.15, 15, 0)),
    )


class TestErrors:
    def test_are_those_of_repeated_samples(self):
        rng = np.random.default_rng(5)
        solutions = [_solve(made_up_sample(rng, 400), (14, 15)) for _ in range(300)]
        scatter = np.std([solution.worth for solution in solutions], axis=0)
        stated = np.mean([solution.errors for solution in solutions], axis=0)
        assert stated == pytest.approx(scatter, rel=0.15)

    def test_foul_cost_by_hand(self):
        points = np.array([[2.0, -2.0], [-6.0, 6.0], [0.0, 0.0], [4.0, -4.0]])
        fouls = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
        cost = _foul_cost(points, fouls)
        assert cost.value == pytest.approx((2 - 2 + 6 + 4 - 4) / 5 - (-6 + 0 + 0) / 3)

    def test_foul_cost_error_is_that_of_repeated_samples(self):
        rng = np.random.default_rng(6)
        costs = []
        for _ in range(300):
            fouls = (rng.random((300, NORMALS)) < 0.3).astype(float)
            first = np.where(fouls[:, 0] == fouls[:, 1], rng.normal(0, 3, 300), 6 * (fouls[:, 1] - fouls[:, 0]))
            costs.append(_foul_cost(np.stack([first, -first], axis=1), fouls))
        scatter = np.std([cost.value for cost in costs])
        assert np.mean([cost.stderr for cost in costs]) == pytest.approx(scatter, rel=0.15)

    def test_no_foul_no_cost(self):
        assert math.isnan(_foul_cost(np.zeros((3, 2)), np.zeros((3, 2))).value)


class TestDeals:
    @pytest.mark.parametrize("name", ["pineapple", "regular", "ultimate"])
    def test_come_from_one_deck(self, name):
        rules = preset(name)
        deals = deal_rounds(rules, 17, 200, 1)
        each = [street.deal for street in rules.streets]
        naturals = (1 << 52) - 1
        for number in range(200):
            hands = [deals.normal[player, number].tolist() for player in range(NORMALS)]
            assert [[mask.bit_count() for mask in hand] for hand in hands] == [each, each]
            masks = [*hands[0], *hands[1], sum(1 << int(card) for card in deals.fantasyland[number])]
            seen = [mask & naturals for mask in masks]
            jokers = sum((mask >> 52).bit_count() for mask in masks)
            assert sum(seen).bit_count() == sum(mask.bit_count() for mask in seen)
            assert sum(seen).bit_count() + jokers == 2 * sum(each) + 17
            assert jokers <= rules.jokers.count
            assert all(sum(hand) >> 52 != 2 for hand in hands)  # a player's only joker is the first

    def test_depend_on_the_seed_and_the_number_only(self):
        rules = preset("pineapple")
        many, few, other = (
            deal_rounds(rules, 14, 1010, 1),
            deal_rounds(rules, 14, 10, 1, 1000),
            deal_rounds(rules, 14, 10, 2),
        )
        assert (many.fantasyland[1000:] == few.fantasyland).all()
        assert (many.normal[:, 1000:] == few.normal).all()
        assert not (many.fantasyland[:10] == other.fantasyland).all()


def random_boards(rng, rules, count):
    """Return two boards per round as lists of card numbers, half of them sorted so that few foul."""
    rounds = []
    for i in range(count):
        cards = rng.permutation(rules.deck_size)[:26]
        boards = []
        for half in (cards[:13], cards[13:]):
            by_rank = sorted(half.tolist(), key=lambda card: card % 13) if i % 2 else half.tolist()
            boards.append([by_rank[:3], by_rank[3:8], by_rank[8:]])
        rounds.append(boards)
    return rounds


def masks(boards):
    return np.array([[sum(1 << card for card in row) for row in board] for board in boards], np.int64)


def letters(board):
    return [[Card(card).to_string() for card in row] for row in board]


CASES = {
    "pineapple": preset("pineapple"),
    "progressive-keep": preset("progressive-keep"),
    "deuce": preset("deuce"),
    "ultimate": preset("ultimate"),
    "strict, other points": changed(
        "pineapple", order={"strict": True}, scoring={"row_points": {"top": 1, "middle": 2, "back": 4}, "scoop": 5}
    ),
    "no copies": changed("ultimate", jokers={"may_copy_seen": False, "count": 1}),
    "bonus": changed("progressive", fantasyland={"bonus": 3}),
}


@pytest.mark.kernel
class TestSettlement:
    @pytest.mark.parametrize("name", CASES)
    def test_is_that_of_the_scorers(self, name):
        """One settlement by the kernel, the domain's Score and the plain-Python oracle."""
        rules = CASES[name]
        rounds = random_boards(np.random.default_rng(4), rules, 6 if rules.jokers.count else 40)
        mine, theirs = ([boards[i] for boards in rounds] for i in range(2))
        got = settle_boards(rule_tables(rules), masks(mine), masks(theirs), 15)
        data = rules.to_data()
        for settled, one, two in zip(got.tolist(), mine, theirs, strict=True):
            arrangements = [PlayerArrangement.of(*map(CardSet, row)) for row in masks([one, two]).tolist()]
            score = Score.of(*arrangements, rules, fantasyland=15)
            assert settled[Settled.TOTAL] == score.total
            assert settled[Settled.POINTS] == sum(score.street_scores) + dict(score.bonus_scores).get("scoop", 0)
            assert (settled[Settled.MINE + NEXT_CARDS] > 0) == score.fantasy_land
            cards = [[card for row in board for card in row] for board in (letters(one), letters(two))]
            judged = [
                oracle.finish(letters(one), data, current=15, seen=cards[1]),
                oracle.finish(letters(two), data, seen=cards[0]),
            ]
            for at, board in ((Settled.MINE, judged[0]), (Settled.THEIRS, judged[1])):
                assert settled[at + FOUL] == board.foul
                assert settled[at + ROYALTIES] == board.worth
                assert settled[at + NEXT_CARDS] == board.fantasyland
            assert settled[Settled.TOTAL] == oracle.settle_pair(*judged, data)


@pytest.mark.kernel
class TestPlay:
    def test_boards_are_made_of_what_was_dealt(self):
        rules = preset("turbo")
        root = parse_spot(rules).to_search_state()
        deals = deal_rounds(rules, 13, 2, 1).normal[0]
        boards = play_normally(root, deals)
        assert (boards.sum(axis=1) == deals.sum(axis=1)).all()  # nothing is discarded under turbo
        assert [[row.bit_count() for row in board] for board in boards.tolist()] == [[3, 5, 5]] * 2


class TestNormalPlay:
    def test_is_the_exact_level(self):
        rules = preset("pineapple")
        root = parse_spot(rules).to_search_state()
        deals = deal_rounds(rules, 14, 60, 2).normal[1]
        boards = play_normally(root, deals)
        settled = settle_boards(rule_tables(rules), boards, boards, 0)
        played = play_hands(root, deals, "exact", 1).results
        assert (settled[:, Settled.MINE + FOUL] == played[:, Played.FOUL]).all()
        assert (settled[:, Settled.MINE + ROYALTIES] == played[:, Played.ROYALTIES]).all()
        assert ((settled[:, Settled.MINE + NEXT_CARDS] > 0) == played[:, Played.FANTASYLAND]).all()

    @pytest.mark.parametrize(("name", "cards"), [("progressive-keep", 15), ("ultimate", 14), ("deuce", 14)])
    def test_fantasyland_boards_are_the_best(self, name, cards):
        spot = parse_spot(preset(name))
        hands = deal_rounds(preset(name), cards, 8, 3).fantasyland
        boards = set_fantasyland(spot, hands)
        for hand, board in zip(hands, boards.tolist(), strict=True):
            text = " ".join(str(Card(int(card))) for card in hand)
            best = solve_fantasyland(parse_spot(preset(name), cards=text, fantasyland=True), 1)
            assert board == [best.top[0], best.middle[0], best.back[0]]


class TestRuns:
    def test_same_seed_same_numbers_whoever_plays(self):
        one = solve_worth(preset("progressive"), 250, seed=7)
        with open_executor("local", 2) as executor:
            assert solve_worth(preset("progressive"), 250, seed=7, batch=Batch(executor)) == one
        assert solve_worth(preset("progressive"), 250, seed=8).worths != one.worths

    def test_answer_hangs_together(self):
        answer = solve_worth(preset("progressive-keep"), 400, seed=2)
        assert [item.cards for item in answer.fantasyland] == [14, 15, 16, 17]
        values = [item.worth.value for item in answer.fantasyland]
        assert 5 < values[0] < values[1] < values[2] < values[3] < 100
        for item in answer.fantasyland:
            missed = sum(other.p_entry.value * other.worth.value for other in answer.fantasyland)
            assert item.worth.value == pytest.approx(item.points.value + item.p_stay.value * item.worth.value - missed)
            assert 0 < item.worth.stderr < item.worth.value
        assert abs(answer.foul_cost.value - 6) < 5 * answer.foul_cost.stderr
        assert answer.hands == 400
        assert not answer.cancelled
        assert answer.to_json()["fantasyland"][0]["worth"] == {
            "value": answer.fantasyland[0].worth.value,
            "stderr": answer.fantasyland[0].worth.stderr,
        }

    def test_stops_when_told_and_reports_its_progress(self):
        seen = []
        answer = solve_worth(preset("pineapple"), 5000, on_progress=seen.append, cancelled=lambda: len(seen) >= 2)
        assert answer.cancelled
        assert len(seen) == 2
        assert 0 < seen[0] < seen[1] < 1
        assert answer.fantasyland[0].worth.stderr > 0

    def test_house_rules_have_a_foul_cost_only(self):
        answer = solve_worth(preset("house"), 200)
        assert answer.fantasyland == ()
        assert answer.foul_cost.value > 0

    def test_a_low_middle_enters_by_two_rows(self):
        answer = solve_worth(preset("deuce"), 100)
        assert list(answer.worths) == [14, 15]

    def test_refusals(self):
        alone = changed("pineapple", players={"min": 1, "max": 1})
        streets = ({"deal": 10, "place": 5}, {"deal": 12, "place": 8})
        wide = RuleSet.model_validate(
            {**preset("pineapple").to_data(), "players": {"min": 2, "max": 2}, "streets": streets}
        )
        for rules, hands, problem in (
            (alone, 100, "one player"),
            (wide, 100, "too few cards"),
            (preset("pineapple"), 99, "too few"),
        ):
            with pytest.raises(InputError, match=problem):
                solve_worth(rules, hands)


def test_bench_has_published_worths_beside_ours(monkeypatch):
    monkeypatch.setattr(worth, "preset_names", lambda: ("progressive", "house"))
    worths, fouls = worth.worth_bench(True, 1, Batch())
    assert [(row[1], row[4]) for row in worths.rows] == [(14, 11.1), (15, 17.2), (16, 23.4), (17, 30.5)]
    assert [row[0] for row in fouls.rows] == ["progressive", "house"]
    for section in (worths, fouls):
        assert {len(row) for row in section.rows} == {len(section.columns)} == {len(set(section.columns))}


@pytest.mark.accept
def test_published_worths_are_near():
    """Others published these for progressive-keep, by their own play; ours should agree within a tenth plus error."""
    answer = solve_worth(preset("progressive-keep"), 20_000)
    for cards, published in {14: 10.8, 15: 18.2, 16: 29.3, 17: 53.4}.items():
        item = next(item for item in answer.fantasyland if item.cards == cards)
        assert abs(item.worth.value - published) < 0.1 * published + 3 * item.worth.stderr
