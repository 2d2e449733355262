"""What a decision cost: the placement that was made beside the solver's answer."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView, board_after, own_action
from bromeliad.playing.strategies import SolverStrategy, action_of
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.entries import entry, p_fantasyland
from bromeliad.solving.plan import Plan, plan

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
    stderr
        Standard error of the loss, 0 where it is exact or nothing was lost; None if it is not known. What is sampled
        for both placements alike is counted twice where the solver states no error of the difference.
    alone
        Without an entry: what the placement and the best one are worth by the boards themselves, by the same playouts;
        None in fantasyland.
    """

    answer: Answer
    entry: ActionAnswer | None
    loss: float
    stderr: float | None = None
    alone: tuple[ActionAnswer, ActionAnswer] | None = None

    @property
    def is_best(self) -> bool:
        """Whether nothing was lost, by the solver's word."""
        return self.entry is not None and self.loss == 0.0

    @property
    def exact(self) -> bool:
        """Whether the loss was counted: the best placement and the chosen one both were."""
        return self.entry is not None and self.entry.exact and self.answer.best.exact


def grade(solver: SolverStrategy, view: SeatView, action: Action) -> Grade:
    """Return what an action lost, as far as the solver can tell in its time."""
    planned = plan(solver.request(view, top=LISTED))
    return grade_by(solver.answer(planned), view, action, planned)


def grade_by(answer: Answer, view: SeatView, action: Action, planned: Plan) -> Grade:
    """Return what an action lost by the answer to a plan that is there already."""
    code = action.to_code()
    for item in answer.actions:
        if item.ev_loss is not None and action_of(view, item).to_code() == code:
            known = _with_parts(planned, item)
            return Grade(answer, known, item.ev_loss, _loss_error(answer.best, item))
    best = action_of(view, answer.best)
    if view.in_fantasyland:
        boards = [board_after(view.board, each) for each in (best, action)]
        loss = view.finished_value(boards[0]) - view.finished_value(boards[1])
        return Grade(answer, None, max(loss, 0.0), 0.0 if answer.objective == "solo" else None)
    made, better = (_played_out(view, each, planned.request.seed) for each in (action, best))
    losses = better[:, Expected.VALUE] - made[:, Expected.VALUE]
    return Grade(
        answer,
        None,
        max(float(losses.mean()), 0.0),
        float(losses.std(ddof=1)) / math.sqrt(len(losses)),
        (_alone(view, action, made), _alone(view, best, better)),
    )


def _loss_error(best: ActionAnswer, item: ActionAnswer) -> float | None:
    """Return the standard error of what a placement loses against the best."""
    if item.ev_loss == 0.0 or (best.exact and item.exact):
        return 0.0
    if best.stderr is None or item.stderr is None:
        return None
    return math.hypot(best.stderr, item.stderr)


def _played_out(view: SeatView, action: Action, seed: int) -> NDArray[np.float64]:
    """Return the parts of a placement's solo value, a row for each run of playouts; equal seeds meet equal cards."""
    from bromeliad.games.ofc.search_spot import split_action

    spot = view.to_spot()
    state = spot.to_search_state()
    runs = [split_action(spot, state, action.to_code(), seed + run) for run in range(ROUNDS)]
    return np.array([run for run in runs if run is not None])


def _alone(view: SeatView, action: Action, runs: NDArray[np.float64]) -> ActionAnswer:
    """Return what some runs of playouts say of a placement."""
    value, foul, fantasyland, royalties = runs.mean(axis=0).tolist()
    reached = p_fantasyland(view.to_spot(), foul, fantasyland)
    return entry(action, value, None, exact=False, p_foul=foul, p_fantasyland=reached, royalties=royalties)


def _with_parts(planned: Plan, item: ActionAnswer) -> ActionAnswer:
    """Return an entry of an answer with the parts of its EV, sampled if the time of the answer did not reach so far."""
    if item.royalties is not None:
        return item
    from bromeliad.games.ofc.search_spot import split_action
    from bromeliad.solving.versus import PLAYOUTS, opponents_of, part_fields

    spot, request = planned.spot, planned.request
    code = own_action(spot.cards, (item.top, item.middle, item.back, item.discards)).to_code()
    if spot.objective == "solo":
        split = split_action(spot, planned.state, code, request.seed)
        if split is None:
            return item
        foul, fantasyland, royalties = (float(mean) for mean in split[Expected.FOUL :])
        reached = p_fantasyland(spot, foul, fantasyland)
        return item.model_copy(update={"p_foul": foul, "p_fantasyland": reached, "royalties": royalties})
    against = opponents_of(planned)
    return item.model_copy(update=part_fields(against, against.parts(code, PLAYOUTS, request.seed)))
