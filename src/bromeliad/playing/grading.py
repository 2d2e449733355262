"""Grades decisions by what they lose against the solver's best placement, and schedules when to repeat them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fsrs import Card, Rating, Scheduler

from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.playing.choice import value_choice
from bromeliad.playing.strategies import SolverStrategy, action_of
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.entry import p_fantasyland
from bromeliad.solving.plan import Plan, plan

LEAST_MISTAKE = 0.05
"""Fewest points that a mistake costs."""

_LISTED = 1000  # best boards of a fantasyland hand among which the chosen one is looked up
_SURE = 1.96  # standard errors of a 95 % interval
_SCHEDULER = Scheduler(enable_fuzzing=False)  # the same answers at the same times give the same dates
_HARD = 0.1  # points: a larger loss that is not a certain mistake counts as hard


def is_mistake(loss: float, stderr: float | None) -> bool:
    """Return whether a loss is a mistake: large enough to matter, and with a 95 % interval that excludes 0."""
    return loss >= LEAST_MISTAKE and stderr is not None and loss > _SURE * stderr


@dataclass(frozen=True)
class Grade:
    """The loss of a placement against the best one.

    Attributes
    ----------
    entry
        The placement with its value; valued alone if the solver gave it no EV.
    loss
        In points.
    stderr
        Standard error of the loss: 0 if the loss is exact or nothing was lost, None if unknown.
    """

    answer: Answer
    entry: ActionAnswer
    loss: float
    stderr: float | None = None

    @property
    def is_best(self) -> bool:
        """Whether the solver found no loss."""
        return self.loss == 0.0

    @property
    def is_mistake(self) -> bool:
        """Whether the loss matters and is more than measurement error."""
        return is_mistake(self.loss, self.stderr)

    @property
    def exact(self) -> bool:
        """Whether the values of the best placement and the chosen one are exact."""
        return self.entry.exact and self.answer.best.exact


def grade(solver: SolverStrategy, view: SeatView, action: Action, known: Grade | None = None) -> Grade:
    """Return the grade of an action by a solver; a known grade stays if the solver's best placement is the same."""
    planned = plan(solver.request(view, top=_LISTED))
    answer = solver.answer(planned)
    if known is not None and known.answer.best == answer.best:
        return known
    return grade_by(answer, view, action, planned)


def grade_by(answer: Answer, view: SeatView, action: Action, planned: Plan) -> Grade:
    """Return the grade of an action by the answer to a plan."""
    code = action.to_code()
    for item in answer.actions:
        if item.ev_loss is not None and action_of(view.cards, item).to_code() == code:
            return Grade(answer, _with_parts(planned, item), item.ev_loss, item.ev_loss_stderr)
    found = value_choice(planned, answer, action)
    assert found.ev_loss is not None
    return Grade(answer, found, found.ev_loss, found.ev_loss_stderr)


def _with_parts(planned: Plan, item: ActionAnswer) -> ActionAnswer:
    """Return an entry with its chances and royalties, sampled here if the answer lacks them."""
    if item.royalties is not None:
        return item
    from bromeliad.games.ofc.search_spot import split_actions
    from bromeliad.solving.versus import PLAYOUTS, opponents_of, part_fields

    spot, request = planned.spot, planned.request
    code = action_of(spot.cards, item).to_code()
    if spot.objective == "solo":
        split = split_actions(spot, planned.state, [code], request.seed)[0]
        foul, fantasyland, royalties = (float(mean) for mean in split[Expected.FOUL :])
        reached = p_fantasyland(spot, foul, fantasyland)
        return item.model_copy(update={"p_foul": foul, "p_fantasyland": reached, "royalties": royalties})
    against = opponents_of(planned)
    return item.model_copy(update=part_fields(against, against.parts(code, PLAYOUTS, request.seed)))


def rating_of(grade: Grade) -> Rating:
    """Return how well a decision was remembered: a mistake is *again*, another larger loss is *hard*."""
    if grade.is_mistake:
        return Rating.Again
    return Rating.Hard if grade.loss > _HARD else Rating.Good


def reviewed(card: dict[str, Any] | None, rating: Rating, at: datetime) -> tuple[dict[str, Any], datetime]:
    """Return the learning state of a decision after an answer, as plain data, and when it is due again (FSRS).

    Parameters
    ----------
    card
        The state before the answer; None for a decision that was never asked.
    """
    before = Card(card_id=0, due=at) if card is None else Card.from_dict(card)  # type: ignore[arg-type]
    after, _ = _SCHEDULER.review_card(before, rating, at)
    return dict(after.to_dict()), after.due
