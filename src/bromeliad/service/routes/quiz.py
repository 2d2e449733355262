"""``/quiz``, ``/drills``, ``/course``, ``/mistakes`` and ``/choices``: training."""

from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field

from bromeliad.analysis.training import Course, Step, report_on
from bromeliad.core.domain import now
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.playing.grading import LEAST_MISTAKE, grade_by
from bromeliad.playing.quiz import Difficulty, Explanation, explain, quiz_action, view_of
from bromeliad.playing.strategies import DEFAULT_OBJECTIVE, STRATEGY_KERNELS
from bromeliad.playing.themes import Theme
from bromeliad.service.clients import Client
from bromeliad.service.game_views import GradeView, grade_fields
from bromeliad.service.kinds.kind import StrictModel
from bromeliad.service.kinds.ofc import check_preset, check_street_of, checked
from bromeliad.service.problems import PLAIN, documented
from bromeliad.service.quizzes import AskedQuiz, DrillEnd, Solved, StepView
from bromeliad.service.routes.games import Placement
from bromeliad.service.state import ClientId, Service, ServiceDep
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.request import SolveRequest
from bromeliad.storage.cached import solve_stored

router = APIRouter(tags=["training"])
QuizId = Annotated[str, Path(max_length=40, pattern=PLAIN, description="The id of the quiz.")]
MistakeId = Annotated[int, Path(ge=1, lt=2**31, description="The number of the mistake.")]
_NOT_FOUND = documented(HTTPStatus.NOT_FOUND)
_FULL = documented(HTTPStatus.TOO_MANY_REQUESTS)
_GRADES = {"best": 0.0, "good": 0.1, "inaccuracy": 0.5, "mistake": 1.5}  # with the most points that each may lose
_WORST = "blunder"


class NewQuiz(StrictModel):
    """A position to ask for."""

    rules: str = Field(default="pineapple", max_length=40)
    street: int | None = Field(default=None, ge=1, le=13)  # any by default
    difficulty: Difficulty = "medium"
    theme: Theme | None = None
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    objective: ObjectiveName = DEFAULT_OBJECTIVE


class NewDrill(StrictModel):
    """A hand to drill; mistakes that lose less than the threshold are not logged."""

    rules: str = Field(default="pineapple", max_length=40)
    seed: int | None = Field(default=None, ge=0, lt=2**62)
    threshold: float = Field(default=LEAST_MISTAKE, ge=LEAST_MISTAKE, le=20, allow_inf_nan=False)


class NewLesson(StrictModel):
    """The themes of a course; all by default."""

    rules: str = Field(default="pineapple", max_length=40)
    themes: tuple[Theme, ...] = Field(default=(), max_length=20)


class Choice(StrictModel):
    """A question, and a placement that answers it."""

    request: SolveRequest
    placement: Placement


class QuizView(BaseModel):
    """A position to decide."""

    id: str
    request: dict[str, Any]
    street: int
    place: int  # number of cards to place
    retried: int | None  # number of the mistake that this repeats
    lesson: int | None = None  # number of the lesson that this repeats


class QuizGrade(GradeView):
    """The grade of an answer."""

    grade: str
    answer: Answer
    explanation: Explanation | None
    mistake: int | None
    themes: tuple[Theme, ...] = ()
    due: datetime | None = None  # when it is asked again
    after: DrillEnd | None = None
    following: QuizView | None = None  # the next decision of a drill


class MistakeView(BaseModel):
    """A mistake in the log."""

    id: int
    request: dict[str, Any]
    chosen: dict[str, Any]
    best: ActionAnswer
    street: int | None
    ev_loss: float
    created_at: datetime
    retried: int
    solved: bool


@router.post("/quiz", status_code=201, responses=_FULL)
async def ask(new: NewQuiz, service: ServiceDep, client: ClientId) -> QuizView:
    """Ask for a position."""
    check_preset(new.rules)
    if new.street is not None:
        check_street_of(new.rules, new.street)
    return await _asked(
        service,
        client,
        lambda: service.quizzes.ask(new.rules, new.street, new.difficulty, new.seed, new.objective, new.theme),
    )


@router.post("/drills", status_code=201, responses=_FULL)
async def drill(new: NewDrill, service: ServiceDep, client: ClientId) -> QuizView:
    """Begin a drill: every real decision of a hand is a quiz, and the hand continues with the best placement."""
    check_preset(new.rules)
    return await _asked(service, client, lambda: service.quizzes.begin_drill(new.rules, new.seed, new.threshold))


@router.post("/course/next", status_code=201, responses=_FULL)
async def lesson(new: NewLesson, service: ServiceDep, client: ClientId) -> QuizView:
    """Ask the lesson that is due; if none is, a new position of one of the themes."""
    check_preset(new.rules)
    return await _asked(service, client, lambda: service.quizzes.next_lesson(client.name, new.rules, new.themes))


@router.get("/course")
def course(
    service: ServiceDep,
    client: ClientId,
    offset: Annotated[int, Query(ge=-1440, le=1440, description="Minutes of the client's clock ahead of UTC.")] = 0,
) -> Course:
    """Report on the training of a client: due lessons, accuracy, streaks, and the leaks by theme and street."""
    steps = [
        Step(at=one.at, street=one.street, loss=one.ev_loss, themes=one.themes, mistake=one.mistake)
        for one in service.quizzes.progress(client.name)
    ]
    dates = [item.due for item in service.store.lessons.list(client.name)]
    return report_on(steps, dates, now(), offset)


@router.post("/quiz/{quiz_id}/answer", responses={**_NOT_FOUND, **_FULL, **documented(HTTPStatus.CONFLICT)})
async def answer(quiz_id: QuizId, placement: Placement, service: ServiceDep, client: ClientId) -> QuizGrade:
    """Answer a quiz and get the grade."""
    await run_in_threadpool(service.quizzes.check, quiz_id, placement.rows)  # refuses without waiting for a worker
    return await service.compute(
        client, lambda: _graded(service.quizzes.answer(quiz_id, placement.rows, client.name)), STRATEGY_KERNELS
    )


@router.get("/quiz/progress")
def progress(service: ServiceDep, client: ClientId) -> list[StepView]:
    """List every answer of the client so far, oldest first."""
    return list(service.quizzes.progress(client.name))


@router.get("/mistakes")
def mistakes(
    service: ServiceDep,
    client: ClientId,
    threshold: Annotated[float, Query(ge=0, allow_inf_nan=False, description="Least points lost.")] = 0.0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[MistakeView]:
    """List the client's mistakes that lost at least ``threshold`` points, the costliest first."""
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
        for item in service.store.mistakes.list(client=client.name, limit=limit)
        if item.ev_loss >= threshold
    ]


@router.post("/mistakes/{mistake_id}/retry", status_code=201, responses=_NOT_FOUND)
def retry(mistake_id: MistakeId, service: ServiceDep, client: ClientId) -> QuizView:
    """Ask for the position of a mistake again."""
    return _view(service.quizzes.retry(mistake_id, client.name))


@router.post("/choices", responses=documented(HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.CONFLICT))
async def value(choice: Choice, service: ServiceDep, client: ClientId) -> GradeView:
    """Compare a placement with the best one; for placements to which a search gave no value.

    The answer to the question comes from the store if it is there.
    """
    planned = checked(choice.request, service.settings)
    view = view_of(planned)
    action = quiz_action(view, choice.placement.rows)

    def work() -> GradeView:
        return GradeView(**grade_fields(grade_by(solve_stored(planned, service.store), view, action, planned)))

    return await service.compute(client, work, STRATEGY_KERNELS)


async def _asked(service: Service, client: Client, ask: Callable[[], AskedQuiz]) -> QuizView:
    """Return the quiz that ``ask`` makes on a worker thread."""
    return await service.compute(client, lambda: _view(ask()), STRATEGY_KERNELS)


def _view(quiz: AskedQuiz) -> QuizView:
    view = view_of(quiz.request)
    return QuizView(
        id=quiz.id,
        request=quiz.request.model_dump(mode="json", exclude_defaults=True),
        street=view.street + 1,
        place=view.deal.place,
        retried=quiz.mistake,
        lesson=quiz.lesson,
    )


def _graded(solved: Solved) -> QuizGrade:
    found = solved.grade
    name = next((name for name, most in _GRADES.items() if found.loss <= most), _WORST)
    if not found.is_best and not found.is_mistake:
        name = "good"  # too small a loss to matter, or too close to call
    return QuizGrade(
        **grade_fields(found),
        grade=name,
        answer=found.answer,
        explanation=explain(found.answer, found.entry),
        mistake=solved.mistake,
        themes=solved.themes,
        due=solved.due,
        after=solved.after,
        following=None if solved.following is None else _view(solved.following),
    )
