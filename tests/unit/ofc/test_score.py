import pytest

from bromeliad.errors import PlacementError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.score import Score

QUEENS = PlayerArrangement.parse("QhQs3c / KsKc6c4d2c / AdJd9d7d5d")
FOULED = PlayerArrangement.parse("AsAhAc / 2d3d4d5h8s / 6h6s7s8h9c")
LOW = PlayerArrangement.parse("2s3s4c / 5s6d7s8c9s / TsTcTd2h2d")


def test_rows_royalties_and_fantasyland():
    score = Score.of(QUEENS, LOW)
    assert score.street_scores == (1, -1, -1)
    assert dict(score.bonus_scores) == {"front": 7, "back": 4, "opponent": -(4 + 6)}
    assert score.total == -1 + 11 - 10
    assert score.fantasy_land


def test_two_sides_sum_to_nothing():
    assert Score.of(QUEENS, LOW).total == -Score.of(LOW, QUEENS).total
    assert not Score.of(LOW, QUEENS).fantasy_land


def test_a_foul_pays_the_scoop_and_has_no_royalties():
    score = Score.of(QUEENS, FOULED)
    assert score.street_scores == (1, 1, 1)
    assert dict(score.bonus_scores) == {"front": 7, "back": 4, "scoop": 3}
    assert score.total == 17
    other = Score.of(FOULED, QUEENS)
    assert dict(other.bonus_scores) == {"opponent": -11, "scoop": -3}
    assert other.total == -17
    assert not other.fantasy_land


def test_house_rules_pay_for_fantasyland_by_the_first_five_cards():
    house = preset("house")
    without, reached = Score.of(QUEENS, LOW, house), Score.of(QUEENS, LOW, house, fantasyland=14)
    assert reached.total == without.total + house.fantasyland.bonus
    assert dict(reached.bonus_scores)["fantasyland"] == house.fantasyland.bonus
    assert (without.fantasy_land, reached.fantasy_land) == (False, True)
    assert Score.of(QUEENS, LOW, house, opponent_fantasyland=14).total == without.total - house.fantasyland.bonus
    assert not Score.of(FOULED, QUEENS, house, fantasyland=14).fantasy_land


def test_a_pair_of_queens_does_not_stay_in_fantasyland():
    assert not Score.of(QUEENS, LOW, fantasyland=14).fantasy_land


def test_an_unfinished_board_has_no_score():
    with pytest.raises(PlacementError, match="only a finished board"):
        Score.of(QUEENS, PlayerArrangement.empty())


def test_is_a_hashable_value_without_zeros():
    one = Score((1, 0, 0), {"scoop": 3, "front": 0}, False)
    other = Score((1, 0, 0), (("scoop", 3),), False)
    assert one == other
    assert len({one, other}) == 1
    assert one.bonus_scores == (("scoop", 3),)


def test_sum():
    total = Score((1, 1, -1), {"front": 7, "opponent": -4}, True) + Score((1, 0, 1), {"front": 7, "opponent": 4}, False)
    assert total == Score((2, 1, 0), {"front": 14}, True)
    assert total.total == 17
    assert Score() + total == total


def test_several_opponents_add_up():
    assert (Score.of(QUEENS, LOW) + Score.of(QUEENS, FOULED)).total == Score.of(QUEENS, LOW).total + 17
