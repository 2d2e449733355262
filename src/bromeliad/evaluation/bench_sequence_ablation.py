"""What each parameter of the Sequence agent is worth: the agent with one of them changed against the agent as it is."""

import os
from dataclasses import replace
from typing import Any, NamedTuple

from bromeliad.evaluation.report import Section
from bromeliad.evaluation.sequence_match import play_match
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.player import AgentParams, Budget, document_params, strategy_named
from bromeliad.games.sequence.weights import Weights, document_weights

__all__ = ["VARIANTS", "Variant", "ablation_bench"]

_SECONDS = 0.1
_GAMES = 40
_CLEAR = 1.96  # standard errors from which a difference is called one


class Variant(NamedTuple):
    """One change."""

    what: str  # which parameter
    value: str  # what it is changed to
    params: dict[str, Any]
    weights: dict[str, Any]


def _agent(what: str, value: str, **params: Any) -> Variant:
    return Variant(what, value, params, {})


def _points(what: str, value: str, **weights: Any) -> Variant:
    return Variant(what, value, {}, weights)


_POSITION = ("potential", "heart_potential", "sequence", "tempo", "held_mover", "held_other", "jacks", "scale")
VARIANTS = (
    _agent("time by phase", "40/60/80 %, 90 % when critical", manage_time=True),
    _agent("iterations", "200, 400 when critical, 50 in a hurry", document_iterations=True),
    _agent("early stop at 70 %", "off", early_stop=False),
    _agent("UCB form", "C sqrt(2 ln N / n)", ucb_form="doubled"),
    _agent("C", "0.3", ucb_c=0.3),
    _agent("C", "2.4", ucb_c=2.4),
    _agent("scores in selection", "PUCT", priors=True),
    _agent("candidates", "all", candidates=None, critical_candidates=None),
    _agent("candidates", "6 and 10", candidates=6, critical_candidates=10),
    _agent("candidates", "12 and 20", candidates=12, critical_candidates=20),
    _agent("heuristic playouts", "85 %, 95 % when critical", playout_random=0.15, critical_random=0.05),
    _agent("heuristic playouts", "0 %", playout_random=1.0, critical_random=1.0),
    _agent("playout depth", "4, 6 when critical", playout_depth=4, critical_depth=6),
    _agent("playout depth", "0", playout_depth=0, critical_depth=0),
    _agent("playout depth", "to the end", playout_depth=None, critical_depth=None),
    _points(
        "tier scores", "2000/1000/500/100/20", five=2000, block_four=1000, four=500, three=100, two=20, block_three=0
    ),
    _points("tier scores", "none", five=0, block_four=0, four=0, three=0, two=0, block_three=0),
    _points("position", "centre 1.5, edge 0.8", position=10, centre=1.5, edge=0.8),
    _points("position", "none", position=0),
    _points("heart of the board", "no points", heart=(0, 0, 0, 0), heart_block=(0, 0, 0, 0)),
    _points(
        "potential",
        "10/100/1,000/10,000",
        **{name: getattr(document_weights(), name) for name in _POSITION},
    ),
    _points("hands in the value", "off", jacks=(0, 0)),
    _points("won positions known", "off", known_win=False),
    _points("jacks kept", "no", two_eyed=0, one_eyed=0),
    _points("draft denies the opponent", "half", deny=0.5),
    _points("lines with corners", "x 1.5", corner=1.5),
    _agent("opponent adaptation", "on", adapt=True),
    _agent("progressive deepening", "on", deepening=True),
    _agent("progressive widening", "k = 2", widening=2.0),
)
"""The document's parameters, and its list of future work: each is measured by itself."""


def ablation_bench(quick: bool, seed: int) -> list[Section]:
    """Play every variant against the agent as it is; ``quick`` two games each, the whole about an hour.

    ``BROMELIAD_SEQUENCE_GAMES`` changes how many games each variant plays.
    """
    games = 2 if quick else int(os.environ.get("BROMELIAD_SEQUENCE_GAMES", _GAMES))
    seconds = 0.01 if quick else _SECONDS
    rows = [_measure(variant, games, seconds, seed) for variant in VARIANTS]
    rows.append(
        _row("all of the document's", "as written", document_params(), document_weights(), games, seconds, seed)
    )
    notes = [
        f"the changed agent against the default one, {games} games each at {seconds} s a turn, each deal twice with"
        " sides swapped; a score below ½ means that the change hurts, and one whose distance from ½ is less than two"
        " standard errors says nothing",
    ]
    columns = ("parameter", "changed to", "default", "games", "score", "± error", "verdict")
    return [Section("Sequence: what each parameter is worth", columns, rows, notes)]


def _measure(variant: Variant, games: int, seconds: float, seed: int) -> tuple[object, ...]:
    params, weights = AgentParams(), Weights()
    changed = params.but(**variant.params), replace(weights, **variant.weights)
    return _row(variant.what, variant.value, *changed, games, seconds, seed)


def _row(
    what: str, value: str, params: AgentParams, weights: Weights, games: int, seconds: float, seed: int
) -> tuple[object, ...]:
    if (params, weights) == (AgentParams(), Weights()):
        return (what, value, "yes", 0, 0.5, 0.0, "is the default")
    game, changed = Sequence("course"), Sequence("course", weights)
    other = strategy_named("mcts", changed, Budget(seconds), seed=seed, params=params)
    usual = strategy_named("mcts", game, Budget(seconds), seed=seed + 1)
    result = play_match(game, other, usual, games, seed=seed, seconds=seconds)
    mean, error = result.score
    clear = abs(mean - 0.5) > _CLEAR * error
    return (what, value, "no", games, mean, error, ("better" if mean > 0.5 else "hurts") if clear else "not clear")
