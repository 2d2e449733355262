"""Many positions at once: each is searched in several ways and judged, one item of work a position."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from bromeliad.cluster import Batch
from bromeliad.core.kernel_cache import ensure
from bromeliad.evaluation.regret import Case, Effort, Judged, decide, judge, judge_exactly, look
from bromeliad.games.ofc.spot import Spot
from bromeliad.search import Searcher, SearchParams

__all__ = ["LOOK", "measure_cases"]

KERNELS = (
    "bromeliad.games.ofc.search_spot",
    "bromeliad.games.ofc.exact.earlier_streets",
    "bromeliad.games.ofc.exact.last_street",
    "bromeliad.evaluation.play",
)
LOOK = "evaluation alone"


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
