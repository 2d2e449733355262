"""What a decision cost: the placement that was made beside the solver's answer."""

from dataclasses import dataclass

import numpy as np

from bromeliad.games.ofc.expectation import Expected
from bromeliad.games.ofc.moves import Action
from bromeliad.games.ofc.seat import SeatView
from bromeliad.sessions.answer import ActionAnswer, Answer
from bromeliad.sessions.strategies import SolverStrategy, action_of

__all__ = ["Grade", "grade"]

LISTED = 1000
"""Boards of a fantasyland hand among which the one that was set is looked for."""

ROUNDS = 10
"""Runs of playouts that value a placement which the search left out."""


@dataclass(frozen=True)
class Grade:
    """What a placement lost against the best one.

    Attributes
    ----------
    entry
        The solver's word on the placement; None where it is not among those that it valued.
    loss
        In points; None where nothing is known of the placement.
    at_least
        Whether it may be more: a fantasyland board that is worse than all that were listed.
    """

    answer: Answer
    entry: ActionAnswer | None
    loss: float | None
    at_least: bool = False

    @property
    def is_best(self) -> bool:
        """Whether nothing was lost, by the solver's word."""
        return self.entry is not None and self.loss == 0.0


def grade(solver: SolverStrategy, view: SeatView, action: Action) -> Grade:
    """Return what an action lost, as far as the solver can tell in its time."""
    answer = solver.ask(view, top=LISTED)
    code = action.to_code()
    valued = [item for item in answer.actions if item.ev_loss is not None]
    entry = next((item for item in valued if action_of(view, item).to_code() == code), None)
    if entry is not None:
        return Grade(answer, entry, entry.ev_loss)
    if view.in_fantasyland:
        return Grade(answer, None, valued[-1].ev_loss, at_least=True)
    if answer.objective == "solo":
        return Grade(answer, None, max(answer.value - _play_out(view, action, solver.seed), 0.0))
    return Grade(answer, None, None)


def _play_out(view: SeatView, action: Action, seed: int) -> float:
    """Return the solo value of a placement by the playouts of the search."""
    from bromeliad.games.ofc.searching import split_action

    spot = view.to_spot()
    state = spot.to_search_state()
    runs = [split_action(spot, state, action.to_code(), seed + run) for run in range(ROUNDS)]
    return float(np.mean([run[Expected.VALUE] for run in runs if run is not None]))
