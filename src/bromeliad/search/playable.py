"""Any game, played by the search: the default :class:`~bromeliad.core.playable.Playable` of other packages' games."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bromeliad.core import kernel_cache
from bromeliad.core.budget import Budget, Cancel, OnProgress, Progress
from bromeliad.core.game import Game, State, apply, clone, sample_chance
from bromeliad.core.jit import int64
from bromeliad.core.playable import Answer, Setup, Strategy, TurnGame
from bromeliad.core.rng import Rng, below, new_rng
from bromeliad.core.table import Table, deal_seeds, list_actions
from bromeliad.errors import InputError
from bromeliad.search.params import SearchParams
from bromeliad.search.result import ActionStatistics, SearchResult
from bromeliad.search.searcher import Searcher, warm

_OPENING = 2  # random moves at the start of a match game without chance events


def candidate_data(items: Iterable[ActionStatistics], write: Callable[[int], str]) -> list[dict[str, Any]]:
    """Return the candidates of a search as plain data."""
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
    """Return a callback that passes progress on with its actions as plain data; None if ``on_progress`` is None."""
    if on_progress is None:
        return None

    def report(progress: Progress) -> None:
        on_progress(replace(progress, actions=tuple(entries(progress.actions))))

    return report


def method_of(params: SearchParams) -> str:
    """Return the name of a search's method in answers: ``mcts`` or ``halving``."""
    return "halving" if params.root_policy == "halving" else "mcts"


class SearchedGame(TurnGame):
    """A registered game, played by the tree search.

    The game may have two optional attributes: ``draw(state)`` returns the board as text for a terminal, and ``params``
    are the :class:`~bromeliad.search.params.SearchParams` of its searches.
    """

    strategies = ("mcts", "random")

    def __init__(self, name: str, game: Game) -> None:
        self.name = name
        self._game, self._info = game, game.info
        self._params: SearchParams = getattr(game, "params", SearchParams())
        self.kernels = (type(game).__module__,)
        if self.kernels[0] not in kernel_cache.warmups():
            self._add_warmup()

    def _add_warmup(self) -> None:
        """Register a warm-up for the game's module that searches its first position."""

        def search() -> None:
            warm(self._info, Table(self._game).state)

        search.__module__ = self.kernels[0]
        kernel_cache.warmup(search)

    def game(self, setup: Setup | None = None) -> Game:
        """Return the game, which has only one set of rules."""
        return self._game

    def table(self, setup: Setup, seed: int) -> Table[Game]:
        """Return the start of a game."""
        return Table(self._game, seed)

    def openings(self, setup: Setup) -> Iterator[tuple[int, str]]:
        """Yield seeds and first moves: none if the game has chance events, otherwise random ones that do not end it."""
        dealt = sample_chance.provided_by(type(self._game.new_state()))
        for seed in deal_seeds(setup.seed):
            table, rng = Table(self._game, seed), new_rng(seed)
            for _ in range(0 if dealt else _OPENING):
                calm = [action for action in table.legal() if not self._ends(table.state, action)]
                if calm:
                    table.play(_random_item(calm, rng))
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
        """Search the position and return the answer as plain data."""

        def entries(items: Sequence[ActionStatistics]) -> list[dict[str, Any]]:
            return candidate_data(items, lambda action: self._game.action_to_string(state, action))

        params = _within(self._params, setup.budget, setup.seed)
        result = Searcher(params).search(self._info, state, on_progress=telling(on_progress, entries), cancel=cancel)
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
        """Return the expected moves as text, up to the first that is not legal."""
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
            rng = new_rng(setup.seed)
            return Strategy(name, lambda state: _random_item(list_actions(self._game, state), rng))
        searcher = Searcher(_within(self._params, setup.budget, setup.seed))
        return Strategy(name, lambda state: searcher.search(self._info, state).best)


def _within(params: SearchParams, budget: Budget, seed: int) -> SearchParams:
    return params.but(seconds=budget.seconds, simulations=budget.simulations, seed=seed)


def _random_item(actions: Sequence[int], rng: Rng) -> int:
    return actions[int(below(rng, len(actions)))]
