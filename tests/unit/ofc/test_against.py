"""Opponents who are still playing: their sampled boards, the tables made of these, and values against them."""

import random

import numpy as np
import pytest

from bromeliad.core.cards import Card, CardSet
from bromeliad.core.game import apply, clone
from bromeliad.core.jit import JIT
from bromeliad.errors import PositionError
from bromeliad.evaluation.regret import all_codes
from bromeliad.games.ofc.exact.earlier_streets import solve_exact
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.sampling import as_own, discard_weights, hidden_discards, opponent_banks, sample_bank
from bromeliad.games.ofc.opponents.tables import make_opponent_tables
from bromeliad.games.ofc.opponents.versus import sample_opponents
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.scoring import Scored, score_board
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import board_value
from ofc_spots import text
from oracles import ofc_expectation, ofc_scorer

PINEAPPLE = preset("pineapple")
LAST = {"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"}
MOST = "2d 2h 2s 3c 3d 3h 4c 4s 5c 5d 5h 5s 6c 6s 7c 7s 8c 8d 8h 8s 9h Tc Td Th Ts Jc Jd"
MANY = 4000 if JIT else 4


def spot_of(rules=PINEAPPLE, **given):
    return parse_spot(rules, **given)


def numpy_settlement(mine, bank, worth):
    """Return the points of a scored board against each board of a bank, computed without the package's kernels."""
    strengths = bank[:, Scored.STRENGTH : Scored.STRENGTH + 3]
    signs = np.sign(mine[Scored.STRENGTH : Scored.STRENGTH + 3] - strengths)
    signs[bank[:, Scored.FOUL] == 1] = 1
    if mine[Scored.FOUL]:
        signs = np.where(bank[:, Scored.FOUL, None] == 1, 0, -1) * np.ones(3, int)
    scoop = 3 * (signs == 1).all(axis=1) - 3 * (signs == -1).all(axis=1)
    royalties = mine[Scored.ROYALTIES] - bank[:, Scored.ROYALTIES]
    return signs.sum(axis=1) + scoop + royalties + worth[mine[Scored.NEXT_CARDS]] - worth[bank[:, Scored.NEXT_CARDS]]


class BruteVersus(ofc_expectation.Brute):
    """Brute force in which finished boards settle with the boards of opponents."""

    opponents = ()

    def _final(self, rows):
        found = super()._final(rows)
        names = [sorted(ofc_expectation._names(row)) for row in rows]
        mine = ofc_scorer.finish(names, self.rules)
        value = self.worth.get(mine.fantasyland, 0.0) * len(self.opponents)  # every opponent pays for it
        for board in self.opponents:
            theirs = ofc_scorer.finish(board, self.rules)
            value += ofc_scorer.settle_pair(mine, theirs, self.rules) - self.worth.get(theirs.fantasyland, 0.0)
        return found._replace(value=value)


def random_boards(rng, sizes):
    """Return boards of these row sizes from one deck, and the rest of the deck; lower rows get higher cards."""
    deck = list(ofc_scorer.DECK)
    rng.shuffle(deck)
    boards = []
    for rows in sizes:
        count = sum(rows)
        cards, deck = sorted(deck[:count], key=lambda card: ofc_scorer.RANKS.index(card[0])), deck[count:]
        boards.append([cards[: rows[0]], cards[rows[0] : rows[0] + rows[1]], cards[rows[0] + rows[1] :]])
    return boards, deck


@pytest.mark.kernel
@pytest.mark.parametrize("opponents", [1, 2])
def test_before_the_last_street_finished_opponents_are_met_exactly(opponents):
    """Counting against finished boards equals brute force by the plain scorer."""
    rng, data = random.Random(opponents), PINEAPPLE.model_dump(mode="json")
    worth = {14: 9.9}
    for _ in range(6 if JIT else 1):
        own = rng.choice([(2, 4, 3), (1, 4, 4), (2, 3, 4), (0, 5, 4), (3, 2, 4)])
        (mine, *boards), deck = random_boards(rng, [own, *[(3, 5, 5)] * opponents])
        cards, live, dead = deck[:3], deck[3:10], deck[10:]
        spot = spot_of(
            cards=" ".join(cards), board=text(mine), dead=" ".join(dead), opponents=[text(board) for board in boards]
        )
        against = sample_opponents(spot, 1, 1)
        assert against.is_certain
        values = solve_exact(spot, 1, state=against.state)
        brute = BruteVersus(data, worth, 6.0)
        brute.opponents = boards
        expected = brute.actions(mine, cards, live)
        for code, means in zip(values.codes, values.means, strict=True):
            action = Action.from_code(spot.cards, int(code))
            key = tuple(
                tuple(sorted(map(str, row))) for row in (action.top, action.middle, action.back, action.discards)
            )
            assert means[Expected.VALUE] == pytest.approx(expected[key].value, abs=1e-9)


@pytest.mark.kernel
@pytest.mark.parametrize("name", [name for name in preset_names() if name not in ("house",)])
def test_tables_of_a_bank_give_the_mean_settlement(name):
    rules = preset(name)
    state = parse_spot(rules).to_state()
    rng, few = np.random.default_rng(3), 40 if JIT else 3
    bank = np.zeros((few, Scored.SIZE), np.int64)
    highest = 300 if rules.order.low_middle else 7000
    for board in bank:
        board[Scored.STRENGTH : Scored.STRENGTH + 3] = rng.integers(1, highest, 3)
        board[Scored.FOUL] = rng.random() < 0.2
        board[Scored.ROYALTIES] = 0 if board[Scored.FOUL] else rng.integers(0, 20)
    opponent_tables, fouled = make_opponent_tables(state.tables, state.worth, [bank])
    each = rules.scoring.row_points
    points, scoop = [each.top, each.middle, each.back], rules.scoring.scoop
    alive, lost = bank[bank[:, Scored.FOUL] == 0], float((bank[:, Scored.FOUL] == 1).mean())
    royalties = bank[:, Scored.ROYALTIES].mean()
    assert fouled == pytest.approx(-(1 - lost) * (sum(points) + scoop) - royalties)
    for _ in range(50):
        mine = rng.integers(1, highest, 3)
        signs = np.sign(mine - alive[:, Scored.STRENGTH : Scored.STRENGTH + 3])
        rows = float((signs * points).sum(axis=1).mean())
        expected = (1 - lost) * rows + lost * (sum(points) + scoop) - royalties
        assert sum(opponent_tables.rows[row, mine[row]] for row in range(3)) == pytest.approx(expected)


@pytest.mark.kernel
def test_scoops_by_classes_are_near_those_of_the_bank():
    spot = spot_of(**LAST, opponents=["Kd / 6h 6d / Js Jc Jh 3h"])
    state = spot.to_state()
    bank = sample_bank(spot, spot.opponents[0], MANY, 1)
    opponent_tables, _ = make_opponent_tables(state.tables, state.worth, [bank])
    alive = bank[bank[:, Scored.FOUL] == 0][:, Scored.STRENGTH : Scored.STRENGTH + 3]
    rng = np.random.default_rng(1)
    off = []
    for mine in alive[rng.integers(0, len(alive), 200)]:
        signs = np.sign(mine - alive)
        exact = 3.0 * ((signs == 1).all(axis=1).sum() - (signs == -1).all(axis=1).sum()) / len(bank)
        a, b, c = (int(opponent_tables.rows[3 + row, mine[row]]) for row in range(3))
        off.append(opponent_tables.scoop[(a * 24 + b) * 24 + c] - exact)
    assert np.abs(off).mean() < (0.06 if JIT else 1.0)
    assert abs(np.mean(off)) < (0.03 if JIT else 1.0)


@pytest.mark.kernel
class TestLastStreet:
    def test_values_equal_tables_and_settlements(self):
        against = sample_opponents(spot_of(**LAST, opponents=["Kd Kh / 6h 6d 6c Th / Js Jc Jh 3c 3h"]), MANY, 1)
        assert not against.is_certain
        for code in all_codes(against.state):
            after = clone(against.state)
            apply(after, code)
            parts = against.parts(int(code), 1, 1)
            assert board_value(after)[0] == pytest.approx(parts.value, abs=0.02)
            assert 0.0 < parts.stderr < 1.0 or not JIT

    @pytest.mark.skipif(not JIT, reason="200,000 hands")
    @pytest.mark.parametrize(
        "opponents",
        [
            ["Kd Kh / 6h 6d 6c Th / Js Jc Jh 3c 3h"],
            ["Kd / 6h 6d 2h / Js Jc Jh 3c 3h"],
            ["Kh / 6h 6d 5c Th 2c / Js Jc Jh 3c 3h", "Td Tc / 8c 8d 2s / 2h 2d 5d 5s"],
        ],
    )
    def test_a_long_simulation_agrees(self, opponents):
        spot = spot_of(**LAST, opponents=opponents)
        against = sample_opponents(spot, 16_000, 1)
        banks = [sample_bank(spot, board, 200_000, 99) for board in spot.opponents]
        state = against.state
        ends = np.zeros((1, Scored.SIZE), np.int64)
        for code in all_codes(state):
            action = Action.from_code(spot.cards, int(code))
            rows = zip(spot.board.rows, (action.top, action.middle, action.back), strict=True)
            masks = [CardSet.from_cards((*row.cards, *added)).mask for row, added in rows]
            score(state, masks, ends[0])
            totals = [numpy_settlement(ends[0], bank, against.alone.worth) for bank in banks]
            mean = sum(total.mean() for total in totals)
            error = np.sqrt(sum(total.var() / len(total) for total in totals))
            parts = against.parts(int(code), 1, 1)
            assert abs(parts.value - mean) < 3 * np.hypot(error, parts.stderr)


def score(state, masks, out):
    score_board(state.tables, *(np.int64(mask) for mask in masks), 0, np.int64(0), out)


@pytest.mark.kernel
class TestOpponents:
    def test_boards_hold_what_is_open_and_only_unseen_cards(self):
        spot = spot_of(board="- / 9c 9s / As Ac Ad", cards="Kc 9d 3s", opponents=["Kd / 6h 6d Th / 2s Js Jc"])
        (bank,) = opponent_banks(spot, 50 if JIT else 2, 1)
        opened = spot.opponents[0]
        for board in bank:
            for row, mask in enumerate(opened.masks):
                assert int(board[Scored.MASK + row]) & mask == mask
            cards = CardSet(int(np.bitwise_or.reduce(board[Scored.MASK : Scored.MASK + 3])))
            assert cards.size == 13
            assert not (cards - opened.cards) - spot.unseen

    def test_a_board_depends_on_the_seed_and_its_number(self):
        spot = spot_of(**LAST, opponents=["Kd / 6h 6d / Js Jc Jh 3h"])
        once = sample_bank(spot, spot.opponents[0], 8, 5)
        assert np.array_equal(once[3:], sample_bank(spot, spot.opponents[0], 5, 5, first=3))
        assert not np.array_equal(once, sample_bank(spot, spot.opponents[0], 8, 6))

    @pytest.mark.parametrize(
        ("board", "count"), [("- / - / -", 0), ("Kd / 6h / Js Jc Jh", 0), ("Kd / 6h 6d 7h / Js Jc Jh", 1)]
    )
    def test_discards_are_as_many_as_the_board_tells(self, board, count):
        spot = spot_of(cards="As Ah Kh 7c 2s", opponents=[board])
        assert hidden_discards(spot, spot.opponents[0]) == count

    def test_what_would_have_served_was_hardly_discarded(self):
        spot = spot_of(board="- / 9c 9s / As Ac Ad", cards="Kc 9d 3s", opponents=["Kd / 6h 6d Th / 2s Js Jc"])
        weights = discard_weights(as_own(spot, spot.opponents[0]).to_search_state())
        weight = {str(card): weights[card.value] for card in spot.unseen}
        assert weight["Jd"] < 0.6 * weight["8h"]  # a third jack for the back
        assert max(weight.values()) == 1.0
        assert all(value > 0.0 for value in weight.values())
        assert weights[Card.from_string("Kd").value] == 0.0

    def test_a_hidden_fantasyland_hand(self):
        spot = spot_of(**LAST, opponents=["fantasyland:14"])
        assert (spot.hidden, spot.objective) == ((14,), "versus")
        (bank,) = opponent_banks(spot, 60 if JIT else 12, 1)
        assert not bank[:, Scored.FOUL].any()
        assert bank[:, Scored.ROYALTIES].mean() > 4
        for board in bank:
            cards = CardSet(int(np.bitwise_or.reduce(board[Scored.MASK : Scored.MASK + 3])))
            assert not cards - spot.unseen

    def test_a_finished_opponent_is_a_bank_of_one(self):
        spot = spot_of(**LAST, opponents=["Kd Kh 5s / 6h 6d 6c Th 2d / Js Jc Jh 3c 3h"])
        (bank,) = opponent_banks(spot, 100, 1)
        assert bank.shape[0] == 1


class TestSeats:
    def test_the_first_street_needs_no_boards(self):
        spot = spot_of(cards="As Ah Kd 7c 2s", players=3)
        assert (len(spot.opponents), spot.objective) == (2, "versus")

    @pytest.mark.parametrize(
        ("given", "problem"),
        [
            ({"opponents": ["fantasyland:12"]}, "13 to 17 cards"),
            ({"opponents": ["fantasyland:x"]}, "fantasyland:14"),
            ({"opponents": ["fantasyland:" + "1" * 5000]}, "fantasyland:14"),
            ({"opponents": ["2c / 6h 6d / Ks Kh"], "players": 3}, "every opponent's board is needed: give 1 more"),
            ({"opponents": ["2c / 6h 6d / Ks Kh"] * 1, "players": 1}, "more opponents than"),
            ({"opponents": ["2c / 6h / Ks Kh"]}, "has 4 cards"),
            ({"opponents": ["fantasyland:16"]}, "pineapple deals no fantasyland of 16 cards; allowed: 14"),
            ({"opponents": ["2c / 6h 6d / Ks Kh"], "dead": MOST}, "only 6 cards are left in the deck, but 12 must"),
            ({"opponents": ["fantasyland:14"], "dead": MOST}, "only 11 cards are left in the deck, but 14 must"),
            ({"seat": 2}, "give an opponent"),
            ({"opponents": ["2c 2d / 6h 6d 6s 5s / Ks Kh 8c 8d 8s"], "seat": 2}, "but 0 have placed"),
            ({"opponents": ["2c 2d / 6h 6d 6s 5s / Ks Kh 8c 8d 8s"], "seat": 3}, "a seat is 1 to 2"),
        ],
    )
    def test_what_cannot_be(self, given, problem):
        with pytest.raises(PositionError, match=problem):
            spot_of(**LAST, **given)

    def test_the_boards_show_who_has_acted(self):
        first = spot_of(**LAST, opponents=["2c 2d / 6h 6d 6s 5s / Ks Kh 8c 8d 8s"], seat=1)
        last = spot_of(**LAST, opponents=["2c 2d 3h / 6h 6d 6s 5s 5c / Ks Kh 8c 8d 8s"], seat=2)
        assert first.opponents[0].cards.size == 11
        assert last.opponents[0].is_complete


class TestTheOrderOfPlay:
    FEW = "2c 2d / 6h 6d 6s 5s / Ks Kh 8c 8d 8s"
    MORE = "2h 3h 3d / 5c 5d 4s 4c 6c / Th Td Jc Js 7c"

    def test_boards_show_who_has_acted(self):
        assert spot_of(**LAST, opponents=[self.FEW]).acts_before == (False,)
        assert spot_of(**LAST, opponents=[self.MORE]).acts_before == (True,)
        assert spot_of(**LAST, opponents=[self.FEW, self.MORE], seat=2).acts_before == (False, True)

    def test_between_streets_the_seat_says_it(self):
        waiting = {**LAST, "cards": "", "opponents": [self.FEW]}
        assert spot_of(**waiting).acts_before == (False,)
        assert spot_of(**waiting, seat=1).acts_before == (False,)
        assert spot_of(**waiting, seat=2).acts_before == (True,)
        third = "2h 3h / 5c 5d 4s 4c / Th Td Jc Js 7c"
        waiting["opponents"] = [self.FEW, third]
        assert [spot_of(**waiting, seat=seat).acts_before for seat in (1, 2, 3)] == [
            (False, False),
            (True, False),
            (True, True),
        ]

    def test_in_fantasyland_the_seat_says_it(self):
        hand = "As Ah Ad Kc Kd Qs Qh 9d 8d 7d 6d 5d 2c 2h"
        spot = spot_of(cards=hand, fantasyland=True, opponents=["3c / 4c 4d / 5s 5c"])
        assert spot.acts_before == (False,)
        assert spot_of(cards=hand, fantasyland=True, opponents=["3c / 4c 4d / 5s 5c"], seat=2).acts_before == (True,)
