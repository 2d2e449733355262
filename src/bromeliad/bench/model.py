"""The value of an opponent model against players with extreme habits."""

import math

import numpy as np

from bromeliad.analysis.default_play import default_play
from bromeliad.analysis.opponent_model import model_of
from bromeliad.analysis.sources import Sourced
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.games.ofc.play.history import record_of
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset
from bromeliad.matches.ofc import OfcMatch, OfcResult
from bromeliad.matches.runner import play_match
from bromeliad.playing.strategies import find_strategy

_RULES = "pineapple"
_EXTREME = ("look:0,5", "look:30,0")  # ignores the risk of fouls; ignores fantasyland
_WEAKEST = ("random", "heuristic")  # the first two opponents of the page
_SEEN_EXTREME, _SEEN_WEAKEST, _HANDS = 300, 200, 400
_SOLVER = "solver:0.1"


@bench("model", minutes=30, page="strength")
def model_bench(quick: bool, seed: int) -> list[Section]:
    """Model extreme and weak players from hands against default players, then play with and without the models."""
    opponents = [*((name, _SEEN_EXTREME) for name in _EXTREME), *((name, _SEEN_WEAKEST) for name in _WEAKEST)]
    rows = [_row(name, 20 if quick else seen, 8 if quick else _HANDS, seed) for name, seen in opponents]
    columns = (
        *("opponent", "model", "hands seen", "fouls %", "model fouls %", "fantasyland %", "model fantasyland %"),
        *("hands", "points without", "±", "points with", "±  ", "difference", "±   "),
    )
    default = ", ".join(f"{100 * share:.1f} %" for share in default_play(preset(_RULES)).default)
    notes = [
        f"{_RULES}, seed {seed}: {_SOLVER} against the strategy look with an extreme foul cost and worth of fantasyland"
        f" (look:COST,TIMES), and against the weakest levels of play. Default player: fouls, fantasyland, early rows:"
        f" {default}.",
        "Points per hand without the luck of the deal, on the same decks with and without the model. ± is one standard"
        " error over decks; for the difference, both errors are treated as independent.",
    ]
    return [Section("Models of opponents", columns, rows, notes)]


def _row(opponent: str, seen: int, hands: int, seed: int) -> tuple[object, ...]:
    model = model_of(opponent, _recorded(opponent, seen, seed), preset(_RULES))
    without, with_model = (
        play_match(OfcMatch([name, opponent], hands, rules_name=_RULES, seed=seed))
        for name in (_SOLVER, f"{_SOLVER}:model={model.option}")
    )
    (one, error), (two, other) = _points(without), _points(with_model)
    foul, fantasyland, _ = model.tendencies
    shares = (foul.share, model.fitted[0], fantasyland.share, model.fitted[1])
    percent = [100.0 * (math.nan if share is None else share) for share in shares]
    difference = two - one, float(np.hypot(error, other))
    return (opponent, model.option, model.hands, *percent, without.hands, one, error, two, other, *difference)


def _points(result: OfcResult) -> tuple[float, float]:
    return result.players[0].luck_adjusted_mean, result.players[0].luck_adjusted_stderr


def _recorded(opponent: str, hands: int, seed: int) -> list[Sourced]:
    """Return the records of hands that a player plays against a default player."""
    names = (opponent, "look")
    table = Table(preset(_RULES), [find_strategy(name, _RULES) for name in names], seed=seed)
    lines = [record_of(table.play_hand(), names).to_line() for _ in range(hands)]
    return [Sourced("bench", number, line) for number, line in enumerate(lines, start=1)]
