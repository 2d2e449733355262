"""Gomoku matches: pairs of games from one opening with colours swapped, with Elo, its error, and SPRT."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bromeliad.core.game import TERMINAL, to_play
from bromeliad.evaluation.results import PlainResult
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.moves import is_legal, play
from bromeliad.games.gomoku.notation import cell_name
from bromeliad.games.gomoku.position import play_cells
from bromeliad.games.gomoku.state import WINNER
from bromeliad.matches.gomoku_engines import EngineError, MatchPlayer

__all__ = ["VERDICTS", "GameRecord", "MatchResult", "Sprt", "elo_of", "mean_score", "play_game", "play_match"]


VERDICTS = ("better", "not better", "undecided")
"""Of a sequential test: the higher difference is likelier, the lower one is, or it goes on."""


@dataclass(frozen=True)
class GameRecord:
    """One game: its result for the first player of the match."""

    moves: str
    first_is_black: bool
    score: float  # 1 won, ½ drawn, 0 lost
    reason: str  # five, draw, or what an engine did wrong


@dataclass(frozen=True)
class Sprt:
    """A sequential test whether the first player is better by ``high`` Elo rather than by ``low``."""

    low: float
    high: float
    risk: float = 0.05  # of either mistake

    def verdict(self, pairs: list[float]) -> str:
        """Return one of the verdicts."""
        ratio = _log_ratio(pairs, self.low, self.high)
        bound = math.log((1 - self.risk) / self.risk)
        return VERDICTS[0] if ratio >= bound else VERDICTS[1] if ratio <= -bound else VERDICTS[2]


@dataclass
class MatchResult(PlainResult):
    """The games of a match, and what they say; all from the first player's view."""

    first: str
    second: str
    seconds: float
    games: list[GameRecord] = field(default_factory=list)
    verdict: str = ""

    @property
    def pairs(self) -> list[float]:
        """Mean scores of the pairs of games from one opening."""
        return _pairs([game.score for game in self.games])

    @property
    def counts(self) -> tuple[int, int, int]:
        """Games won, drawn and lost."""
        scores = [game.score for game in self.games]
        return scores.count(1.0), scores.count(0.5), scores.count(0.0)

    @property
    def score(self) -> tuple[float, float]:
        """The mean score of a game and its standard error over pairs."""
        return mean_score([game.score for game in self.games])

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference in Elo, and the ends of an interval of 95 %."""
        mean, error = self.score
        return elo_of(mean), elo_of(mean - 1.96 * error), elo_of(mean + 1.96 * error)


def mean_score(scores: list[float]) -> tuple[float, float]:
    """Return the mean of games' scores and its standard error over pairs: each two from one opening."""
    return _mean(_pairs(scores) or scores)


def _pairs(scores: list[float]) -> list[float]:
    return [(scores[i] + scores[i + 1]) / 2 for i in range(0, len(scores) - 1, 2)]


def _mean(values: list[float]) -> tuple[float, float]:
    """Return a mean and its standard error; with a single value, or equal ones, that of one more of the other kind."""
    if not values:
        return 0.5, 0.5
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1)
    least = (1.0 / (len(values) + 1)) ** 2
    return mean, math.sqrt(max(spread / len(values), least * (spread == 0.0)))


def elo_of(score: float) -> float:
    """Return the difference in Elo that a mean score means; infinite for all or nothing."""
    if score <= 0.0 or score >= 1.0:
        return math.copysign(math.inf, score - 0.5)
    return -400.0 * math.log10(1.0 / score - 1.0)


def _expected(elo: float) -> float:
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def _log_ratio(pairs: list[float], low: float, high: float) -> float:
    """Return the logarithm of how much likelier the scores of pairs are under the higher difference (normal)."""
    if len(pairs) < 2:
        return 0.0
    mean, error = _mean(pairs)
    variance = error**2 * len(pairs)
    one, two = _expected(low), _expected(high)
    return len(pairs) * (two - one) * (2 * mean - one - two) / (2 * variance)


def play_game(
    game: Gomoku, black: MatchPlayer, white: MatchPlayer, opening: list[int], seconds: float
) -> tuple[list[int], float, str]:
    """Play one game; return its moves, black's score, and how it ended. Who breaks the rules loses."""
    cells = list(opening)
    players = (black, white)
    state = play_cells(game, cells)
    for player in players:
        player.new_game(game, seconds)
    try:
        while to_play(state) != TERMINAL:
            mover = len(cells) % 2
            cell = players[mover].move(cells)
            if not 0 <= cell < game.size**2 or not is_legal(state, cell):
                return cells, float(mover), f"{players[mover].name} played an illegal move"
            cells.append(cell)
            play(state, cell)
    except EngineError as error:
        return cells, float(len(cells) % 2), str(error)
    winner = int(state.data[WINNER])
    return (cells, 1.0 - winner, "five") if winner in (0, 1) else (cells, 0.5, "draw")


def play_match(
    game: Gomoku,
    first: MatchPlayer,
    second: MatchPlayer,
    openings: Iterable[list[int]],
    seconds: float,
    *,
    sprt: Sprt | None = None,
    on_game: Callable[[MatchResult], None] | None = None,
) -> MatchResult:
    """Play two games from each opening, until the openings are over or a test is decided."""
    result = MatchResult(first.name, second.name, seconds)
    for opening in openings:
        for first_is_black in (True, False):
            pair = (first, second) if first_is_black else (second, first)
            cells, score, reason = play_game(game, pair[0], pair[1], opening, seconds)
            moves = "".join(cell_name(cell, game.size) for cell in cells)
            own = score if first_is_black else 1.0 - score
            result.games.append(GameRecord(moves, first_is_black, own, reason))
            if on_game is not None:
                on_game(result)
        if sprt is not None:
            result.verdict = sprt.verdict(result.pairs)
            if result.verdict != VERDICTS[2]:
                break
    return result
