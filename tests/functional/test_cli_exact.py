"""Exact answers of the last street, each worked out by hand from the rules."""

import pytest

BOARD = "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"
CARDS = "Kc 9d 3s"
RISKY = "Ks Kd / 9c 9s 4h 2d / As Ac Ad 7h 2c"  # only trips in the middle save the kings on top
WEAK = "2c 3d 5s / 6h 6d Th Td 9h / Ks Kd Kh 3c 3h"  # nothing / two pair / full house: royalties 6
STRONG = "Kd Kh 5s / 6h 6d 6c Th 2d / Js Jc Jh 3c 3h"  # kings 8, trips 2, full house 6; fantasyland
FOUL = "Kd Kh 5s / 6h 6d Th 2d 8c / Js Jc Jh 3c 3h"  # kings over sixes
LOW = "Kd Kh / 7c 5s 4h 3d / As Ac Ad 7h 7d"
WORTH = 9.9  # worth of fantasyland with 14 cards in the preset


def evs(run, *args):
    """Return the EVs by the cards for top, middle and back, such as ``{"Kc 9d -": 34.9}``."""
    answer = run("solve", *args, "--json").json
    rows = ("top", "middle", "back")
    assert all(action["exact"] and action["stderr"] == 0 for action in answer["actions"])
    return {" ".join("".join(action[row]) or "-" for row in rows): action["ev"] for action in answer["actions"]}


class TestSolo:
    def test_pineapple(self, run):
        # queens 7, back full house 6, fantasyland; a full house in the middle is 12 more
        full, pairs = 7 + 12 + 6 + WORTH, 7 + 6 + WORTH
        assert evs(run, "--board", BOARD, "--cards", CARDS) == {
            "3s 9d -": full,
            "Kc 9d -": full,
            "9d 3s -": pairs,
            "Kc 3s -": pairs,
            "3s Kc -": pairs,
            "9d Kc -": pairs,
        }

    @pytest.mark.parametrize(
        ("rules", "worth", "cost"),
        [("pineapple", WORTH, 6), ("progressive", 14.1, 6.1), ("progressive-keep", 14.7, 6.2)],
    )
    def test_fouls(self, run, rules, worth, cost):
        # kings 8, trips in the middle 2; kings deal 15 cards where fantasyland is progressive
        found = evs(run, "--board", RISKY, "--cards", "Kh 9d 3s", "--rules", rules)
        assert found.pop("3s 9d -") == pytest.approx(8 + 2 + worth)
        assert set(found.values()) == {-cost}
        assert len(found) == 5

    def test_foul_cost_and_worth_as_given(self, run):
        options = ("--foul-cost", "2.5", "--fantasyland-worth", "14=1")
        found = evs(run, "--board", RISKY, "--cards", "Kh 9d 3s", *options)
        assert set(found.values()) == {8 + 2 + 1, -2.5}

    def test_what_an_answer_says_of_a_foul(self, run):
        best, *others = run("solve", "--board", RISKY, "--cards", "Kh 9d 3s", "--json").json["actions"]
        assert (best["p_foul"], best["p_fantasyland"], best["royalties"]) == (0, 1, 10)
        assert all((a["p_foul"], a["p_fantasyland"], a["royalties"]) == (1, 0, 0) for a in others)

    def test_ultimate(self, run):
        # a joker with the queen: with the king it pairs the king (8, 15 cards: 14.0), else the queen (7, 14 cards: 3.1)
        found = evs(
            run, "--rules", "ultimate", "--board", "Qd Jk / 9c 9s 4h 4d / As Ac Ad 7h 7d", "--cards", "Kc 9d 3s"
        )
        assert found == pytest.approx(
            {
                "Kc 9d -": 8 + 12 + 6 + 14.0,
                "Kc 3s -": 8 + 6 + 14.0,
                "3s 9d -": 7 + 12 + 6 + 3.1,
                "9d 3s -": 7 + 6 + 3.1,
                "3s Kc -": 7 + 6 + 3.1,
                "9d Kc -": 7 + 6 + 3.1,
            }
        )

    def test_a_joker_in_hand(self, run):
        # the joker on top makes three queens (20, 17 cards: 75.5); the full houses below are stronger
        board = "Qd Qh / 9c 9s 9h 4d / As Ac Ad 7h 7d"
        found = evs(run, "--rules", "ultimate", "--board", board, "--cards", "Jk 4c 3s")
        assert found["Jk 4c -"] == pytest.approx(20 + 12 + 6 + 75.5)
        # the joker in the middle: four nines would beat the back's full house, so it plays as a lower card
        assert found["4c Jk -"] == found["3s Jk -"] == pytest.approx(7 + 12 + 6 + 3.1)

    def test_deuce(self, run):
        # kings 8, back full house 6; 75432 pays 8 and with the kings leads to 15 cards (14.5)
        assert evs(run, "--rules", "deuce", "--board", LOW, "--cards", "2c 8d Ts") == pytest.approx(
            {
                "Ts 2c -": 8 + 8 + 6 + 14.5,
                "8d 2c -": 8 + 8 + 6 + 14.5,
                "Ts 8d -": 8 + 2 + 6 + 8.4,
                "2c 8d -": 8 + 2 + 6 + 8.4,
                "8d Ts -": 8 + 6 + 8.4,
                "2c Ts -": 8 + 6 + 8.4,
            }
        )

    def test_deuce_needs_a_low_middle(self, run):
        found = evs(run, "--rules", "deuce", "--board", LOW, "--cards", "6c 5d Js")
        # 76543 is a straight, 5d pairs, the jack is too high
        assert set(found.values()) == {-6}

    def test_turbo(self, run):
        found = evs(run, "--rules", "turbo", "--board", "Qd Qh / 9c 9s 4h / As Ac Ad 7h", "--cards", "9d 7d 4d Kc")
        assert len(found) == 12  # four for the top, three for the back, the rest in the middle
        assert found["Kc 9d4d 7d"] == pytest.approx(7 + 12 + 6 + 11.7)
        assert found["4d Kc9d 7d"] == pytest.approx(7 + 2 + 6 + 11.7)
        assert found["7d Kc9d 4d"] == pytest.approx(7 + 2 + 11.7)
        assert found["7d 9d4d Kc"] == -6  # a full house over trips

    def test_regular(self, run):
        found = evs(run, "--rules", "regular", "--board", "Qd Qh / 9c 9s 4h 4d 2c / As Ac Ad 7h 7d", "--cards", "Kc")
        assert found == pytest.approx({"Kc - -": 7 + 6 + 13.3})

    def test_house(self, run):
        # queens 2, full house 25 each; two pair 3
        found = evs(run, "--rules", "house", "--board", BOARD, "--cards", CARDS)
        assert found["Kc 9d -"] == 2 + 25 + 25
        assert found["Kc 3s -"] == 2 + 3 + 25

    def test_house_fantasyland_is_a_bonus(self, run):
        found = evs(run, "--rules", "house", "--board", BOARD, "--cards", CARDS, "--fantasyland")
        assert found["Kc 9d -"] == 2 + 25 + 25 + 10

    def test_house_foul_scores_nothing(self, run):
        found = evs(run, "--rules", "house", "--board", RISKY, "--cards", "Kh 9d 3s", "--fantasyland")
        assert sorted(found.values()) == [0] * 5 + [3 + 6 + 6 + 10]


class TestVersus:
    """An EV is the settlement plus the worth of my next fantasyland minus the worth of theirs."""

    def test_scoop(self, run):
        found = evs(run, "--board", BOARD, "--cards", CARDS, "--opponent", WEAK)
        assert found["Kc 9d -"] == (3 + 3) + (25 - 6) + WORTH
        assert found["Kc 3s -"] == (1 - 1 + 1) + (13 - 6) + WORTH  # nines lose to tens

    def test_their_fantasyland_counts_against_me(self, run):
        found = evs(run, "--board", BOARD, "--cards", CARDS, "--opponent", STRONG)
        assert found["Kc 9d -"] == pytest.approx((-1 + 1 + 1) + (25 - 16) + WORTH - WORTH)

    def test_worth_as_given(self, run):
        spot = ("--board", BOARD, "--cards", CARDS, "--opponent", WEAK)
        assert evs(run, *spot, "--fantasyland-worth", "14=100")["Kc 9d -"] == 6 + 19 + 100

    def test_a_fouled_opponent(self, run):
        found = evs(run, "--board", BOARD, "--cards", CARDS, "--opponent", FOUL)
        assert found["Kc 9d -"] == 6 + 25 + WORTH
        assert found["Kc 3s -"] == 6 + 13 + WORTH

    def test_my_foul(self, run):
        opponent = "Qd Qh 5s / 6h 6d 6c Th 3d / Js Jc Jh 3c 3h"  # queens 7, trips 2, full house 6
        found = evs(run, "--board", RISKY, "--cards", "Kh 9d 3s", "--opponent", opponent)
        assert found.pop("3s 9d -") == pytest.approx((1 + 1 - 1) + (10 - 15) + WORTH - WORTH)
        assert set(found.values()) == {-6 - 15 - WORTH}

    def test_both_foul(self, run):
        opponent = "Qd Qh 5s / 6h 6d 8c Th 3d / Js Jc Jh 3c 3h"
        assert min(evs(run, "--board", RISKY, "--cards", "Kh 9d 3s", "--opponent", opponent).values()) == 0

    def test_two_opponents(self, run):
        second = "8c 8d 5d / 6s 6c 2h 2s Jd / Jc Js Jh 5c 5h"  # eights 3, two pair, full house 6
        args = ("--board", BOARD, "--cards", CARDS, "--opponent", WEAK, "--opponent", second)
        found = evs(run, *args)
        assert found["Kc 9d -"] == (6 + 25 - 6) + (6 + 25 - 9) + 2 * WORTH  # both pay for fantasyland
        best = run("solve", *args, "--json").json["best"]
        assert (best["row_points"], best["p_scoop"]) == (6, 1)

    def test_house(self, run):
        # rows 1, 2 and 3; two pair 3 and full house 25 for them; no scoop, no worth
        found = evs(run, "--rules", "house", "--board", BOARD, "--cards", CARDS, "--opponent", WEAK)
        assert found["Kc 9d -"] == (1 + 2 + 3) + (52 - 28)
        assert found["Kc 3s -"] == (1 - 2 + 3) + (30 - 28)

    def test_deuce_low_middle_wins(self, run):
        # theirs: nothing / eight low 2 / flush 4
        opponent = "Qc Jc 9s / 8s 6d 4s 3h 2d / Kc Tc 9c 8c 6c"
        found = evs(run, "--rules", "deuce", "--board", LOW, "--cards", "2c 8d Ts", "--opponent", opponent)
        assert found["8d 2c -"] == pytest.approx(6 + (22 - 6) + 14.5)
        assert found["8d Ts -"] == pytest.approx((1 - 1 + 1) + (14 - 6) + 8.4)
