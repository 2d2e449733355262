"""Monte Carlo tree search for every game: give a position and parameters, get ranked actions.

>>> from bromeliad.games.tictactoe import TicTacToe
>>> from bromeliad.search import Searcher, SearchParams, explain
>>> game = TicTacToe()
>>> result = Searcher().search(game.info, game.new_state(), SearchParams(simulations=20_000))
>>> result.best
4
"""

from bromeliad.core.budget import Budget, Cancel, OnProgress, Progress
from bromeliad.search.cache import CacheStatistics, LruCache, TtlCache
from bromeliad.search.clock import TimeManager, TimePlan
from bromeliad.search.params import SearchParams
from bromeliad.search.result import (
    ActionStatistics,
    SearchResult,
    StopReason,
    TreeStatistics,
    explain,
)
from bromeliad.search.searcher import Searcher, new_answers, warm
from bromeliad.search.transposition import TableStatistics

__all__ = [
    "ActionStatistics",
    "Budget",
    "CacheStatistics",
    "Cancel",
    "LruCache",
    "OnProgress",
    "Progress",
    "SearchParams",
    "SearchResult",
    "Searcher",
    "StopReason",
    "TableStatistics",
    "TimeManager",
    "TimePlan",
    "TreeStatistics",
    "TtlCache",
    "explain",
    "new_answers",
    "warm",
]
