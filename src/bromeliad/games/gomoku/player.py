"""The player: looks for forced wins, then for forced replies, then searches the remaining moves."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event, Thread
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import bromeliad.games.gomoku.state as at
from bromeliad.core.budget import Budget, Cancel, OnProgress
from bromeliad.core.game import TERMINAL, clone, to_play
from bromeliad.errors import PositionError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.line_tables import Tier
from bromeliad.games.gomoku.moves import is_legal, play
from bromeliad.games.gomoku.proof.threats import Method, Proof, Prover
from bromeliad.games.gomoku.rules import BLACK, WHITE
from bromeliad.games.gomoku.state import GomokuState, next_in_tier
from bromeliad.search import Searcher, SearchParams, SearchResult

How = Literal["opening", "only move", "fours", "threats", "search"]
Effort = Literal["play", "prove"]
"""``play`` spends the budget on a good move; ``prove`` spends most of it to decide whether there is a forced win."""


def search_params(**changes: Any) -> SearchParams:
    """Return the parameters of a search, chosen by hand; ``bromeliad bench gomoku`` compares some with others."""
    params = SearchParams(policy="puct", first_play=0.1, candidates=20, playout_depth=0, memory_mb=128.0)
    return params.but(**changes)


class Candidate(NamedTuple):
    """A move that was considered."""

    cell: int
    visits: int
    value: float  # from -1 (lost) to 1 (won)
    prior: float


@dataclass(frozen=True)
class Answer:
    """The move to play, and why.

    ``result`` is ``win`` if the move is proved to win, ``none`` if there is no win by fours or threats, otherwise
    ``unknown``. ``line`` is the winning line up to the five, or the line that the search expects.
    """

    best: int
    value: float
    how: How
    line: tuple[int, ...]
    candidates: tuple[Candidate, ...]
    simulations: int
    nodes: int  # moves tried by proofs
    seconds: float
    search: SearchResult | None = None
    result: Literal["win", "none", "unknown"] = "unknown"

    @property
    def proved(self) -> bool:
        """Whether the move is proved to win."""
        return self.result == "win"


_FOUR_NODES, _CHECK_NODES = 30_000, 5_000  # limits of proofs, in moves, if the budget is in simulations
_FOUR_SHARE, _CHECK_SHARE = 0.1, 0.1  # of the time
_PROVE_SHARES: dict[Method, float] = {"fours": 0.5, "threats": 0.35}  # of the time, with the effort "prove"
_PROVE_NODES = 1_000_000  # with the effort "prove"
_PLAY_PROOFS: tuple[tuple[Method, float, int], ...] = (  # share of the time, or limit in moves
    ("fours", _FOUR_SHARE, _FOUR_NODES),
    ("threats", 0.15, 20_000),
)
_CHECKED = 3  # maximum number of moves that are checked for a refutation after the search
_NO_LIMIT = 1 << 40
_LOOK = 0.05  # seconds between two checks for cancellation


class Player:
    """Answers positions of one board size and rule set.

    Parameters
    ----------
    game
        Board, rules and model.
    params
        Parameters of the search; by default :func:`search_params`.
    seed
        Seed of all randomness: with a budget of simulations, the same seed gives the same answers.
    """

    def __init__(self, game: Gomoku, params: SearchParams | None = None, seed: int = 1) -> None:
        self.game = game
        self.params = replace(params or search_params(), seed=seed)
        self._prover, self._deep_prover = Prover(), Prover()  # separate tables, so that node counts are reproducible
        self._searcher = Searcher(self.params)

    def think(
        self,
        state: GomokuState,
        budget: Budget,
        *,
        effort: Effort = "play",
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> Answer:
        """Return the move to play.

        Raises
        ------
        PositionError
            If the game is over.
        """
        if to_play(state) == TERMINAL:
            raise PositionError("the game is over")
        clock = _Clock(budget, cancel)
        if effort == "prove":
            return self._prove_first(state, clock, on_progress)
        return self._play(state, clock, on_progress)

    def _prove_first(self, state: GomokuState, clock: "_Clock", on_progress: OnProgress | None) -> Answer:
        """Spend most of the budget on proofs; if there is no win, choose a move with the rest."""
        nodes, results = 0, set()  # of both proofs
        for method, share in _PROVE_SHARES.items():
            proof = self._prove(state, method, clock, share, _PROVE_NODES, self._deep_prover)
            nodes += proof.nodes
            results.add(proof.result)
            if proof.best is not None:
                return _won_answer(proof.line, method, nodes, clock)
        answer = self._play(clone(state), clock.rest(1.0 - sum(_PROVE_SHARES.values())), on_progress)
        result = answer.result if results != {"none"} or answer.proved else "none"
        return replace(answer, nodes=nodes + answer.nodes, seconds=clock.elapsed, result=result)

    def _play(self, state: GomokuState, clock: "_Clock", on_progress: OnProgress | None) -> Answer:
        """Try simple moves and proofs first, then search."""
        simple = self._simple_move(state, clock)
        if simple is not None:
            return simple
        nodes = 0
        for method, share, limit in _PLAY_PROOFS:
            proof = self._prove(state, method, clock, share, limit)
            nodes += proof.nodes
            if proof.best is not None:
                return _won_answer(proof.line, method, nodes, clock)
        root: GomokuState = clone(state)
        nodes += self._ban_losers(root, clock)
        return self._search(root, clock, nodes, on_progress)

    def _simple_move(self, state: GomokuState, clock: "_Clock") -> Answer | None:
        """Return a move that needs no search: the centre, a five, or the reply to a four."""
        data = state.data
        board = data[at.BOARD : at.BOARD + data[at.SIZE] * data[at.SIZE]]
        if not np.isin(board, (BLACK + 1, WHITE + 1)).any():
            return _unproved_answer(_centre(board, int(data[at.SIZE])), "opening", clock)
        mover = int(data[at.MOVER])
        for side in (mover, 1 - mover):
            cell = int(next_in_tier(data, side, Tier.FIVE, 0))
            if cell >= 0 and is_legal(state, cell):
                if side == mover:
                    return _won_answer((cell,), "fours", 0, clock)
                return _unproved_answer(cell, "only move", clock)
        return None

    def _prove(
        self,
        state: GomokuState,
        method: Method,
        clock: "_Clock",
        share: float,
        limit: int,
        prover: Prover | None = None,
    ) -> Proof:
        prover, timed = prover or self._prover, clock.budget.seconds is not None
        with _stopping(prover.stop, clock.share(share) if timed else math.inf, clock.cancel):
            return prover.prove(state, method, _NO_LIMIT if timed else limit)

    def _ban_losers(self, root: GomokuState, clock: "_Clock") -> int:
        """Ban the root's moves that leave the opponent a win by fours; return the number of moves that proofs tried."""
        replies = self._prover.replies(root, _FOUR_NODES)
        if not replies:
            return 0
        nodes = 0
        safe = []
        for cell in replies:
            if clock.cancel():
                return nodes
            child: GomokuState = clone(root)
            play(child, cell)
            proof = self._prove(child, "fours", clock, _FOUR_SHARE, _CHECK_NODES)
            nodes += proof.nodes
            if proof.result != "win":
                safe.append(cell)
        if safe:
            allow_only(root, safe)
        return nodes

    def _search(self, root: GomokuState, clock: "_Clock", nodes: int, on_progress: OnProgress | None) -> Answer:
        params = self.params.but(seconds=clock.search_seconds(), simulations=clock.budget.simulations)
        result = self._searcher.search(self.game.info, root, params, on_progress=on_progress, cancel=clock.cancel)
        order = list(result.actions)
        for rank, item in enumerate(() if clock.cancel() else result.actions[:_CHECKED]):
            child: GomokuState = clone(root)
            play(child, item.action)
            if to_play(child) == TERMINAL:
                break
            proof = self._prove(child, "threats", clock, _CHECK_SHARE / _CHECKED, _CHECK_NODES)
            nodes += proof.nodes
            if proof.result != "win":
                order.insert(0, order.pop(rank))
                break
        best = order[0]
        line = result.variation if best.action == result.best else (best.action,)
        shown = tuple(Candidate(item.action, item.visits, item.mean, item.prior) for item in order)
        return Answer(best.action, best.mean, "search", line, shown, result.simulations, nodes, clock.elapsed, result)


class _Clock:
    """The budget and the elapsed time of one answer."""

    def __init__(self, budget: Budget, cancel: Cancel | None = None) -> None:
        self.budget = budget
        self.cancel = cancel or Cancel()
        self._start = time.perf_counter()

    def rest(self, part: float) -> "_Clock":
        """Return a clock for the last step, with a part of the time and all simulations."""
        seconds = None if self.budget.seconds is None else part * self.budget.seconds
        return _Clock(self.budget._replace(seconds=seconds), self.cancel)

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self._start

    @property
    def left(self) -> float:
        return (self.budget.seconds or 0.0) - self.elapsed

    def share(self, part: float) -> float:
        """Return the time for a step in seconds: its share, but no more than is left."""
        return max(min(part * (self.budget.seconds or 0.0), self.left), 0.001)

    def search_seconds(self) -> float | None:
        """Return the seconds left for the search, less those to check its answer; None without a time limit."""
        if self.budget.seconds is None:
            return None
        return max(self.left - _CHECK_SHARE * self.budget.seconds, 0.001)


@contextmanager
def _stopping(flag: NDArray[np.int64], seconds: float, cancelled: Callable[[], bool]) -> Iterator[None]:
    """Set a flag if the time is up or the work is cancelled while the block runs; clear it afterwards."""
    end, done = time.monotonic() + seconds, Event()

    def watch() -> None:
        while not done.wait(max(min(end - time.monotonic(), _LOOK), 0.0)):
            if time.monotonic() >= end or cancelled():
                flag[0] = 1
                return

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        flag[0] = 0


def allow_only(root: GomokuState, cells: list[int]) -> None:
    """Ban all cells except these at the root."""
    root.data[at.ROOT] = root.data[at.STONES]
    root.data[at.BANNED : at.BANNED + at.WORDS] = -1
    for cell in cells:
        root.data[at.BANNED + (cell >> 6)] &= ~(np.int64(1) << np.int64(cell & 63))


def _centre(board: NDArray[np.int64], size: int) -> int:
    """Return the free cell nearest to the middle of the free cells."""
    free = np.flatnonzero(board == at.EMPTY)
    rows, columns = free // size, free % size
    middle = (rows.min() + rows.max() + 1) // 2, (columns.min() + columns.max() + 1) // 2
    return int(free[np.argmin((rows - middle[0]) ** 2 + (columns - middle[1]) ** 2)])


def _unproved_answer(cell: int, how: How, clock: _Clock) -> Answer:
    return Answer(cell, 0.0, how, (cell,), (Candidate(cell, 0, 0.0, 1.0),), 0, 0, clock.elapsed)


def _won_answer(line: tuple[int, ...], how: How, nodes: int, clock: _Clock) -> Answer:
    return Answer(line[0], 1.0, how, line, (Candidate(line[0], 0, 1.0, 1.0),), 0, nodes, clock.elapsed, result="win")
