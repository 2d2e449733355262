"""Reviews: the decisions of some hands, the solver's answers, and the losses.

A decision is judged by its seat's view: its own cards, board and discards, and the open boards. The answers come from
:mod:`bromeliad.solving.solve`, so that exact streets are judged exactly.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from bromeliad.analysis.decisions import Decision
from bromeliad.analysis.intervals import Frozen
from bromeliad.core.cards import format_cards
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import OpponentView
from bromeliad.logs import log_event
from bromeliad.playing.grading import Grade, grade, is_mistake
from bromeliad.playing.strategies import SolverStrategy
from bromeliad.solving.answer import ActionAnswer


class Placement(Frozen):
    """The placement of a decision."""

    top: tuple[str, ...]
    middle: tuple[str, ...]
    back: tuple[str, ...]
    discards: tuple[str, ...]

    @classmethod
    def of(cls, action: Action) -> "Placement":
        """Return the placement of an action, with cards by name."""
        return cls(**{name: tuple(map(str, getattr(action, name))) for name in cls.model_fields})


class DecisionReview(Frozen):
    """One decision and its loss."""

    line: int  # the hand's line in the file, or its id in the store
    hand: int
    decision: int
    player: str
    seat: int
    street: int | None
    cards: str
    board: str
    opponents: tuple[str, ...]
    placed: Placement
    chosen: ActionAnswer  # the value of the placement
    best: ActionAnswer
    ev: float | None
    best_ev: float  # at least `ev`: a placement with a higher mean than the best is not ranked
    ev_loss: float
    stderr: float | None  # of `ev_loss`: 0 if exact, null if unknown
    exact: bool
    objective: str
    method: str

    @property
    def is_mistake(self) -> bool:
        """Whether the loss is large enough to matter and more than measurement error."""
        return is_mistake(self.ev_loss, self.stderr)


class DecisionValue(Frozen):
    """The values of one decision: the EV of its placement, of the best one, and the difference."""

    line: int
    hand: int
    decision: int
    player: str
    seat: int
    street: int | None
    ev: float | None
    best_ev: float
    ev_loss: float


class LossSum(Frozen):
    """The sum of a player's losses on one street, or on all; ``street`` is null in fantasyland and with ``of_all``."""

    player: str
    street: int | None
    of_all: bool
    decisions: int
    mistakes: int
    exact: int
    ev_loss: float
    stderr: float
    mean: float


class Review(Frozen):
    """The mistakes of reviewed decisions, the costliest first, and sums by player and street.

    A mistake is a loss of 0.05 points or more whose 95 % interval excludes 0. ``unclear`` has the other losses: too
    small to matter, or too close to call. ``values`` has every decision, in the order of play.
    """

    source: str
    hands: int
    decisions: int
    reviewed: int
    sums: tuple[LossSum, ...]
    mistakes: tuple[DecisionReview, ...]
    unclear: tuple[DecisionReview, ...] = ()
    values: tuple[DecisionValue, ...] = ()


def review(
    decisions: Sequence[Decision],
    solver: Callable[[Decision], SolverStrategy],
    on_progress: Callable[[float], None] = lambda fraction: None,
    cancelled: Callable[[], bool] = lambda: False,
    on_review: Callable[[DecisionReview], None] = lambda judged: None,
) -> list[DecisionReview]:
    """Return the reviews of the decisions, in order; a cancelled run returns those done so far.

    Parameters
    ----------
    solver
        Returns the solver for a decision, because rules may differ from hand to hand.
    on_review
        Called with each review.
    """
    found: list[DecisionReview] = []
    for number, decision in enumerate(decisions):
        judged = _reviewed(decision, grade(solver(decision), decision.view, decision.action))
        if cancelled():
            break
        found.append(judged)
        on_review(judged)
        on_progress((number + 1) / len(decisions))
    return found


def _reviewed(decision: Decision, found: Grade) -> DecisionReview:
    answer, chosen, view = found.answer, found.entry, decision.view
    return DecisionReview(
        line=decision.line,
        hand=decision.hand,
        decision=decision.number,
        player=decision.player,
        seat=view.seat,
        street=decision.street,
        cards=format_cards(view.cards),
        board=str(view.board),
        opponents=tuple(map(_opponent_text, view.opponents)),
        placed=Placement.of(decision.action),
        chosen=chosen,
        best=answer.best,
        ev=chosen.ev,
        best_ev=answer.value,
        ev_loss=found.loss,
        stderr=found.stderr,
        exact=found.exact,
        objective=answer.objective,
        method=answer.method,
    )


def _opponent_text(opponent: OpponentView) -> str:
    return f"fantasyland:{opponent.fantasyland}" if opponent.fantasyland else str(opponent.board)


def summarise(source: str, hands: int, decisions: int, reviewed: Sequence[DecisionReview]) -> Review:
    """Return the review of some decisions: sums of losses, the mistakes, and the unclear losses."""
    lost = sorted((item for item in reviewed if item.ev_loss > 0.0), key=lambda item: -item.ev_loss)
    log_event("review finished", source=source, hands=hands, decisions=decisions, reviewed=len(reviewed))
    return Review(
        source=source,
        hands=hands,
        decisions=decisions,
        reviewed=len(reviewed),
        sums=tuple(_sums(reviewed)),
        mistakes=tuple(item for item in lost if item.is_mistake),
        unclear=tuple(item for item in lost if not item.is_mistake),
        values=tuple(DecisionValue.model_validate(item, from_attributes=True) for item in reviewed),
    )


def _sums(reviewed: Iterable[DecisionReview]) -> list[LossSum]:
    """Return the sums by player: each street in order, fantasyland, and all streets."""
    groups: dict[str, dict[int | None, list[DecisionReview]]] = defaultdict(lambda: defaultdict(list))
    for item in reviewed:
        groups[item.player][item.street].append(item)
    sums = []
    for player, by_street in sorted(groups.items()):
        for street in sorted(by_street, key=lambda street: math.inf if street is None else street):
            sums.append(_sum(player, street, by_street[street]))
        sums.append(_sum(player, None, [item for items in by_street.values() for item in items], of_all=True))
    return sums


def _sum(player: str, street: int | None, items: Sequence[DecisionReview], *, of_all: bool = False) -> LossSum:
    """Return the sum of losses. Errors of different decisions are independent; unknown errors count as 0."""
    loss = sum(item.ev_loss for item in items)
    return LossSum(
        player=player,
        street=street,
        of_all=of_all,
        decisions=len(items),
        mistakes=sum(item.is_mistake for item in items),
        exact=sum(item.exact for item in items),
        ev_loss=loss,
        stderr=math.sqrt(sum((item.stderr or 0.0) ** 2 for item in items)),
        mean=loss / len(items),
    )
