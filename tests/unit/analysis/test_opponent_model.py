"""Models of opponents: shrunk tendencies, fitted habits, and simulated opponents who play by them."""

import numpy as np
import pytest

from analysis_hands import lines, sourced
from bromeliad.analysis.default_play import DefaultPlay, default_play
from bromeliad.analysis.opponent_model import model_of
from bromeliad.analysis.scan import Scan
from bromeliad.analysis.tendencies import TENDENCIES, TendencyCounts, prior_strengths, shrunk
from bromeliad.errors import InputError
from bromeliad.games.ofc.opponents.sampling import Habits, opponent_banks
from bromeliad.games.ofc.play.history import record_of
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.playing.strategies import LookStrategy, find_strategy
from bromeliad.solving.request import read_request
from bromeliad.solving.solve import solve

PINEAPPLE = preset("pineapple")
HUNGRY = Habits(0.0, 5.0)
DEFAULT = [0.2, 0.15, 0.3]


def counted(texts):
    counts = TendencyCounts()
    for batch in Scan().run(sourced(texts)):
        counts.add(batch)
    return counts


def hungry_lines(hands):
    table = Table(PINEAPPLE, [LookStrategy(HUNGRY), find_strategy("look")], seed=5)
    return [record_of(table.play_hand(), ("hungry", "plain")).to_line() for _ in range(hands)]


class TestTendencies:
    def test_counts_are_of_normal_hands(self):
        texts = lines(hands=30)
        mine = counted(texts).of("bob")
        normal, fouls = 0, 0
        for item in sourced(texts):
            seat = [player.name for player in item.record.players].index("bob")
            if not item.record.players[seat].fantasyland:
                normal += 1
                fouls += item.record.events[-1].fouls[seat]
        assert (mine.hands, mine.counts[0]) == (normal, fouls)
        assert 0 < mine.counts[2] <= 3 * normal

    def test_few_hands_count_little(self):
        few, many = (shrunk(counted(lines(hands=hands)), "bob", DEFAULT)[0] for hands in (2, 30))
        assert few.share == 1.0
        assert DEFAULT[0] < few.shrunk < 0.3
        assert few.shrunk < many.shrunk < many.share
        assert few.stderr > many.stderr

    def test_the_prior_is_weak_where_players_differ(self):
        class Known(TendencyCounts):
            def __init__(self, shares):
                super().__init__()
                made = {f"p{i}": np.round(1000 * np.array([share, 0.15, 0.9])).astype(int) for i, share in shares}
                self._counts = {name: type(self.of("x"))(1000, counts) for name, counts in made.items()}

        different = prior_strengths(Known(enumerate([0.05, 0.2, 0.5, 0.1])), DEFAULT)
        alike = prior_strengths(Known(enumerate([0.2, 0.19, 0.21, 0.2])), DEFAULT)
        assert different[0] < 20
        assert alike[0] == 500.0
        assert prior_strengths(Known([]), DEFAULT) == [50.0] * len(TENDENCIES)


class TestFit:
    def test_finds_the_habits_of_the_table(self):
        costs, times = np.arange(7.0), np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0])
        foul = 0.4 - 0.05 * costs[:, None] + 0.02 * times
        entry = 0.1 + 0.04 * times - 0.005 * costs[:, None]
        table = DefaultPlay(costs, times, np.stack([foul, entry, 0 * foul], axis=2))
        habits, shares = table.fit(float(foul[5, 5]), float(entry[5, 5]), (0.001, 0.001))
        assert habits == (pytest.approx(5.0, abs=0.1), pytest.approx(3.0, abs=0.1))
        assert shares[:2] == [pytest.approx(foul[5, 5], abs=0.003), pytest.approx(entry[5, 5], abs=0.003)]

    def test_a_hungry_player_differs_from_a_plain_one(self):
        texts = hungry_lines(60)
        hungry, plain = (model_of(name, sourced(texts), PINEAPPLE) for name in ("hungry", "plain"))
        assert hungry.tendencies[0].shrunk > plain.tendencies[0].shrunk
        assert hungry.foul_cost < plain.foul_cost
        assert hungry.fitted[0] > 0.25 > plain.fitted[0]
        assert read_request({"opponent_model": hungry.option}).opponent_model is not None

    def test_an_unknown_player_is_refused(self):
        with pytest.raises(InputError, match="there is no player zoe; players: ann, bob"):
            model_of("zoe", sourced(lines(hands=3)), PINEAPPLE)


def test_the_default_table_follows_costs_and_worths():
    table = default_play(PINEAPPLE)
    foul, entry, early = np.moveaxis(table.shares, 2, 0)
    assert foul[0, -1] > foul[3, 2] > foul[-1, 0]  # a player who does not mind fouls has more of them
    assert entry[3, -1] > entry[3, 2] > entry[3, 0]
    assert 0.0 < early.min() < early.max() < 1.0


def test_simulated_opponents_play_by_their_habits():
    spot = parse_spot(PINEAPPLE, cards="Kc 8d 3s", board="Qd / 9c 9s / As Ac", opponents=["Qh / 4c 4d / 7c 7d"])
    plain, hungry = (opponent_banks(spot, 1000, 1, habits=habits)[0] for habits in (None, HUNGRY))
    same = opponent_banks(spot, 1000, 1, habits=Habits(spot.foul_cost, 1.0))[0]
    assert (plain == same).all()
    assert (hungry[:, Scored.NEXT_CARDS] > 0).mean() > (plain[:, Scored.NEXT_CARDS] > 0).mean() + 0.02
    assert hungry[:, Scored.FOUL].mean() > plain[:, Scored.FOUL].mean() + 0.05


def test_answers_follow_the_model():
    data = {
        "cards": "Kc 8d 3s",
        "board": "Qd / 9c 9s / As Ac",
        "opponents": ["Qh / 4c 4d / 7c 7d"],
        "simulations": 50,
        "threads": 1,
    }
    plain, hungry = (solve(read_request({**data, "opponent_model": model})) for model in ("6,1", "0,5"))
    assert hungry.best.opponent_p_foul > plain.best.opponent_p_foul


@pytest.mark.parametrize("text", ["1", "a,b", "-1,2", "1,99", "nan,1", "1,2,3", ""])
def test_wrong_models_are_refused(text):
    with pytest.raises(InputError, match="opponent_model: write it like 2,"):
        read_request({"opponent_model": text})
