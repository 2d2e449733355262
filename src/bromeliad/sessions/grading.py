"""What a decision cost: the placement that was made beside the solver's answer."""

from dataclasses import dataclass

from bromeliad.games.ofc.moves import Action
from bromeliad.games.ofc.seat import SeatView
from bromeliad.sessions.answer import ActionAnswer, Answer
from bromeliad.sessions.strategies import SolverStrategy, action_of

__all__ = ["Grade", "grade"]

LISTED = 1000
"""Boards of a fantasyland hand among which the one that was set is looked for."""


@dataclass(frozen=True)
class Grade:
    """What a placement lost against the best one.

    Attributes
    ----------
    entry
        The solver's word on the placement; None where it is not among those that it valued.
    loss
        In points; at least so much where ``entry`` is None.
    """

    answer: Answer
    entry: ActionAnswer | None
    loss: float

    @property
    def is_best(self) -> bool:
        """Whether nothing was lost."""
        return self.entry is not None and self.loss == 0.0


def grade(solver: SolverStrategy, view: SeatView, action: Action) -> Grade:
    """Return what an action lost, as far as the solver can tell in its time."""
    answer = solver.ask(view, top=LISTED)
    code = action.to_code()
    valued = [item for item in answer.actions if item.ev_loss is not None]
    entry = next((item for item in valued if action_of(view, item).to_code() == code), None)
    loss = valued[-1].ev_loss if entry is None else entry.ev_loss
    return Grade(answer, entry, loss or 0.0)
