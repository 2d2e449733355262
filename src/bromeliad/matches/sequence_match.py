"""Sequence matches: every deal is played twice with sides swapped, by strategies that see what their seats see."""

from collections.abc import Callable
from typing import Protocol

from bromeliad.errors import InputError
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.state import SequenceState
from bromeliad.games.sequence.table import SequenceTable
from bromeliad.matches.gomoku_match import GameRecord, MatchResult

__all__ = ["Strategy", "play_game", "play_match"]


class Strategy(Protocol):
    """Who plays: chooses an action of the mover, by what the mover knows."""

    name: str

    def choose(self, state: SequenceState) -> int:
        """Return an action of the mover."""


def play_game(game: Sequence, first: Strategy, second: Strategy, seed: int) -> tuple[SequenceTable, float]:
    """Play one game; ``first`` has the seats of the team that begins. Return it, and what the first one scored."""
    table = SequenceTable(game, seed)
    players = (first, second)
    while (mover := table.mover) is not None:
        table.play(players[game.rules.team_of(mover)].choose(table.state))
    return table, 0.5 if table.winner is None else 1.0 - table.winner


def play_match(
    game: Sequence,
    first: Strategy,
    second: Strategy,
    games: int,
    *,
    seed: int = 1,
    seconds: float = 0.0,
    already: int = 0,
    on_game: Callable[[MatchResult], None] = lambda result: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> MatchResult:
    """Play a match: deals of the seed, each once with either side beginning, until there are so many games.

    A match of which some games were played ``already`` goes on with the deals after theirs.

    Raises
    ------
    InputError
        If there are three teams.
    """
    if game.rules.teams != 2:
        raise InputError("a match is between two teams: choose a number of players that makes two")
    result = MatchResult(first.name, second.name, seconds)
    for number in range(already, already + games):
        begins = number % 2 == 0
        pair = (first, second) if begins else (second, first)
        table, score = play_game(game, *pair, seed=seed * 1_000_003 + number // 2)
        reason = "draw" if table.winner is None else f"{max(table.view(None)['sequences'])} sequences"
        own = score if begins else 1.0 - score
        result.games.append(GameRecord(" ".join(table.history), begins, own, reason))
        on_game(result)
        if cancelled():
            break
    return result
