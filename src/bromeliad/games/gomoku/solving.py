"""One question about a position: is there a forced win, and what is best if none is found."""

from dataclasses import dataclass
from typing import Literal

from bromeliad.core.budget import Budget
from bromeliad.core.game import clone
from bromeliad.games.gomoku.player import Player, stopping
from bromeliad.games.gomoku.proof.threats import Proof, Prover
from bromeliad.games.gomoku.state import GomokuState

__all__ = ["Solution", "solve_state"]

_FOURS, _THREATS = 0.5, 0.35  # shares of the time; the rest is for a search where nothing was proved
_NODES = 1_000_000  # that each proof may try where simulations are counted
_NO_LIMIT = 1 << 40


@dataclass(frozen=True)
class Solution:
    """What was found.

    Attributes
    ----------
    result
        ``win``: proved. ``none``: there is no win by fours nor by threats. ``unknown``: not clear within the budget.
    how
        ``fours``, ``threats`` or ``search``.
    line
        The win, to the five; or what the search expects.
    nodes
        Moves that the proofs tried.
    """

    best: int
    result: Literal["win", "none", "unknown"]
    how: str
    line: tuple[int, ...]
    nodes: int
    value: float


def solve_state(player: Player, prover: Prover, state: GomokuState, budget: Budget) -> Solution:
    """Look for a win by fours, then by threats, then search."""
    nodes = 0
    results = []
    for how, share in (("fours", _FOURS), ("threats", _THREATS)):
        proof = _prove(prover, state, how == "fours", budget, share)
        nodes += proof.nodes
        results.append(proof.result)
        if proof.best is not None:
            return Solution(proof.best, "win", how, proof.line, nodes, 1.0)
    rest = None if budget.seconds is None else (1.0 - _FOURS - _THREATS) * budget.seconds
    answer = player.think(clone(state), Budget(rest, budget.simulations))
    if answer.proved:
        return Solution(answer.best, "win", answer.how, answer.line, nodes + answer.nodes, 1.0)
    clear = all(result == "none" for result in results)
    return Solution(
        answer.best, "none" if clear else "unknown", "search", answer.line, nodes + answer.nodes, answer.value
    )


def _prove(prover: Prover, state: GomokuState, fours: bool, budget: Budget, share: float) -> Proof:
    method: Literal["fours", "threats"] = "fours" if fours else "threats"
    if budget.seconds is None:
        return prover.prove(state, method, _NODES)
    with stopping(prover.stop, share * budget.seconds):
        return prover.prove(state, method, _NO_LIMIT)
