"""What a choice costs: positions from real play, and references that did not make the choice they judge.

Streets 3 to 5 are judged by exact values. Streets 1 and 2 are judged by paired playouts: the best candidate is picked
on one half of them and scored on the other, both ways, so that its luck in being picked is not counted as value.
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

__all__ = [
    "KERNELS",
    "LOOK",
    "Case",
    "Effort",
    "Judged",
    "all_codes",
    "decide",
    "default_start",
    "judge",
    "judge_exactly",
    "look",
    "make_cases",
    "measure_cases",
]

FOUL_COST = 0.0
WORTH = {14: 8.0}
KERNELS = (
    "bromeliad.games.ofc.search_spot",
    "bromeliad.games.ofc.exact.earlier_streets",
    "bromeliad.games.ofc.exact.last_street",
    "bromeliad.evaluation.play",
)
LOOK = "evaluation alone"
_HEADS_UP = (0, 5, 10, 13, 15)  # cards of an opponent that are seen when a street is placed


class Effort(NamedTuple):
    """How much goes into a reference of streets 1 and 2."""

    playouts: int = 5000  # a half
    seconds: float = 1.0  # of the search that names candidates
    candidates: int = 5  # of that search
    spread: int = 12_000  # playouts behind the mean of all placements


@dataclass
class Case:
    """One position, and what each way of deciding chose there."""

    street: int
    spot: Spot
    state: HandState
    chosen: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    simulations: dict[str, int] = field(default_factory=dict)


class Judged(NamedTuple):
    """A case under its reference."""

    best: float  # value of the best placement
    random: float  # mean value of all placements
    values: dict[str, float]  # of the choices, by way
    agrees: dict[str, bool]  # whether the choice is the best placement, by way

    def regret(self, way: str) -> float:
        """Return what the choice costs."""
        return self.best - self.values[way]

    def quality(self, way: str) -> float:
        """Return the choice's place between random play (0) and the best (1)."""
        span = self.best - self.random
        return 1.0 if span < 1e-9 else (self.values[way] - self.random) / span


def default_start() -> Spot:
    """Return the rules and the objective under which the published figures are measured."""
    return parse_spot(preset("pineapple"), objective="solo", foul_cost=FOUL_COST, fantasyland_worth=WORTH)


def make_cases(street: int, count: int, seed: int, heads_up: bool = False, start: Spot | None = None) -> list[Case]:
    """Return positions of a street that the playout policy comes to from random deals."""
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
    """Return the spot with so many more cards known to be gone."""
    unseen = [card.value for card in spot.unseen]
    gone = np.random.default_rng([seed, number, 1]).choice(unseen, count, replace=False)
    return replace(spot, dead=spot.dead | CardSet.from_cards(Card(int(card)) for card in gone))


def all_codes(state: HandState) -> NDArray[np.int64]:
    """Return every placement of a position."""
    codes = max_actions(state)
    return codes[: legal_actions(state, codes)]


def decide(case: Case, way: str, params: SearchParams, searcher: Searcher) -> None:
    """Let a search choose, and note what it chose."""
    start = time.perf_counter()
    result = search_spot(case.spot, params, searcher)
    case.seconds[way] = time.perf_counter() - start
    case.chosen[way] = result.best
    case.simulations[way] = result.simulations


def look(case: Case, way: str) -> None:
    """Choose by the looks alone: the learned evaluation, without a search."""
    codes = all_codes(case.state)
    scores = np.zeros(codes.size)
    score_actions(case.state, codes, codes.size, scores)
    case.chosen[way], case.seconds[way], case.simulations[way] = int(codes[scores.argmax()]), 0.0, 0


def judge(case: Case, effort: Effort, seed: int) -> Judged:
    """Judge the choices of a case by paired playouts, its candidates named by an independent search."""
    params = default_params(seconds=effort.seconds, seed=seed + 1, early_stop="never", memory_mb=64, first_round=1000)
    result = search_spot(case.spot, params)
    codes = list(dict.fromkeys([*(a.action for a in result.actions[: effort.candidates]), *case.chosen.values()]))
    values = np.array([rollouts(case.state, code, 2 * effort.playouts, seed) for code in codes])
    halves = values.reshape(len(codes), 2, -1).mean(axis=2)
    place = {code: i for i, code in enumerate(codes)}
    best = (halves[halves[:, 0].argmax(), 1] + halves[halves[:, 1].argmax(), 0]) / 2.0
    means = halves.mean(axis=1)
    chosen = {way: float(means[place[code]]) for way, code in case.chosen.items()}
    agrees = {way: code == codes[int(means.argmax())] for way, code in case.chosen.items()}
    return Judged(float(best), _mean_of_all(case, effort.spread, seed), chosen, agrees)


def _mean_of_all(case: Case, playouts: int, seed: int) -> float:
    """Return what a random placement is worth; each placement draws cards of its own."""
    codes = all_codes(case.state)
    each = max(1, playouts // codes.size)
    return float(np.mean([rollouts(case.state, int(code), each, seed + 2, i * each) for i, code in enumerate(codes)]))


def judge_exactly(case: Case) -> Judged:
    """Judge the choices of a case of streets 3 to 5 by exact values."""
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
    """Let the looks alone and every way choose in every case, note that there, and return the choices judged.

    Parameters
    ----------
    name
        Tells these cases from others of the same batch.
    effort
        Of references by playouts; None to judge by exact values.
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
    """Search and judge one position; return what each way chose, its seconds and simulations, and the judgement."""
    searcher = _searcher()
    case = Case(question.street, question.spot, question.spot.to_search_state())
    look(case, LOOK)
    for way, params in question.ways:
        decide(case, way, params, searcher)
    judged = judge_exactly(case) if question.effort is None else judge(case, question.effort, question.seed)
    return [case.chosen, case.seconds, case.simulations, judged]


@cache
def _searcher() -> Searcher:
    """Return the searcher of this process; compiling is not counted as searching."""
    ensure(KERNELS)
    return Searcher()
