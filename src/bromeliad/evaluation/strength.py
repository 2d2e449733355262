"""The strength of a level of play in solo hands, on seeded deals that are the same for every level."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.core.game import apply, clone
from bromeliad.core.rng import new_rng
from bromeliad.evaluation.luck import Luck, adjust
from bromeliad.evaluation.play import EXACT, Deals, Hands, Played, choose, deal_hands, max_actions, play_hands
from bromeliad.evaluation.results import PlainResult, mean_and_error
from bromeliad.games.ofc.exact.earlier_streets import solve_exact
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.search_spot import default_params, search_spot
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import Field, HandState, board_value
from bromeliad.games.ofc.values.heuristics import is_pair_street
from bromeliad.search import Searcher, SearchParams
from bromeliad.solving.plan import method_for

_BATCH = 500  # hands between two progress reports of a level without search


@dataclass(frozen=True)
class Strength(PlainResult):
    """The result of some hands; errors are standard errors."""

    level: str
    hands: int
    mean: float
    stderr: float
    luck_adjusted_mean: float  # the mean without the luck of the deals
    luck_adjusted_stderr: float
    royalties: float
    p_foul: float
    p_fantasyland: float
    ms_per_decision: float
    foul_cost: float
    fantasyland_worth: dict[int, float]
    rules: str
    budget: str
    threads: int
    seed: int
    cancelled: bool = False

    @property
    def label(self) -> str:
        """A name for the measurement."""
        return f"{self.level}, {self.budget}, foul cost {self.foul_cost:g}"


def spot_of(spot: Spot, state: HandState) -> Spot:
    """Return the spot of a state, under the rules and the objective of ``spot``."""
    v = state.v
    rows = [CardSet(int(mask)) for mask in v[Field.MASK : Field.MASK + 3]]
    hand = CardSet(int(v[Field.HAND]))
    known = rows[0] | rows[1] | rows[2] | hand | CardSet(int(v[Field.DECK]))
    dead = CardSet.deck(spot.rules.jokers.count) - known - spot.opponents_open
    return replace(spot, board=PlayerArrangement.of(*rows), cards=tuple(hand), dead=dead)


class Player:
    """Plays solo hands at one of :data:`bromeliad.evaluation.ALL_LEVELS`; ``search`` plays as ``bromeliad solve``.

    ``params`` has the budget, the threads and the seed of ``search``.
    """

    def __init__(self, spot: Spot, level: str, params: SearchParams) -> None:
        self.level = level
        self.seconds = 0.0  # spent on decisions
        self.root = spot.to_search_state()
        self._spot = spot
        self._params = params
        self._searcher = Searcher()
        self._scratch, self._rng = max_actions(self.root), new_rng(params.seed)
        self._warm_up()

    @property
    def budget(self) -> str:
        """The budget per decision in words."""
        if self.level != "search":
            return "-"
        params = self._params
        return f"{params.simulation_limit:,} simulations" if params.seconds is None else f"{params.seconds:g} s"

    @property
    def threads(self) -> int:
        """The number of threads per decision."""
        return self._params.threads if self.level == "search" else 1

    def play(self, deals: Deals, first: int) -> Hands:
        """Play the hands with these deals, numbered from ``first``."""
        if self.level != "search":
            start = time.perf_counter()
            hands = play_hands(self.root, deals, self.level, self._params.seed, first)
            self.seconds += time.perf_counter() - start
            return hands
        hands = Hands(np.zeros((len(deals), Played.SIZE)), np.zeros(deals.shape, np.int64))
        for i in range(len(deals)):
            hands.results[i] = self._search(deals[i], hands.codes[i], self._params.seed + first + i)
        return hands

    def _search(self, deals: NDArray[np.int64], codes: NDArray[np.int64], seed: int) -> tuple[float, ...]:
        """Play one hand; return its results and write its placements."""
        state = clone(self.root)
        for street, deal in enumerate(deals):
            apply(state, deal)
            start = time.perf_counter()
            codes[street] = self._decide(state, seed)
            self.seconds += time.perf_counter() - start
            apply(state, codes[street])
        value, fouled, royalties, cards = board_value(state)
        return float(value), float(fouled), float(royalties), float(cards > 0)

    def _decide(self, state: HandState, seed: int) -> int:
        """Return the placement to make."""
        spot = spot_of(self._spot, state)
        method, _ = method_for(spot, self._params.seconds, self._params.threads)
        if method == "search":
            return search_spot(spot, self._params.but(seed=seed), self._searcher).best
        if method == "last street" or is_pair_street(state, state.v[Field.STREET] + 1):
            return int(choose(state, EXACT, self._scratch, self._rng))  # the same choice as below, without threads
        values = solve_exact(spot, self._params.threads)
        return int(values.codes[int(np.argmax(values.means[:, Expected.VALUE]))])

    def _warm_up(self) -> None:
        """Compile or load the kernels, so that no decision's time includes it."""
        deals = deal_hands(self.root, 1, 1)
        play_hands(self.root, deals, "exact" if self.level == "search" else self.level, 1)
        if self.level == "search":
            state = clone(self.root)
            apply(state, deals[0, 0])
            search_spot(spot_of(self._spot, state), default_params(simulations=300))


def measure_strength(
    spot: Spot,
    level: str,
    hands: int,
    *,
    seed: int = 1,
    seconds: float | None = None,
    simulations: int | None = None,
    threads: int = 1,
    on_progress: Callable[[float], None] = lambda fraction: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Strength:
    """Play hands from a spot before a deal, and return their results.

    Parameters
    ----------
    level
        One of :data:`bromeliad.evaluation.ALL_LEVELS`; the budget and the threads are for ``search``.
    on_progress, cancelled
        The first is called with the share done. Once the second returns True, the result covers the hands so far.
    """
    params = default_params(seconds=seconds, simulations=simulations, threads=threads, seed=seed)
    player = Player(spot, level, params)
    luck = Luck(player.root, level, seed, lambda: on_progress(0.0))
    batch = 1 if level == "search" else _BATCH
    played: list[NDArray[np.float64]] = []
    lucks: list[NDArray[np.float64]] = []
    for first in range(0, hands, batch):
        deals = deal_hands(player.root, min(batch, hands - first), seed, first)
        results, codes = player.play(deals, first)
        played.append(results)
        lucks.append(luck.measure(deals, codes, first))
        on_progress(min(first + batch, hands) / hands)
        if cancelled():
            break
    return _summary(spot, player, np.concatenate(played), np.concatenate(lucks), seed, hands)


def _summary(
    spot: Spot, player: Player, results: NDArray[np.float64], luck: NDArray[np.float64], seed: int, wanted: int
) -> Strength:
    values = results[:, Played.VALUE]
    mean, stderr = mean_and_error(values)
    adjusted_mean, adjusted_stderr = mean_and_error(adjust(values, luck))
    means = results.mean(axis=0)
    return Strength(
        level=player.level,
        hands=len(results),
        mean=mean,
        stderr=stderr,
        luck_adjusted_mean=adjusted_mean,
        luck_adjusted_stderr=adjusted_stderr,
        royalties=float(means[Played.ROYALTIES]),
        p_foul=float(means[Played.FOUL]),
        p_fantasyland=float(means[Played.FANTASYLAND]),
        ms_per_decision=1000.0 * player.seconds / luck.size,
        foul_cost=spot.foul_cost,
        fantasyland_worth=dict(spot.fantasyland_worth),
        rules=spot.rules.name,
        budget=player.budget,
        threads=player.threads,
        seed=seed,
        cancelled=len(results) < wanted,
    )
