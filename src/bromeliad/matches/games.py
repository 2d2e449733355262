"""Matches of two-sided games with a winner or a draw: each deal or opening is played twice, with sides swapped."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from bromeliad.core.budget import Cancel
from bromeliad.core.table import Table, deal_seeds
from bromeliad.errors import EngineError, InputError
from bromeliad.evaluation.results import PlainResult
from bromeliad.matches.runner import Ending
from bromeliad.matches.tally import Estimate, Tally

if TYPE_CHECKING:
    from bromeliad.core.playable import Strategy

VERDICTS = {"high": "better", "low": "not better", None: "undecided"}
"""The verdicts of a sequential test on the first player, in words."""


class Player:
    """A player of a match, who sees the game through its table."""

    name: str
    seconds: float = 0.0  # time limit of a move; 0 if the limit is a number of simulations

    def new_game(self, table: Any) -> None:
        """Prepare for a game."""

    def move(self, table: Any) -> int:
        """Return an action for the side to move."""
        raise NotImplementedError

    def close(self) -> None:
        """Release the player's resources."""


class StrategyPlayer(Player):
    """A player that follows a strategy of the game."""

    def __init__(self, name: str, strategy: "Strategy", seconds: float = 0.0) -> None:
        self.name, self.seconds = name, seconds
        self._strategy = strategy

    def move(self, table: Table[Any]) -> int:
        """Choose an action by the current position."""
        return self._strategy.choose(table.state)


@dataclass(frozen=True)
class GameRecord:
    """One game of a match."""

    moves: str
    first_is_black: bool  # whether the first player of the match began this game
    score: float  # score of the match's first player: 1 won, ½ drawn, 0 lost
    reason: str  # how the game ended, or which rule a player broke


@dataclass(frozen=True)
class GamesResult(PlainResult):
    """The games and the result of a match, from the first player's view."""

    first: str
    second: str
    seconds: float  # time limit of a move; 0 if the limit is a number of simulations
    games: list[GameRecord]
    verdict: str  # verdict of a sequential test; empty without one
    score: tuple[float, float]  # mean score and its standard error over deals
    elo: tuple[float, float, float]  # Elo difference, and the ends of its 95 % interval
    counts: tuple[int, int, int]  # games won, drawn and lost
    stop_reason: Literal["games", "sprt", "cancelled"]


class GameMatch:
    """Games between two players.

    Parameters
    ----------
    games
        Number of games to play.
    deals
        Seeds or openings; two games with swapped sides share one.
    start
        Returns a table for a deal.
    already
        Number of games of the same match that were played before; the match continues with the next deals.
    """

    kernels: tuple[str, ...] = ()

    def __init__(
        self,
        first: Player,
        second: Player,
        games: int,
        deals: Iterable[Any],
        start: Callable[[Any], Table[Any]],
        *,
        already: int = 0,
    ) -> None:
        self._players, self._games, self._already = (first, second), games, already
        self._deals, self._start = deals, start
        self._records: list[GameRecord] = []
        self.tally = Tally()

    def __len__(self) -> int:
        return self._games

    def items(self) -> Iterator[tuple[str, Any]]:
        """Return the games: whether the first player begins, and the deal."""
        both = ((begins, deal) for deal in self._deals for begins in (True, False))
        chosen = islice(both, self._already, self._already + self._games)
        return ((f"game {number}", game) for number, game in enumerate(chosen, start=self._already))

    def work(self, cancel: Cancel) -> Callable[[Any], GameRecord | None]:
        """Return the function that plays a game, in this process: players remember earlier games."""
        return partial(self._play, cancel)

    def _play(self, cancel: Cancel, game: tuple[bool, Any]) -> GameRecord | None:
        """Play a game; return None if it was cancelled. A player that breaks the rules loses."""
        begins, deal = game
        sides = self._players if begins else self._players[::-1]
        table, wrong, side = self._start(deal), "", 0
        if table.sides != 2:
            raise InputError("a match is between two teams: choose a number of players that makes two")
        for player in sides:
            player.new_game(table)
        while not wrong and (seat := table.mover) is not None:
            if cancel():
                return None
            side = seat % table.sides
            wrong = _let_move(sides[side], table)
        if wrong and cancel():  # Ctrl-C may have ended an engine too
            return None
        score, reason = (float(side), wrong) if wrong else _result(table)
        return GameRecord(table.transcript(), begins, score if begins else 1.0 - score, reason)

    def add(self, played: GameRecord) -> None:
        """Add a game."""
        self._records.append(played)
        self.tally.add((played.score, 1.0 - played.score))

    def tested(self) -> Estimate:
        """Return the first player's score."""
        return self.tally.score

    def result(self, ending: Ending) -> GamesResult:
        """Return the result of the match."""
        if not self._records:
            raise InputError("no game was finished")
        return GamesResult(
            first=self._players[0].name,
            second=self._players[1].name,
            seconds=max(player.seconds for player in self._players),
            games=self._records,
            verdict=VERDICTS[ending.verdict] if ending.tested else "",
            score=self.tally.score[:2],
            elo=self.tally.elo,
            counts=self.tally.counts,
            stop_reason="games" if ending.stop_reason == "finished" else ending.stop_reason,
        )


def _let_move(player: Player, table: Table[Any]) -> str:
    """Let a player move; return the error, or an empty string."""
    try:
        action = player.move(table)
    except EngineError as error:
        return str(error)
    if action not in table.legal():
        return f"{player.name} played an illegal move"
    table.play(action)
    return ""


def _result(table: Table[Any]) -> tuple[float, str]:
    """Return the score of the side that began, and how the game ended."""
    worth = table.score(0)
    return (0.5, "draw") if worth == 0.0 else (float(worth > 0.0), table.won_by())


def strategy_match(
    start: Callable[[int], Table[Any]],
    first: "Strategy",
    second: "Strategy",
    games: int,
    *,
    seed: int = 1,
    already: int = 0,
) -> GameMatch:
    """Return a match between two strategies; the deals follow from the seed."""
    pair = StrategyPlayer(first.name, first), StrategyPlayer(second.name, second)
    return GameMatch(*pair, games, deal_seeds(seed), start, already=already)
