"""Reviews: every decision of some hands beside the solver's answer to it, and what it lost.

A decision is judged by what its seat knew: its own cards, board and discards and the boards that lay open. The answers
come by the one path of :mod:`bromeliad.solving.solve`, so an exact street is judged exactly.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from bromeliad.analysis.decisions import Decision
from bromeliad.core.cards import format_cards
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import OpponentView
from bromeliad.logs import log_event
from bromeliad.playing.grading import Grade, grade
from bromeliad.playing.strategies import SolverStrategy
from bromeliad.solving.answer import ActionAnswer, Answer


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class Placement(_Model):
    """Where the cards of a decision went."""

    top: tuple[str, ...]
    middle: tuple[str, ...]
    back: tuple[str, ...]
    discards: tuple[str, ...]

    @classmethod
    def of(cls, action: Action) -> "Placement":
        """Return an action as names of cards."""
        rows = (tuple(map(str, row)) for row in (action.top, action.middle, action.back, action.discards))
        return cls(**dict(zip(cls.model_fields, rows, strict=True)))


class DecisionReview(_Model):
    """One decision and what it lost.

    ``line`` says where its hand is: a line of the file, or the number of the hand in the store. ``stderr`` is the
    standard error of ``ev_loss``: 0 where that is exact, null where it is not known. ``chosen`` is the solver's word on
    the placement that was made, null where it is not among those that it valued; the loss is then about what the
    boards lose by themselves, and ``alone`` has the parts of that for the placement and for the best. A search may
    prefer a placement to one with a higher mean of fewer visits: ``best_ev`` is the higher of the two, and nothing is
    lost.
    """

    line: int
    hand: int
    decision: int
    player: str
    seat: int
    street: int | None
    cards: str
    board: str
    opponents: tuple[str, ...]
    placed: Placement
    chosen: ActionAnswer | None
    best: ActionAnswer
    alone: tuple[ActionAnswer, ActionAnswer] | None = None
    ev: float | None
    best_ev: float
    ev_loss: float
    stderr: float | None
    exact: bool
    objective: str
    method: str


class LossSum(_Model):
    """What decisions lost together; ``street`` is null in fantasyland and, with ``of_all``, for all streets."""

    player: str
    street: int | None
    of_all: bool
    decisions: int
    mistakes: int
    exact: int
    ev_loss: float
    stderr: float
    mean: float


class Review(_Model):
    """Reviewed decisions, the costliest first, and their sums by player and street."""

    source: str
    hands: int
    decisions: int
    reviewed: int
    sums: tuple[LossSum, ...]
    mistakes: tuple[DecisionReview, ...]


def review(
    decisions: Sequence[Decision],
    solver: Callable[[Decision], SolverStrategy],
    on_progress: Callable[[float], None] = lambda fraction: None,
    cancelled: Callable[[], bool] = lambda: False,
    on_review: Callable[[DecisionReview], None] = lambda judged: None,
) -> list[DecisionReview]:
    """Return what each decision lost, in their order; of a run that was cancelled those before.

    Parameters
    ----------
    solver
        Returns who judges a decision: the rules may differ from hand to hand.
    on_review
        Told what a decision lost as soon as it is known.
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
    ev = chosen.ev if chosen is not None else None
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
        alone=found.alone,
        ev=ev,
        best_ev=answer.value if ev is None else max(answer.value, ev),
        ev_loss=found.loss,
        stderr=found.stderr,
        exact=_is_exact(answer, chosen),
        objective=answer.objective,
        method=answer.method,
    )


def _is_exact(answer: Answer, chosen: ActionAnswer | None) -> bool:
    return answer.best.exact and chosen is not None and chosen.exact


def _opponent_text(opponent: OpponentView) -> str:
    return f"fantasyland:{opponent.fantasyland}" if opponent.fantasyland else str(opponent.board)


def summarise(source: str, hands: int, decisions: int, reviewed: Sequence[DecisionReview]) -> Review:
    """Return the review of some hands."""
    lost = [item for item in reviewed if item.ev_loss > 0.0]
    log_event("review finished", source=source, hands=hands, decisions=decisions, reviewed=len(reviewed))
    return Review(
        source=source,
        hands=hands,
        decisions=decisions,
        reviewed=len(reviewed),
        sums=tuple(_sums(reviewed)),
        mistakes=tuple(sorted(lost, key=lambda item: -item.ev_loss)),
    )


def _sums(reviewed: Iterable[DecisionReview]) -> list[LossSum]:
    """Return sums by player and street, streets in their order, fantasyland behind them, and all at the end."""
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
    """Add losses up; errors of different decisions are independent, those that are not known count as none."""
    loss = sum(item.ev_loss for item in items)
    return LossSum(
        player=player,
        street=street,
        of_all=of_all,
        decisions=len(items),
        mistakes=sum(item.ev_loss > 0.0 for item in items),
        exact=sum(item.exact for item in items),
        ev_loss=loss,
        stderr=math.sqrt(sum((item.stderr or 0.0) ** 2 for item in items)),
        mean=loss / len(items),
    )
