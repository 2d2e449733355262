"""How well a level of play does, alone against the deck: hands from seeded deals, the same for every level."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import Card, CardSet
from bromeliad.core.game import apply, clone
from bromeliad.core.rng import new_rng
from bromeliad.evaluation.play import EXACT, LEVELS, Played, choose, deal_hands, max_actions, play_hands
from bromeliad.games.ofc.arrangement import PlayerArrangement
from bromeliad.games.ofc.evaluate import is_pair_street
from bromeliad.games.ofc.exact import exact_cost, solve_exact
from bromeliad.games.ofc.expectation import Expected
from bromeliad.games.ofc.searching import default_params, search_spot
from bromeliad.games.ofc.solo import Field, SoloState, board_value
from bromeliad.games.ofc.spot import Spot
from bromeliad.search import Searcher, SearchParams
from bromeliad.sessions.solve import REPRODUCIBLE_COST

__all__ = ["ALL_LEVELS", "Strength", "measure_strength", "spot_of"]

ALL_LEVELS = (*LEVELS, "search")
_BATCH = 500  # hands between two reports of a level without search


@dataclass(frozen=True)
class Strength:
    """The result of some hands; errors are standard errors."""

    level: str
    hands: int
    mean: float
    stderr: float
    smooth_mean: float  # with the exact mean in place of the luck of the last draws
    smooth_stderr: float
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

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return asdict(self)


def spot_of(spot: Spot, state: SoloState) -> Spot:
    """Return the spot that a state of a hand is, under the rules and the objective of ``spot``."""
    v = state.v
    rows = [CardSet(int(mask)) for mask in v[Field.MASK : Field.MASK + 3]]
    hand = CardSet(int(v[Field.HAND]))
    known = rows[0] | rows[1] | rows[2] | hand | CardSet(int(v[Field.DECK]))
    dead = CardSet.deck(spot.rules.jokers.count) - known - spot.opponents_open
    cards: tuple[Card, ...] = tuple(hand)
    return replace(spot, board=PlayerArrangement.of(*rows), cards=cards, dead=dead)


class _Player:
    """Plays hands as ``bromeliad solve`` would: exact where the budget affords it, else a search."""

    def __init__(self, spot: Spot, params: SearchParams) -> None:
        self.spot = spot
        self.params = params
        self.searcher = Searcher()
        self.room, self.rng = max_actions(spot.to_state()), new_rng(params.seed)
        self.limit = REPRODUCIBLE_COST if params.seconds is None else params.seconds * params.threads
        self.seconds = 0.0  # spent on decisions

    def play(self, root: SoloState, deals: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
        """Return the results of one hand."""
        state = clone(root)
        smooth = math.nan
        for deal in deals:
            apply(state, deal)
            start = time.perf_counter()
            apply(state, self.decide(state, seed))
            self.seconds += time.perf_counter() - start
            if is_pair_street(state, state.v[Field.STREET] + 1):  # two streets to come: their luck can be taken out
                means = solve_exact(spot_of(self.spot, state), self.params.threads).means
                smooth = float(means[0, Expected.VALUE])
        value, fouled, royalties, cards = board_value(state)
        return np.array([value, fouled, royalties, cards > 0, value if math.isnan(smooth) else smooth])

    def decide(self, state: SoloState, seed: int) -> np.int64:
        """Return the placement to make."""
        street = state.v[Field.STREET]
        if 2 * street + 2 == state.streets.size or is_pair_street(state, street + 1):
            return np.int64(choose(state, EXACT, self.room, self.rng))
        spot = spot_of(self.spot, state)
        if exact_cost(spot) <= self.limit:
            values = solve_exact(spot, self.params.threads)
            return np.int64(values.codes[int(np.argmax(values.means[:, Expected.VALUE]))])
        return np.int64(search_spot(spot, self.params.but(seed=seed), self.searcher).best)


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
    """Play hands from a spot that waits for a deal, and return how they ended.

    Parameters
    ----------
    level
        One of :data:`ALL_LEVELS`; the budget and the threads are for ``search``.
    on_progress, cancelled
        Told the share that is done, and asked whether to stop with what there is.
    """
    root = spot.to_search_state()
    params = default_params(seconds=seconds, simulations=simulations, threads=threads, seed=seed)
    player = _Player(spot, params)
    batch = 1 if level == "search" else _BATCH
    _warm_up(spot, root, level)
    parts: list[NDArray[np.float64]] = []
    start = time.perf_counter()
    for first in range(0, hands, batch):
        deals = deal_hands(root, min(batch, hands - first), seed, first)
        if level == "search":
            parts.append(player.play(root, deals[0], seed + first)[None])
        else:
            parts.append(play_hands(root, deals, level, seed, first))
        on_progress(min(first + batch, hands) / hands)
        if cancelled():
            break
    spent = player.seconds if level == "search" else time.perf_counter() - start
    results = np.concatenate(parts)
    used = params if level == "search" else None
    return _summary(spot, level, results, spent, deals.shape[1], used, seed, len(results) < hands)


def _warm_up(spot: Spot, root: SoloState, level: str) -> None:
    """Compile, or load from the cache, what the hands will need: that is not thinking time."""
    deals = deal_hands(root, 1, 1)
    if level == "search":
        player = _Player(spot, default_params(simulations=300))
        player.limit = 0.0
        player.play(root, deals[0], 1)
    else:
        play_hands(root, deals, level, 1)


def _summary(
    spot: Spot,
    level: str,
    results: NDArray[np.float64],
    seconds: float,
    streets: int,
    params: SearchParams | None,
    seed: int,
    cancelled: bool,
) -> Strength:
    count = len(results)
    means = results.mean(axis=0)
    errors = results.std(axis=0, ddof=1) / math.sqrt(count) if count > 1 else np.full(Played.SIZE, math.nan)
    budget = "-"
    if params is not None:
        budget = f"{params.simulation_limit:,} simulations" if params.seconds is None else f"{params.seconds:g} s"
    return Strength(
        level=level,
        hands=count,
        mean=float(means[Played.VALUE]),
        stderr=float(errors[Played.VALUE]),
        smooth_mean=float(means[Played.SMOOTH]),
        smooth_stderr=float(errors[Played.SMOOTH]),
        royalties=float(means[Played.ROYALTIES]),
        p_foul=float(means[Played.FOUL]),
        p_fantasyland=float(means[Played.FANTASYLAND]),
        ms_per_decision=1000.0 * seconds / (count * streets),
        foul_cost=spot.foul_cost,
        fantasyland_worth=dict(spot.fantasyland_worth),
        rules=spot.rules.name,
        budget=budget,
        threads=params.threads if params is not None else 1,
        seed=seed,
        cancelled=cancelled,
    )
