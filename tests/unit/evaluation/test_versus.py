"""Two levels of play on the same decks: settled by the rules, fair to both seats."""

import json

import numpy as np
import pytest

from bromeliad.bench.strength import versus_section
from bromeliad.cli.main import main
from bromeliad.core.cards import CardSet
from bromeliad.core.game import apply, clone
from bromeliad.errors import InputError
from bromeliad.evaluation.duel import Settled, measure_versus, settle_hands
from bromeliad.evaluation.play import deal_hands, play_hands
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import Field
from oracles import ofc_scorer


def solo(name="pineapple", **objective):
    return parse_spot(preset(name), objective="solo", **objective)


def board_of(root, deals, codes):
    """Return the finished rows of a hand as the oracle writes cards."""
    state = clone(root)
    for deal, code in zip(deals, codes, strict=True):
        apply(state, deal)
        apply(state, code)
    rows = [CardSet(int(mask)) for mask in state.v[Field.MASK : Field.MASK + 3]]
    return tuple([str(card) if str(card)[0] in ofc_scorer.RANKS else "Jk" for card in row] for row in rows)


@pytest.mark.parametrize("name", ["pineapple", "ultimate", "deuce"])
def test_hands_are_settled_as_the_oracle_does(name):
    worth = {cards: float(cards) for cards in range(14, 18)}
    root = solo(name, fantasyland_worth=worth).to_search_state()
    data = preset(name).model_dump(mode="json")
    deals = tuple(deal_hands(root, 25, 7, seat=seat) for seat in range(2))
    hands = play_hands(root, deals[0], "greedy", 1), play_hands(root, deals[1], "guide", 1)
    settled = settle_hands(root, deals, hands)
    for i, found in enumerate(settled):
        boards = [board_of(root, deals[seat][i], hands[seat].codes[i]) for seat in range(2)]
        cards = [[card for row in board for card in row] for board in boards]
        one, two = (ofc_scorer.finish(boards[seat], data, seen=cards[1 - seat]) for seat in range(2))
        points = ofc_scorer.settle_pair(one, two, data)
        assert found[: Settled.WORTH].sum() == points
        assert list(found[Settled.FOUL : Settled.FOUL + 2]) == [one.foul, two.foul]
        assert found[Settled.WORTH] == worth.get(one.fantasyland, 0.0) - worth.get(two.fantasyland, 0.0)


class TestMeasure:
    def test_a_player_breaks_even_with_itself(self):
        result = measure_versus(solo(), "evaluation", "evaluation", 100)
        assert result.hands == 100
        assert abs(result.mean) < 1e-12
        assert result.p_foul == result.p_foul_other

    def test_is_fair_and_finds_the_better_one(self):
        one = measure_versus(solo(), "greedy", "random", 400, seed=3)
        two = measure_versus(solo(), "random", "greedy", 400, seed=3)
        assert one.mean == pytest.approx(-two.mean)
        assert one.p_foul_other == two.p_foul
        assert one.mean > 10 * one.stderr
        assert one.mean == pytest.approx(one.rows + one.scoop + one.royalties + one.fantasyland)

    def test_search_plays_too_and_stops_when_told(self):
        result = measure_versus(solo(), "search", "random", 8, simulations=300, cancelled=lambda: True)
        assert (result.hands, result.cancelled, result.budget) == (2, True, "300 simulations")

    def test_two_need_cards_enough(self):
        dead = " ".join(f"{rank}{suit}" for rank in "2345678" for suit in "cds")
        with pytest.raises(InputError, match="not have enough cards for two"):
            measure_versus(solo(dead=dead), "random", "guide", 2)

    def test_table(self):
        section = versus_section([measure_versus(solo(), "random", "guide", 4)])
        assert len(section.rows[0]) == len(section.columns)


class TestCommand:
    def test_prints_json(self, capsys):
        args = "--level evaluation --versus guide --hands 60 --seed 2 --json"
        outputs = []
        for _ in range(2):
            assert main(["bench", "strength", *args.split()]) == 0
            outputs.append(json.loads(capsys.readouterr().out))
        assert outputs[0] == outputs[1]
        assert outputs[0]["hands"] == 60
        assert np.isfinite([outputs[0]["mean"], outputs[0]["stderr"]]).all()

    def test_refuses_a_budget_where_nobody_searches(self, capsys):
        assert main(["bench", "strength", "--level", "guide", "--versus", "random", "--time", "1"]) == 2
        assert "are only for --level search" in capsys.readouterr().err
