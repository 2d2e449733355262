"""Matches of games that two sides win, draw or lose: each deal or opening is played twice, with sides swapped."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from bromeliad.core.budget import Cancel
from bromeliad.core.table import Table, deal_seeds
from bromeliad.errors import BromeliadError, InputError
from bromeliad.evaluation.results import PlainResult
from bromeliad.matches.runner import Ending
from bromeliad.matches.tally import Estimate, Tally

if TYPE_CHECKING:
    from bromeliad.core.playable import Strategy

__all__ = [
    "VERDICTS",
    "EngineError",
    "GameMatch",
    "GameRecord",
    "GamesResult",
    "Player",
    "StrategyPlayer",
    "strategy_match",
]

VERDICTS = {"high": "better", "low": "not better", None: "undecided"}
"""What a sequential test says of the first player."""


class EngineError(BromeliadError):
    """An engine did not answer, or not as the protocol asks."""


class Player:
    """A player of a match: the table of a game shows it all that happened in it."""

    name: str
    seconds: float = 0.0  # that a move may take; 0 where simulations are counted

    def new_game(self, table: Any) -> None:
        """Get ready for a game."""

    def move(self, table: Any) -> int:
        """Return an action of the mover."""
        raise NotImplementedError

    def close(self) -> None:
        """Release whatever the player holds."""


class StrategyPlayer(Player):
    """A strategy, which chooses by the position."""

    def __init__(self, name: str, strategy: "Strategy", seconds: float = 0.0) -> None:
        self.name, self.seconds = name, seconds
        self._strategy = strategy

    def move(self, table: Table[Any]) -> int:
        """Choose an action by what the mover may know."""
        return self._strategy.choose(table.state)


@dataclass(frozen=True)
class GameRecord:
    """One game of a match."""

    moves: str
    first_is_black: bool  # whether the first player of the match began this game
    score: float  # of the first player of the match: 1 won, ½ drawn, 0 lost
    reason: str  # what ended it, or what a player did wrong


@dataclass(frozen=True)
class GamesResult(PlainResult):
    """The games of a match, and what they say; all from the first player's view."""

    first: str
    second: str
    seconds: float  # that a move may take; 0 where simulations are counted
    games: list[GameRecord]
    verdict: str  # of a sequential test; empty without one
    score: tuple[float, float]  # the mean of the games and its standard error over deals
    elo: tuple[float, float, float]  # the difference, and the ends of an interval of 95 %
    counts: tuple[int, int, int]  # games won, drawn and lost
    stop_reason: Literal["games", "sprt", "cancelled"]


class GameMatch:
    """Games between two players.

    Parameters
    ----------
    games
        How many to play.
    deals
        What two games with swapped sides share: seeds, openings.
    start
        Returns a table at which a deal is to be played.
    already
        Games of the same match that were played before: it goes on with the deals after theirs.
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
        """Return what plays a game, here: players remember earlier games."""
        return partial(self._play, cancel)

    def _play(self, cancel: Cancel, game: tuple[bool, Any]) -> GameRecord | None:
        """Play a game, None if somebody cancelled it; who breaks the rules loses."""
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
        if wrong and cancel():  # Ctrl-C has ended an engine too
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
        """Return how the match ended."""
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
    """Let a player move; return what it did wrong, if anything."""
    try:
        action = player.move(table)
    except EngineError as error:
        return str(error)
    if action not in table.legal():
        return f"{player.name} played an illegal move"
    table.play(action)
    return ""


def _result(table: Table[Any]) -> tuple[float, str]:
    """Return the score of the side that began, and what ended the game."""
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
    """Return a match between strategies, at tables whose deals are those of a seed."""
    pair = StrategyPlayer(first.name, first), StrategyPlayer(second.name, second)
    return GameMatch(*pair, games, deal_seeds(seed), start, already=already)
