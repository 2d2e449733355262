"""What a decision cost: the placement that was made beside the solver's answer."""

from dataclasses import dataclass

import numpy as np

from bromeliad.games.ofc.expectation import Expected
from bromeliad.games.ofc.moves import Action
from bromeliad.games.ofc.seat import SeatView, board_after
from bromeliad.sessions.answer import ActionAnswer, Answer
from bromeliad.sessions.strategies import SolverStrategy, action_of

__all__ = ["Grade", "grade", "grade_by"]

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
        In points. Without an entry it is about what the boards lose by themselves, opponents apart.
    """

    answer: Answer
    entry: ActionAnswer | None
    loss: float

    @property
    def is_best(self) -> bool:
        """Whether nothing was lost, by the solver's word."""
        return self.entry is not None and self.loss == 0.0


def grade(solver: SolverStrategy, view: SeatView, action: Action) -> Grade:
    """Return what an action lost, as far as the solver can tell in its time."""
    return grade_by(solver.ask(view, top=LISTED), view, action, solver.seed)


def grade_by(answer: Answer, view: SeatView, action: Action, seed: int) -> Grade:
    """Return what an action lost by an answer that is there already."""
    code = action.to_code()
    for item in answer.actions:
        if item.ev_loss is not None and action_of(view, item).to_code() == code:
            return Grade(answer, item, item.ev_loss)
    value = _finished_value if view.in_fantasyland else _played_out
    best = action_of(view, answer.best)
    return Grade(answer, None, max(value(view, best, seed) - value(view, action, seed), 0.0))


def _finished_value(view: SeatView, action: Action, seed: int) -> float:
    return view.finished_value(board_after(view.board, action))


def _played_out(view: SeatView, action: Action, seed: int) -> float:
    """Return the solo value of a placement by the playouts of the search; equal seeds meet equal cards."""
    from bromeliad.games.ofc.searching import split_action

    spot = view.to_spot()
    state = spot.to_search_state()
    runs = [split_action(spot, state, action.to_code(), seed + run) for run in range(ROUNDS)]
    return float(np.mean([run[Expected.VALUE] for run in runs if run is not None]))
