"""The result of a search."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bromeliad.search.params import SearchParams
from bromeliad.search.transposition import TableStatistics

StopReason = Literal["simulations", "time", "cancelled", "dominant", "settled", "forced"]
"""Why a search ended: a budget was spent, it was cancelled, or more simulations could not change the answer."""


@dataclass(frozen=True, slots=True)
class ActionStatistics:
    """The statistics of one action at the root."""

    action: int
    visits: int
    mean: float  # mean value of its simulations to the player who moves
    error: float  # standard error of the mean; infinite below two visits
    prior: float  # prior probability, from the game's scores
    score: float  # the final choice ranks by this
    loss_error: float = math.inf  # standard error of the difference to the best action's score, paired if possible


@dataclass(frozen=True, slots=True)
class TreeStatistics:
    """Usage statistics of the memory of a search."""

    nodes: int
    capacity: int  # maximum number of nodes
    size: int  # bytes of all trees and tables
    denied: int  # expansions that had no room; the search went on without them
    mean_depth: float
    max_depth: int
    acquired: int  # nodes taken from the pool since it was created
    reused: int  # those of them that an earlier search had used
    table: TableStatistics | None

    @property
    def full(self) -> bool:
        """Whether the tree ran out of nodes."""
        return self.denied > 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search: actions from best to worst, and how they were found."""

    actions: tuple[ActionStatistics, ...]
    confidence: float  # probability that the best action is better than the others, from paired differences if possible
    variation: tuple[int, ...]  # the principal variation: the expected moves
    simulations: int
    seconds: float
    cpu_seconds: float
    stop_reason: StopReason
    tree: TreeStatistics
    params: SearchParams

    @property
    def best(self) -> int:
        """The action to play."""
        return self.actions[0].action

    @property
    def value(self) -> float:
        """The value of the best action to the player who moves."""
        return self.actions[0].mean

    @property
    def error(self) -> float:
        """Standard error of :attr:`value`."""
        return self.actions[0].error

    @property
    def simulations_per_second(self) -> float:
        """The speed of the search."""
        return self.simulations / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def cpu_utilisation(self) -> float:
        """The share of the threads' time that was spent computing."""
        return self.cpu_seconds / (self.seconds * self.params.threads) if self.seconds > 0.0 else 0.0

    def probabilities(self, temperature: float = 1.0) -> dict[int, float]:
        """Return each action's share of the visits, a training target; a temperature below 1 sharpens it."""
        most = max(item.visits for item in self.actions) or 1
        weights = {item.action: (item.visits / most) ** (1.0 / temperature) for item in self.actions}
        total = sum(weights.values()) or 1.0
        return {action: weight / total for action, weight in weights.items()}

    def values(self) -> dict[int, float]:
        """Return each action's mean."""
        return {item.action: item.mean for item in self.actions}


def lead_confidence(actions: tuple[ActionStatistics, ...]) -> float:
    """Return the probability that the first action is better than the best of the others, 1.0 if it is the only one."""
    others = [item for item in actions[1:] if item.visits > 1]
    first = actions[0]
    if not others or first.visits < 2:
        return 1.0 if len(actions) == 1 else 0.5
    second = max(others, key=lambda item: item.mean)
    spread = math.hypot(first.error, second.error)
    if spread == 0.0:
        return 0.5 if first.mean == second.mean else float(first.mean > second.mean)
    return 0.5 * math.erfc((second.mean - first.mean) / (spread * math.sqrt(2.0)))


def explain(result: SearchResult, describe: Callable[[int], str] = str, *, limit: int = 10) -> str:
    """Return a text about a search: the top moves with their statistics, the expected line, the tree and the speed.

    Parameters
    ----------
    describe
        Returns an action as text, at the root or later in the expected line.
    limit
        Maximum number of moves to show.
    """
    tree = result.tree
    width = max(8, *(len(describe(item.action)) for item in result.actions[:limit]))
    lines = [f"{'move':<{width}}  {'visits':>9}  {'share':>6}  {'mean':>9}  {'± error':>9}  {'prior':>6}"]
    total = sum(item.visits for item in result.actions) or 1
    for item in result.actions[:limit]:
        lines.append(
            f"{describe(item.action):<{width}}  {item.visits:>9,}  {item.visits / total:>6.1%}  {item.mean:>9.4f}"
            f"  {item.error:>9.4f}  {item.prior:>6.3f}"
        )
    if len(result.actions) > limit:
        lines.append(f"… and {len(result.actions) - limit} more")
    lines += [
        f"expected line: {' '.join(describe(action) for action in result.variation)}",
        f"{result.simulations:,} simulations in {result.seconds:.3f} s ({result.simulations_per_second:,.0f}/s,"
        f" {result.cpu_utilisation:.0%} of {result.params.threads} thread(s)), stopped by: {result.stop_reason}",
        f"tree: {tree.nodes:,} of {tree.capacity:,} nodes{' (full)' if tree.full else ''}, depth {tree.mean_depth:.1f}"
        f" on average, {tree.max_depth} at most; {tree.reused:,} of {tree.acquired:,} nodes reused",
    ]
    if tree.table is not None:
        lines.append(f"transpositions: {tree.table.hit_rate:.1%} of {tree.table.probes:,} probes hit")
    return "\n".join(lines)
