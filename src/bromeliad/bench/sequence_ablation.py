"""The value of each parameter of the Sequence agent: matches of an agent with one change against the default."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.budget import Budget
from bromeliad.core.fingerprint import loose_fingerprint
from bromeliad.errors import InputError
from bromeliad.games.sequence.agent import AgentParams, document_params, document_weights
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.player import strategy_named
from bromeliad.games.sequence.table import SequenceTable
from bromeliad.games.sequence.weights import Weights
from bromeliad.matches.games import strategy_match
from bromeliad.matches.runner import play_match
from bromeliad.matches.tally import mean_score

_SECONDS = 0.1
_GAMES = 40
_ROUND = 20  # games of a row before the next row plays
_CLEAR = 1.96  # standard errors of a significant difference
_SETTLED = 3.0  # standard errors at which a row stops playing


class Variant(NamedTuple):
    """An agent with one change."""

    what: str  # the parameter
    value: str  # its new value
    params: AgentParams
    weights: Weights

    @property
    def is_default(self) -> bool:
        """Whether the changed value is the default."""
        return (self.params, self.weights) == (AgentParams(), Weights())


def _agent(what: str, value: str, **changes: Any) -> Variant:
    return Variant(what, value, AgentParams().but(**changes), Weights())


def _points(what: str, value: str, **changes: Any) -> Variant:
    return Variant(what, value, AgentParams(), replace(Weights(), **changes))


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
    _points("potential", "10/100/1,000/10,000", **{name: getattr(document_weights(), name) for name in _POSITION}),
    _points("hands in the value", "off", jacks=(0, 0)),
    _points("won positions known", "off", known_win=False),
    _points("jacks kept", "no", two_eyed=0, one_eyed=0),
    _points("draft denies the opponent", "half", deny=0.5),
    _points("lines with corners", "x 1.5", corner=1.5),
    _agent("sequential halving", "on", halving=True),
    _agent("opponent adaptation", "on", adapt=True),
    _agent("progressive deepening", "on", deepening=True),
    _agent("progressive widening", "k = 2", widening=2.0),
)
"""The variants; each is measured alone."""


def agent_fingerprint(*parts: object) -> str:
    """Return a hash of the agent's code and parameters."""
    code = loose_fingerprint(["bromeliad.games.sequence.player"])
    return hashlib.sha256(f"{code} {parts!r}".encode()).hexdigest()[:16]


class Log:
    """Scores of games, kept in a file of JSON lines. The key ``of`` identifies a measurement.

    Parameters
    ----------
    path
        The file; if None, the scores are lost after this run.
    agent
        The agent's fingerprint; games of other agents are ignored.
    """

    def __init__(self, path: Path | None, agent: str) -> None:
        self._path, self._agent = path, agent
        self._scores: dict[tuple[object, ...], list[float]] = {}
        for line in _lines(path):
            if line["agent"] == agent:
                self._scores.setdefault(tuple(line["of"]), []).extend(line["scores"])

    def scores(self, of: tuple[object, ...]) -> list[float]:
        """Return the scores of the games played so far, in order."""
        return list(self._scores.get(of, ()))

    def add(self, of: tuple[object, ...], scores: list[float]) -> None:
        """Add the scores of the next games."""
        self._scores.setdefault(of, []).extend(scores)
        if self._path is not None:
            line = {"agent": self._agent, "of": of, "scores": scores}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _lines(path: Path | None) -> Iterable[dict[str, Any]]:
    """Return the lines of a log, none if there is no file; raise InputError if it is not a log."""
    if path is None or not path.exists():
        return []
    try:
        lines = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
        return [{"agent": line["agent"], "of": line["of"], "scores": list(line["scores"])} for line in lines]
    except (OSError, ValueError, TypeError, KeyError):
        raise InputError("{path} is not a log of Sequence games: name another file", path=str(path)) from None


@dataclass
class _Row:
    """A variant under measurement."""

    variant: Variant
    scores: list[float] = field(default_factory=list)

    def distance(self) -> float:
        """Return the distance of the score from a half, in standard errors."""
        mean, error, _ = mean_score(self.scores)
        return (mean - 0.5) / error

    def cells(self) -> tuple[object, ...]:
        """Return the row of the table."""
        what, value = self.variant[:2]
        if self.variant.is_default:
            return (what, value, "yes", 0, 0.5, 0.0, "is the default")
        verdict = ("better" if self.distance() > 0 else "hurts") if abs(self.distance()) > _CLEAR else "not clear"
        return (what, value, "no", len(self.scores), *mean_score(self.scores)[:2], verdict)


@bench("sequence-ablation", minutes=90, page="strength")
def ablation_bench(quick: bool, seed: int) -> list[Section]:
    """Play every variant against the default agent, two games each if ``quick``.

    ``BROMELIAD_SEQUENCE_GAMES`` is the number of games per variant. Each row is printed as it is measured; Ctrl-C ends
    the bench with the rows so far. ``BROMELIAD_SEQUENCE_LOG`` is a file that keeps the games, so that another run with
    the same agent continues this one.
    """
    games = 2 if quick else int(os.environ.get("BROMELIAD_SEQUENCE_GAMES", _GAMES))
    seconds = 0.01 if quick else _SECONDS
    path = os.environ.get("BROMELIAD_SEQUENCE_LOG")
    log = Log(Path(path) if path else None, agent_fingerprint(AgentParams(), Weights()))
    document = Variant("mcts:document", "all its numbers", document_params(), document_weights())
    rows = [_Row(variant) for variant in (*VARIANTS, document)]
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        _measure(rows, games, seconds, seed, log)
    except KeyboardInterrupt:
        print("interrupted: the table holds what was measured so far", file=sys.stderr)
    share = (time.process_time() - cpu) / (time.perf_counter() - wall)
    notes = [
        f"The changed agent against the default one at {seconds} s per turn, each deal twice with sides swapped. A"
        " score below ½ means that the change hurts; within two standard errors of ½ it shows nothing. Rows that are"
        f" {_SETTLED:.0f} errors away from ½ after {_ROUND} games stop playing.",
        f"The last run had {100 * share:.0f} % of a processor.",
    ]
    columns = ("parameter", "changed to", "default", "games", "score", "± error", "verdict")
    measured = [row.cells() for row in rows if row.variant.is_default or row.scores]
    return [Section("Sequence: what each parameter is worth", columns, measured, notes)]


def _measure(rows: list[_Row], games: int, seconds: float, seed: int, log: Log) -> None:
    """Play the missing games of all rows in rounds, and print each row as it is measured."""
    for upto in range(min(_ROUND, games), games + _ROUND, _ROUND):
        for row in rows:
            variant = row.variant
            of = (variant.what, variant.value, seconds, seed)
            row.scores = log.scores(of)[: min(upto, games)]
            missing = min(upto, games) - len(row.scores)
            if variant.is_default or missing <= 0 or (len(row.scores) >= _ROUND and abs(row.distance()) >= _SETTLED):
                continue
            played = _play(variant, len(row.scores), missing, seconds, seed)
            log.add(of, played)
            row.scores += played
            mean, error, _ = mean_score(row.scores)
            text = f"{variant.what}: {variant.value}: {len(row.scores)} games, {mean:.3f} ± {error:.3f}"
            print(text, file=sys.stderr, flush=True)


def _play(variant: Variant, already: int, games: int, seconds: float, seed: int) -> list[float]:
    """Return the scores of a variant's next games."""
    game, changed = Sequence("course"), Sequence("course", variant.weights)
    other = strategy_named("mcts", changed, Budget(seconds), seed=seed, params=variant.params)
    usual = strategy_named("mcts", game, Budget(seconds), seed=seed + 1)
    match = strategy_match(partial(SequenceTable, game), other, usual, games, seed=seed, already=already)
    return [record.score for record in play_match(match).games]
