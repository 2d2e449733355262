"""The worth of fantasyland: the linear system, the rounds behind it, settlements by two other scorers, whole runs."""

import math

import numpy as np
import pytest

from bromeliad.bench import worth
from bromeliad.cluster import Batch, open_executor
from bromeliad.core.cards import Card, CardSet
from bromeliad.core.jit import JIT
from bromeliad.errors import InputError
from bromeliad.evaluation.play import Played, play_hands
from bromeliad.evaluation.worth import _foul_cost, _solve, make_system, solve_worth
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
from bromeliad.evaluation.worth_seats import answer_last, play_seats, seats_for_worth
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.endings import opponent_replies
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.rules.score import Score
from bromeliad.games.ofc.spot import parse_spot
from oracles import ofc_scorer as oracle
from support import changed


def made_up_sample(rng, count):
    """Return rounds whose parts correlate as in real rounds: a good hand also stays."""
    luck = rng.normal(size=(count, 2, NORMALS))
    entered = rng.random((2, count, 2, 2))
    met, normal = np.where(entered < 0.1, 14, np.where(entered < 0.15, 15, 0))
    return Sample(
        points=12 + 8 * luck + rng.normal(size=(count, 1, 1)),
        royalties=np.zeros((count, 2, NORMALS)),
        next_cards=np.where(luck > 1, 14, 0),
        met_next=met,
        normal_points=np.zeros((count, 2, 2)),
        normal_total=rng.normal(0.5, 4, size=(count, 2)),
        normal_fouls=(entered[1] > 0.7).astype(float),
        normal_royalties=np.zeros((count, 2, 2)),
        normal_next=normal,
    )


def one_round(points, mine=0, theirs=0, total=0.0, first=0, second=0):
    """Return a sample of one round with a single size, 14 cards."""
    size = (1, 1, NORMALS)
    return Sample(
        points=np.full(size, points),
        royalties=np.zeros(size),
        next_cards=np.full(size, mine),
        met_next=np.full(size, theirs),
        normal_points=np.zeros((1, 2, 2)),
        normal_total=np.full((1, 2), total),
        normal_fouls=np.zeros((1, 2, 2)),
        normal_royalties=np.zeros((1, 2, 2)),
        normal_next=np.broadcast_to([first, second], (1, 2, 2)).astype(np.int64),
    )


def iterated(sample, sizes, moves_on_stay):
    """Return the worths [seat, size] and b by value iteration over single hands, in plain Python."""
    worth = {(seat, cards): 0.0 for seat in (0, 1) for cards in sizes} | {(0, 0): 0.0, (1, 0): 0.0}
    late = 0.0

    def following(mine, theirs, seat):
        return worth[seat, mine] - worth[1 - seat, theirs] + (late if seat else -late)

    for _ in range(200):
        new = dict(worth)
        for seat in (0, 1):
            for i, cards in enumerate(sizes):
                hands = zip(
                    *(array[:, i].ravel().tolist() for array in (sample.points, sample.next_cards, sample.met_next)),
                    strict=True,
                )
                values = [
                    points + following(mine, theirs, seat if mine and not moves_on_stay else 1 - seat)
                    for points, mine, theirs in hands
                ]
                new[seat, cards] = np.mean(values) - (late if seat else -late)
        pairs = sample.normal_next.reshape(-1, 2).tolist()
        totals = sample.normal_total.ravel().tolist()
        new_late = np.mean([t + following(two, one, 0) for t, (one, two) in zip(totals, pairs, strict=True)])
        worth, late = new, 0.5 * (late + new_late)  # half a step: the plain one alternates
    return [[worth[seat, cards] for cards in sizes] for seat in (0, 1)], late


class TestSystem:
    def test_points_alone(self):
        values, _ = make_system(one_round(12.0), (14,), moves_on_stay=False).solve()
        assert values == pytest.approx([12.0, 12.0, 0.0])

    def test_the_seat_is_worth_half_of_what_it_wins(self):
        """A normal player in the second seat wins 3 and is in the first seat next, so b = 3 - b."""
        values, _ = make_system(one_round(12.0, total=3.0), (14,), moves_on_stay=False).solve()
        # after fantasyland in the first seat, the next hand is in the second: W - b = 12 + b
        assert values == pytest.approx([12.0 + 3.0, 12.0 - 3.0, 1.5])

    @pytest.mark.parametrize("moves_on_stay", [False, True])
    def test_solution_is_that_of_value_iteration(self, moves_on_stay):
        sample = made_up_sample(np.random.default_rng(3), 40)
        values, _ = make_system(sample, (14, 15), moves_on_stay=moves_on_stay).solve()
        worths, late = iterated(sample, (14, 15), moves_on_stay)
        assert values == pytest.approx([*worths[0], *worths[1], late], abs=1e-6)

    def test_endless_fantasyland_is_refused(self):
        with pytest.raises(InputError, match="never ends"):
            make_system(one_round(12.0, mine=14), (14,), moves_on_stay=False).solve()


class TestErrors:
    def test_are_those_of_repeated_samples(self):
        rng, rules = np.random.default_rng(5), preset("deuce")
        solutions = [_solve(made_up_sample(rng, 400), rules, (14, 15)) for _ in range(300)]
        for values in (
            [[item.worth[i] for i in range(2)] for item in solutions],
            [[*item.by_seat[0], item.seat_worth] for item in solutions],
        ):
            scatter = np.std([[one.value for one in each] for each in values], axis=0)
            stated = np.mean([[one.stderr for one in each] for each in values], axis=0)
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


@pytest.mark.kernel
class TestSeats:
    def test_boards_are_made_of_what_was_dealt(self):
        rules = preset("ultimate")
        spot = parse_spot(rules, objective="solo")
        seats = seats_for_worth(spot, (14,), 1)
        count = 40 if JIT else 1
        dealt = deal_rounds(rules, 14, count, 1).normal
        naturals = (1 << 52) - 1
        for boards, deals in (
            (play_seats(seats.normal, dealt, 1, 0), dealt),
            (play_seats(seats.hidden[14], dealt[:1], 1, 0), dealt[:1]),
        ):
            assert boards.shape == (len(deals), count, 3)
            for seat, hand in np.ndindex(boards.shape[:2]):
                rows, cards = boards[seat, hand].tolist(), int(deals[seat, hand].sum())
                assert [row.bit_count() for row in rows] == [3, 5, 5]
                assert sum(rows) & naturals & ~cards == 0
                assert (sum(rows) >> 52).bit_count() <= (cards >> 52).bit_count()
            jokers = boards.sum(axis=(0, 2)) >> 52
            assert (jokers <= 3).all()  # the players have different jokers

    def test_hands_depend_on_the_seed_and_the_number_only(self):
        spot = parse_spot(preset("pineapple"), objective="solo")
        seats = seats_for_worth(spot, (), 1)
        dealt = deal_rounds(preset("pineapple"), 0, 3, 1).normal
        all_boards = play_seats(seats.normal, dealt, 5, 0)
        assert (play_seats(seats.normal, dealt[:, 2:].copy(), 5, 2) == all_boards[:, 2:]).all()

    @pytest.mark.skipif(not JIT, reason="too many deals for plain Python")
    def test_last_streets_lose_little_against_exact_ones(self):
        """The first of two seats has its last deal: its choice, and all choices by all deals of the other seat."""
        rules = preset("pineapple")
        spot, lost = parse_spot(rules, objective="solo"), []
        seats = seats_for_worth(spot, (), 1)
        dealt = deal_rounds(rules, 0, 30, 3).normal
        boards = play_seats(seats.normal, dealt, 1, 0)
        for hand in range(30):
            last = CardSet(int(dealt[0, hand, -1]))
            mine = [CardSet(int(mask)) for mask in boards[0, hand]]
            before = " / ".join(str(row - last) or "-" for row in mine)
            their_last = CardSet(int(dealt[1, hand, -1]))
            theirs = " / ".join(str(CardSet(int(mask)) - their_last) or "-" for mask in boards[1, hand])
            dead = CardSet(int(dealt[0, hand].sum())) - last - CardSet(int(boards[0, hand].sum()))
            question = parse_spot(rules, board=before, cards=str(last), opponents=[theirs], dead=str(dead))
            found = solve_last_street(question, opponent_replies(question, 100, 1, inferred=False))
            values = found.versus.value
            placed = [Action.from_code(question.cards, int(code)) for code in found.codes]
            made = next(
                i
                for i, action in enumerate(placed)
                if [CardSet.from_cards(row) for row in (action.top, action.middle, action.back)]
                == [row & last for row in mine]
            )
            lost.append(values.max() - values[made])
        assert np.mean(lost) < 0.05

    def test_fantasyland_that_sets_last_answers_best(self):
        data = preset("pineapple").to_data()
        rules = RuleSet.model_validate({**data, "fantasyland": {**data["fantasyland"], "commit": "last"}})
        spot = parse_spot(rules, objective="solo")
        deals = deal_rounds(rules, 14, 3, 4)
        met = [play_normally(spot.to_search_state(), deals.normal[0])]
        (boards,) = answer_last(spot, deals.fantasyland, met)
        for hand, board, theirs in zip(deals.fantasyland, boards, met[0], strict=True):
            cards = " ".join(str(Card(int(card))) for card in hand)
            other = PlayerArrangement.of(*(CardSet(int(mask)) for mask in theirs))
            best = solve_fantasyland(parse_spot(rules, cards=cards, opponents=[str(other)], fantasyland=True), 1)
            settled = settle_boards(rule_tables(rules), board[None], theirs[None], 14)[0]
            worth = rules.objective.fantasyland_worth
            value = settled[Settled.TOTAL] + worth.get(settled[Settled.MINE + NEXT_CARDS], 0.0)
            value -= worth.get(settled[Settled.THEIRS + NEXT_CARDS], 0.0)
            assert value == pytest.approx(best.value[0])
        assert answer_last(parse_spot(preset("pineapple")), deals.fantasyland, met) is None


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
        assert answer.evaluation == "versus"
        for item in answer.fantasyland:
            assert item.worth.value == pytest.approx(np.mean([seat.value for seat in item.by_seat]))
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
    worths, fouls, placements = worth.worth_bench(True, 1, Batch())
    rows = [dict(zip(worths.columns, row, strict=True)) for row in worths.rows]
    published = [(14, 11.1), (15, 17.2), (16, 23.4), (17, 30.5)]
    assert [(row["commit"], row["cards"], row["published"]) for row in rows] == [
        (commit, *pair) for commit in ("first", "last") for pair in published
    ]
    assert [row[0] for row in fouls.rows] == ["progressive", "house"]
    ((*_, changed, _),) = placements.rows
    assert 0.0 <= changed < 60.0
    for section in (worths, fouls, placements):
        assert {len(row) for row in section.rows} == {len(section.columns)} == {len(set(section.columns))}


@pytest.mark.accept
def test_published_worths_are_those_against_one_weaker_opponent():
    """Others published these worths for progressive-keep, by their own play.

    A worth is what the hand earns, plus the worth of staying, less what the opponent's next fantasyland is
    expected to be worth. With our points and stays, all four published worths give the same opponent, and he
    gains less from fantasyland than ours does: that, and not the fantasyland hand, is the difference to our worths.
    """
    answer = solve_worth(preset("progressive-keep"), 20_000)
    published = {14: 10.8, 15: 18.2, 16: 29.3, 17: 53.4}
    gains, ours = [], []
    for item in answer.fantasyland:
        worth = published[item.cards]
        error = item.points.stderr + worth * item.p_stay.stderr
        gains.append((item.points.value - (1 - item.p_stay.value) * worth, error))
        ours.append(item.points.value - (1 - item.p_stay.value) * item.worth.value)
    mean = sum(gain for gain, _ in gains) / len(gains)
    assert [abs(gain - mean) < 0.25 + 3 * error for gain, error in gains] == [True] * 4
    assert 0.5 < mean < min(ours) - 1.0
