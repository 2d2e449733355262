"""Any game with the search, for the interfaces: what a game of another package gets without a line of its own."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bromeliad.core import kernel_cache
from bromeliad.core.budget import Budget, Cancel, OnProgress, Progress
from bromeliad.core.game import Game, State, apply, clone, sample_chance
from bromeliad.core.jit import int64
from bromeliad.core.playable import Answer, Setup, Strategy, TurnGame
from bromeliad.core.rng import below, new_rng
from bromeliad.core.table import Table, deal_seeds, list_actions
from bromeliad.errors import InputError
from bromeliad.search.params import SearchParams
from bromeliad.search.result import ActionStatistics, SearchResult
from bromeliad.search.searcher import Searcher, warm

__all__ = ["SearchedGame", "candidate_data", "method_of", "telling"]

_OPENING = 2  # random moves with which a game of a match begins, where nothing is dealt


def candidate_data(items: Iterable[ActionStatistics], write: Callable[[int], str]) -> list[dict[str, Any]]:
    """Return what a search knows of its candidates as plain data."""
    return [
        {
            "move": write(item.action),
            "visits": item.visits,
            "value": item.mean if item.visits else None,
            "stderr": item.error if math.isfinite(item.error) else None,
            "prior": item.prior,
        }
        for item in items
    ]


def telling(on_progress: OnProgress | None, entries: Callable[[Sequence[Any]], Sequence[Any]]) -> OnProgress | None:
    """Return who tells of a search's progress, with its actions as plain data."""
    if on_progress is None:
        return None

    def tell(progress: Progress) -> None:
        on_progress(replace(progress, actions=tuple(entries(progress.actions))))

    return tell


def method_of(params: SearchParams) -> str:
    """Return what an answer calls the way of a search: ``mcts`` or ``halving``."""
    return "halving" if params.root_policy == "halving" else "mcts"


class SearchedGame(TurnGame):
    """A registered game whose positions the tree search answers.

    Parameters
    ----------
    name
        The name that it is registered by.
    game
        The game. It may have two things that others have not: ``draw(state)`` returns its board for a terminal, and
        ``params`` are the :class:`~bromeliad.search.params.SearchParams` that it is searched with.
    """

    strategies = ("mcts", "random")

    def __init__(self, name: str, game: Game) -> None:
        self.name = name
        self._game = game
        self._params: SearchParams = getattr(game, "params", SearchParams())
        self.kernels = (type(game).__module__,)
        if self.kernels[0] not in kernel_cache.warmups():
            self._add_warmup()

    def _add_warmup(self) -> None:
        """Let the search of a first position make the kernels of the game's module ready."""

        def search() -> None:
            warm(self._game.info, Table(self._game).state)

        search.__module__ = self.kernels[0]
        kernel_cache.warmup(search)

    def game(self, setup: Setup | None = None) -> Game:
        """Return the game; its rules are always the same."""
        return self._game

    def table(self, setup: Setup, seed: int) -> Table[Game]:
        """Return the beginning of a game."""
        return Table(self._game, seed)

    def openings(self, setup: Setup) -> Iterator[tuple[int, str]]:
        """Yield the seeds of deals, or where nothing is dealt some random first moves."""
        dealt = sample_chance.provided_by(type(self._game.new_state()))
        for seed in deal_seeds(setup.seed):
            table, rng = Table(self._game, seed), new_rng(seed)
            for _ in range(0 if dealt else _OPENING):
                calm = [action for action in table.legal() if not self._ends(table.state, action)]
                if calm:
                    table.play(calm[below(rng, len(calm))])
            yield seed, table.transcript()

    def _ends(self, state: State, action: int) -> bool:
        after = clone(state)
        apply(after, int64(action))
        return not list_actions(self._game, after)

    def read(self, request: Any) -> State:
        """Return the position after the moves of a request."""
        table = Table(self._game, request.seed)
        table.play_all(request.position)
        return table.state

    def answer(
        self, state: State, setup: Setup, on_progress: OnProgress | None = None, cancel: Cancel | None = None
    ) -> Answer:
        """Search."""

        def entries(items: Sequence[ActionStatistics]) -> list[dict[str, Any]]:
            return candidate_data(items, lambda action: self._game.action_to_string(state, action))

        params = _within(self._params, setup.budget, setup.seed)
        told = telling(on_progress, entries)
        result = Searcher(params).search(self._game.info, state, on_progress=told, cancel=cancel)
        return {
            "best": self._game.action_to_string(state, result.best),
            "value": result.value,
            "method": method_of(result.params),
            "line": self._line(state, result),
            "candidates": entries(result.actions),
            "confidence": result.confidence,
            "simulations": result.simulations,
            "elapsed_s": result.seconds,
            "stop_reason": result.stop_reason,
        }

    def _line(self, state: State, result: SearchResult) -> list[str]:
        """Write the expected moves, as far as they are possible whatever is hidden."""
        here, names = clone(state), []
        for action in result.variation:
            if action not in list_actions(self._game, here):
                break
            names.append(self._game.action_to_string(here, action))
            apply(here, int64(action))
        return names

    def strategy(self, name: str, setup: Setup) -> Strategy:
        """Return ``mcts`` (the search) or ``random``."""
        if name not in self.strategies:
            raise InputError(
                "there is no strategy {name}; strategies: {names}", name=name, names=", ".join(self.strategies)
            )
        if name == "random":
            return _Random(self._game, setup.seed)
        return _Searching(self._game, _within(self._params, setup.budget, setup.seed))


def _within(params: SearchParams, budget: Budget, seed: int) -> SearchParams:
    return params.but(seconds=budget.seconds, simulations=budget.simulations, seed=seed)


class _Random:
    """Plays any legal action."""

    name = "random"

    def __init__(self, game: Game, seed: int) -> None:
        self._game, self._rng = game, new_rng(seed)

    def choose(self, state: State) -> int:
        """Return an action of the mover."""
        actions = list_actions(self._game, state)
        return actions[int(below(self._rng, len(actions)))]


class _Searching:
    """Plays what the search finds best."""

    name = "mcts"

    def __init__(self, game: Game, params: SearchParams) -> None:
        self._game, self._searcher = game, Searcher(params)

    def choose(self, state: State) -> int:
        """Return an action of the mover."""
        return self._searcher.search(self._game.info, state).best
