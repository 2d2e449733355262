"""The regret of choices in positions from real play, by references that are independent of the choices.

Streets 3 to 5 are judged by exact values, streets 1 and 2 by paired playouts. The best candidate is picked on one half
of the playouts and valued on the other, both ways, so that lucky playouts do not make it look better.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.cluster import Batch
from bromeliad.core.cards import Card, CardSet
from bromeliad.core.game import apply, legal_actions, score_actions
from bromeliad.core.kernel_cache import ensure
from bromeliad.core.rng import new_rng
from bromeliad.evaluation.play import GREEDY, choose, deal_hands, max_actions, rollouts
from bromeliad.evaluation.strength import spot_of
from bromeliad.games.ofc.exact.earlier_streets import solve_exact
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.exact.last_street import solve_last_street
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.search_spot import default_params, search_spot
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.hand_state import HandState
from bromeliad.search import Searcher, SearchParams

FOUL_COST = 0.0
WORTH = {14: 8.0}
KERNELS = (
    "bromeliad.games.ofc.search_spot",
    "bromeliad.games.ofc.exact.earlier_streets",
    "bromeliad.games.ofc.exact.last_street",
    "bromeliad.evaluation.play",
)
LOOK = "evaluation alone"
_HEADS_UP = (0, 5, 10, 13, 15)  # known cards of an opponent, by street


class Effort(NamedTuple):
    """The effort for a reference of streets 1 and 2."""

    playouts: int = 5000  # per half
    seconds: float = 1.0  # of the search for candidates
    candidates: int = 5
    spread: int = 12_000  # playouts for the mean of all placements


@dataclass
class Case:
    """One position, and the choice of each way of deciding."""

    street: int
    spot: Spot
    state: HandState
    chosen: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    simulations: dict[str, int] = field(default_factory=dict)


class Judged(NamedTuple):
    """A case judged by its reference."""

    best: float  # value of the best placement
    random: float  # mean value of all placements
    values: dict[str, float]  # of the choices, by way
    agrees: dict[str, bool]  # whether the choice is the best placement, by way

    def regret(self, way: str) -> float:
        """Return the cost of the choice."""
        return self.best - self.values[way]

    def quality(self, way: str) -> float:
        """Return the quality of the choice, from random play (0) to the best (1)."""
        span = self.best - self.random
        return 1.0 if span < 1e-9 else (self.values[way] - self.random) / span


def default_start() -> Spot:
    """Return the rules and the objective of the published figures."""
    return parse_spot(preset("pineapple"), objective="solo", foul_cost=FOUL_COST, fantasyland_worth=WORTH)


def make_cases(street: int, count: int, seed: int, heads_up: bool = False, start: Spot | None = None) -> list[Case]:
    """Return positions of a street that the playout policy reaches from random deals.

    With ``heads_up``, the cards that an opponent would show are dead too.
    """
    start = start or default_start()
    root = start.to_search_state()
    scratch, rng = max_actions(root), new_rng(seed)
    cases = []
    for number, deals in enumerate(deal_hands(root, count, seed)):
        state = start.to_search_state()
        for deal in deals[: street - 1]:
            apply(state, deal)
            apply(state, choose(state, GREEDY, scratch, rng))
        apply(state, deals[street - 1])
        spot = spot_of(start, state)
        if heads_up:
            spot = _with_seen(spot, _HEADS_UP[street - 1], seed, number)
        cases.append(Case(street, spot, spot.to_search_state()))
    return cases


def _with_seen(spot: Spot, count: int, seed: int, number: int) -> Spot:
    """Return the spot with ``count`` more dead cards."""
    unseen = [card.value for card in spot.unseen]
    gone = np.random.default_rng([seed, number, 1]).choice(unseen, count, replace=False)
    return replace(spot, dead=spot.dead | CardSet.from_cards(Card(int(card)) for card in gone))


def all_codes(state: HandState) -> NDArray[np.int64]:
    """Return every placement of a position."""
    codes = max_actions(state)
    return codes[: legal_actions(state, codes)]


def decide(case: Case, way: str, params: SearchParams, searcher: Searcher) -> None:
    """Let a search choose, and record its choice."""
    start = time.perf_counter()
    result = search_spot(case.spot, params, searcher)
    case.seconds[way] = time.perf_counter() - start
    case.chosen[way] = result.best
    case.simulations[way] = result.simulations


def look(case: Case, way: str) -> None:
    """Choose by the learned evaluation, without a search."""
    codes = all_codes(case.state)
    scores = np.zeros(codes.size)
    score_actions(case.state, codes, codes.size, scores)
    case.chosen[way], case.seconds[way], case.simulations[way] = int(codes[scores.argmax()]), 0.0, 0


def judge(case: Case, effort: Effort, seed: int) -> Judged:
    """Judge the choices of a case by paired playouts; an independent search adds candidates."""
    params = default_params(seconds=effort.seconds, seed=seed + 1, early_stop="never", memory_mb=64, first_round=1000)
    result = search_spot(case.spot, params)
    codes = list(dict.fromkeys([*(a.action for a in result.actions[: effort.candidates]), *case.chosen.values()]))
    values = np.array([rollouts(case.state, code, 2 * effort.playouts, seed) for code in codes])
    halves = values.reshape(len(codes), 2, -1).mean(axis=2)
    place = {code: i for i, code in enumerate(codes)}
    means = halves.mean(axis=1)
    chosen = {way: float(means[place[code]]) for way, code in case.chosen.items()}
    agrees = {way: code == codes[int(means.argmax())] for way, code in case.chosen.items()}
    return Judged(best_of_halves(halves), _mean_of_all(case, effort.spread, seed), chosen, agrees)


def best_of_halves(halves: NDArray[np.float64]) -> float:
    """Return the value of the best placement, from the means [placement, half] of its playouts.

    The best placement is picked on one half and valued on the other, both ways.
    """
    return float((halves[halves[:, 0].argmax(), 1] + halves[halves[:, 1].argmax(), 0]) / 2.0)


def _mean_of_all(case: Case, playouts: int, seed: int) -> float:
    """Return the mean value of all placements; each placement draws its own cards."""
    codes = all_codes(case.state)
    each = max(1, playouts // codes.size)
    return float(np.mean([rollouts(case.state, int(code), each, seed + 2, i * each) for i, code in enumerate(codes)]))


def judge_exactly(case: Case) -> Judged:
    """Judge the choices of a case on streets 3 to 5 by exact values."""
    if case.spot.is_last_street:
        last = solve_last_street(case.spot)
        codes, values = last.codes, last.value
    else:
        exact = solve_exact(case.spot, 1)
        codes, values = exact.codes, exact.means[:, Expected.VALUE]
    by_code = dict(zip(codes.tolist(), values.tolist(), strict=True))
    chosen = {way: by_code[code] for way, code in case.chosen.items()}
    agrees = {way: bool(value >= values.max() - 1e-9) for way, value in chosen.items()}
    return Judged(float(values.max()), float(values.mean()), chosen, agrees)


# --- many positions at once ------------------------------------------------------------------------------------------


class _Question(NamedTuple):
    """An item of work: a position, the ways to search it, and how to judge them."""

    street: int
    spot: Spot
    ways: tuple[tuple[str, SearchParams], ...]
    effort: Effort | None  # None: by exact values
    seed: int


def measure_cases(
    name: str, cases: list[Case], ways: Mapping[str, SearchParams], effort: Effort | None, seed: int, batch: Batch
) -> list[Judged]:
    """Let the evaluation alone and every way choose in every case, record the choices, and return the judgements.

    Parameters
    ----------
    name
        The name of these cases in the batch.
    effort
        For references by playouts; None to judge by exact values.
    """
    named = tuple((way, params.but(memory_mb=64.0)) for way, params in ways.items())
    items = (
        (f"{name}, position {i}", _Question(case.street, case.spot, named, effort, seed))
        for i, case in enumerate(cases)
    )
    judged = []
    for case, result in zip(cases, batch.ordered(measure_case, items, KERNELS), strict=True):
        case.chosen, case.seconds, case.simulations, found = result
        judged.append(Judged(*found))
    return judged


def measure_case(question: _Question) -> list[Any]:
    """Search and judge one position; return the ways' choices, seconds and simulations, and the judgement."""
    searcher = _searcher()
    case = Case(question.street, question.spot, question.spot.to_search_state())
    look(case, LOOK)
    for way, params in question.ways:
        decide(case, way, params, searcher)
    judged = judge_exactly(case) if question.effort is None else judge(case, question.effort, question.seed)
    return [case.chosen, case.seconds, case.simulations, judged]


@cache
def _searcher() -> Searcher:
    """Return the searcher of this process, with compiled kernels: compiling does not count as searching."""
    ensure(KERNELS)
    return Searcher()
