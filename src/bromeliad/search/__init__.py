"""Monte Carlo tree search for every game: a position and parameters in, ranked actions out.

>>> from bromeliad.games.gomoku.game import Gomoku
>>> from bromeliad.games.gomoku.position import read_position
>>> from bromeliad.search import Searcher, SearchParams
>>> game = Gomoku(7)
>>> three = read_position(game, "D4A1D5A2D3A3")
>>> result = Searcher().search(game.info, three, SearchParams(simulations=20_000))
>>> game.action_to_string(three, result.best)
'D2'
"""

from typing import TYPE_CHECKING

from bromeliad.lazy import offer

if TYPE_CHECKING:
    from bromeliad.core.budget import Budget as Budget
    from bromeliad.core.budget import Cancel as Cancel
    from bromeliad.core.budget import OnProgress as OnProgress
    from bromeliad.core.budget import Progress as Progress
    from bromeliad.search.cache import CacheStatistics as CacheStatistics
    from bromeliad.search.cache import LruCache as LruCache
    from bromeliad.search.cache import TtlCache as TtlCache
    from bromeliad.search.clock import TimeManager as TimeManager
    from bromeliad.search.clock import TimePlan as TimePlan
    from bromeliad.search.params import SearchParams as SearchParams
    from bromeliad.search.policies import bonus as bonus
    from bromeliad.search.policies import exploration as exploration
    from bromeliad.search.policies import first_urgency as first_urgency
    from bromeliad.search.policies import register_policy as register_policy
    from bromeliad.search.policies import urgency as urgency
    from bromeliad.search.result import ActionStatistics as ActionStatistics
    from bromeliad.search.result import SearchResult as SearchResult
    from bromeliad.search.result import StopReason as StopReason
    from bromeliad.search.result import TreeStatistics as TreeStatistics
    from bromeliad.search.result import explain as explain
    from bromeliad.search.searcher import Searcher as Searcher
    from bromeliad.search.searcher import new_answers as new_answers
    from bromeliad.search.searcher import warm as warm
    from bromeliad.search.transposition import TableStatistics as TableStatistics

_HOMES = {
    "bromeliad.core.budget": "Budget Cancel OnProgress Progress",
    "bromeliad.search.cache": "CacheStatistics LruCache TtlCache",
    "bromeliad.search.clock": "TimeManager TimePlan",
    "bromeliad.search.params": "SearchParams",
    "bromeliad.search.policies": "bonus exploration first_urgency register_policy urgency",
    "bromeliad.search.result": "ActionStatistics SearchResult StopReason TreeStatistics explain",
    "bromeliad.search.searcher": "Searcher new_answers warm",
    "bromeliad.search.transposition": "TableStatistics",
}
__getattr__, __all__ = offer(__name__, _HOMES)
