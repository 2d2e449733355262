"""``/quiz`` and ``/mistakes``: train."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field

from bromeliad.errors import StoreError
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.playing.quiz import Difficulty, explain, view_of
from bromeliad.playing.strategies import STRATEGY_KERNELS
from bromeliad.service.kinds.ofc import check_preset, check_street_of
from bromeliad.service.problems import PLAIN, Refusal, documented
from bromeliad.service.quizzes import AskedQuiz, Solved
from bromeliad.service.routes.games import Placement
from bromeliad.service.state import ClientId, ServiceDep
from bromeliad.solving.answer import ActionAnswer, Answer

router = APIRouter(tags=["training"])
QuizId = Annotated[str, Path(max_length=40, pattern=PLAIN, description="The id that the quiz was given.")]
MistakeId = Annotated[int, Path(ge=1, lt=2**31, description="The number of the mistake.")]
_NONE = documented(HTTPStatus.NOT_FOUND)
_FULL = documented(HTTPStatus.TOO_MANY_REQUESTS)
_ENDS = {"best": 0.0, "good": 0.1, "inaccuracy": 0.5, "mistake": 1.5}  # points lost, at most
_WORST = "blunder"


class NewQuiz(BaseModel):
    """What to be asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: str = Field(default="pineapple", max_length=40)
    street: int = Field(ge=1, le=13)
    difficulty: Difficulty = "medium"
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    objective: ObjectiveName = "solo"


class QuizView(BaseModel):
    """A position to decide."""

    id: str
    request: dict[str, Any]
    street: int
    place: int  # how many of the cards are placed
    retried: int | None  # the number of the mistake that this repeats


class Explanation(BaseModel):
    """Parts of what the best placement has over the chosen one, in points; and differences of chances."""

    royalties: float | None
    foul: float | None
    fantasyland: float | None
    rows: float | None
    opponents: float | None
    p_foul: float | None
    p_fantasyland: float | None


class QuizGrade(BaseModel):
    """What an answer was worth."""

    ev_loss: float
    stderr: float | None
    exact: bool
    grade: str
    chosen: ActionAnswer | None
    best: ActionAnswer
    answer: Answer
    explanation: Explanation | None
    mistake: int | None


class MistakeView(BaseModel):
    """A mistake of the log."""

    id: int
    request: dict[str, Any]
    chosen: dict[str, Any]
    best: ActionAnswer
    street: int | None
    ev_loss: float
    created_at: datetime
    retried: int
    solved: bool


class StepView(BaseModel):
    """One answer of the progress chart."""

    at: datetime
    street: int | None
    ev_loss: float


@router.post("/quiz", status_code=201, responses=_FULL)
async def ask(new: NewQuiz, service: ServiceDep, client: ClientId) -> QuizView:
    """Be asked a position."""
    check_preset(new.rules)
    check_street_of(new.rules, new.street)

    def work() -> QuizView:
        return _told(service.quizzes.ask(new.rules, new.street, new.difficulty, new.seed, new.objective))

    return await service.compute(client, work, STRATEGY_KERNELS)


@router.post("/quiz/{quiz_id}/answer", responses={**_NONE, **_FULL, **documented(HTTPStatus.CONFLICT)})
async def answer(quiz_id: QuizId, placement: Placement, service: ServiceDep, client: ClientId) -> QuizGrade:
    """Answer, and be told what it was worth."""
    await run_in_threadpool(service.quizzes.check, quiz_id, placement.rows)  # what is wrong is told without waiting
    return await service.compute(
        client, lambda: _graded(service.quizzes.answer(quiz_id, placement.rows)), STRATEGY_KERNELS
    )


@router.get("/quiz/progress")
def progress(service: ServiceDep) -> list[StepView]:
    """List every answer so far, oldest first."""
    return [StepView(**step._asdict()) for step in service.quizzes.progress()]


@router.get("/mistakes")
def mistakes(
    service: ServiceDep,
    threshold: Annotated[float, Query(ge=0, allow_inf_nan=False, description="Points lost, at least.")] = 0.0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[MistakeView]:
    """List the mistakes that lost so many points, the costliest first."""
    return [
        MistakeView(
            id=item.id,
            request=item.request.model_dump(mode="json", exclude_defaults=True),
            chosen=item.chosen,
            best=item.answer.best,
            street=item.answer.street,
            ev_loss=item.ev_loss,
            created_at=item.created_at,
            retried=item.retried,
            solved=item.solved,
        )
        for item in service.store.mistakes.list(limit=limit)
        if item.ev_loss >= threshold
    ]


@router.post("/mistakes/{mistake_id}/retry", status_code=201, responses=_NONE)
def retry(mistake_id: MistakeId, service: ServiceDep) -> QuizView:
    """Be asked a mistake again."""
    try:
        return _told(service.quizzes.retry(mistake_id))
    except StoreError as error:
        raise Refusal(HTTPStatus.NOT_FOUND, error) from None


def _told(quiz: AskedQuiz) -> QuizView:
    view = view_of(quiz.request)
    request = quiz.request.model_dump(mode="json", exclude_defaults=True)
    return QuizView(id=quiz.id, request=request, street=view.street + 1, place=view.deal.place, retried=quiz.mistake)


def _graded(solved: Solved) -> QuizGrade:
    found = solved.grade
    name = next((name for name, most in _ENDS.items() if found.loss <= most), _WORST)
    parts = None if found.entry is None else explain(found.answer, found.entry)
    return QuizGrade(
        ev_loss=found.loss,
        stderr=found.stderr,
        exact=found.exact,
        grade=name,
        chosen=found.entry,
        best=found.answer.best,
        answer=found.answer,
        explanation=None if parts is None else Explanation(**parts._asdict()),
        mistake=solved.mistake,
    )
