"""Training: quizzes, drills and lessons, their answers, and the mistakes to try again."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import BaseModel

from bromeliad.core.domain import DomainEvent, now
from bromeliad.core.machine import cores
from bromeliad.errors import NotStoredError, PhaseError
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.playing.grading import LEAST_MISTAKE, Grade, grade_by, rating_of, reviewed
from bromeliad.playing.quiz import (
    SEAT,
    Difficulty,
    Rows,
    drill_step,
    make_quiz,
    quiz_action,
    rows_of,
    view_of,
)
from bromeliad.playing.strategies import DEFAULT_OBJECTIVE, SolverStrategy
from bromeliad.playing.themes import THEMES, Theme, themes_of
from bromeliad.solving.answer import Answer
from bromeliad.solving.plan import Plan, plan
from bromeliad.solving.request import SolveRequest, read_request
from bromeliad.storage import Store
from bromeliad.storage.cached import solve_stored

_SECONDS = 0.5  # to solve one position
_PATIENCE = 4.0  # seconds to look for a position of the wanted difficulty


@dataclass(frozen=True, kw_only=True)
class QuizAsked(DomainEvent):
    """A quiz was asked: a new one, a repeated mistake or lesson, or a decision of a drill. Fields are plain data."""

    request: dict[str, Any]
    mistake: int | None
    lesson: int | None = None
    course: bool = False
    threshold: float = LEAST_MISTAKE
    drill: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class QuizAnswered(DomainEvent):
    """A quiz was answered."""

    street: int | None
    ev_loss: float
    client: str = ""
    themes: tuple[str, ...] = ()
    mistake: bool = False


class Drill(BaseModel):
    """A hand that is drilled: the source of its cards, and the player's placements so far, always the best ones."""

    rules: str
    seed: int
    moves: tuple[Rows, ...] = ()


class AskedQuiz(NamedTuple):
    """A quiz that is not answered yet.

    Attributes
    ----------
    mistake, lesson
        The number of the mistake or lesson that the quiz repeats.
    course
        Whether the quiz becomes a lesson, whatever the answer.
    threshold
        Mistakes that lose fewer points than this are not logged.
    """

    id: str
    request: SolveRequest
    mistake: int | None = None
    lesson: int | None = None
    course: bool = False
    threshold: float = LEAST_MISTAKE
    drill: Drill | None = None


class DrillEnd(BaseModel):
    """The continuation of a drill after a decision: the next decision, or the result of the hand."""

    skipped: int
    points: int | None
    boards: list[str] | None


class Solved(NamedTuple):
    """An answered quiz: ``mistake`` is the number of a mistake made or repeated, ``due`` is when it is asked again."""

    grade: Grade
    themes: tuple[Theme, ...]
    mistake: int | None
    due: datetime | None
    after: DrillEnd | None
    following: AskedQuiz | None


class StepView(BaseModel):
    """One answer of the progress chart."""

    at: datetime
    street: int | None
    ev_loss: float
    themes: tuple[str, ...] = ()
    mistake: bool = False


class Quizzes:
    """All quizzes of a service."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def ask(
        self,
        rules: str,
        street: int | None,
        difficulty: Difficulty,
        seed: int | None,
        objective: ObjectiveName,
        theme: Theme | None = None,
        *,
        course: bool = False,
    ) -> AskedQuiz:
        """Store and return a quiz of the wanted difficulty and theme."""
        quiz = make_quiz(
            rules,
            preset(rules),
            street,
            difficulty,
            seed=secrets.randbits(32) if seed is None else seed,
            objective=objective,
            answer=self._answer,
            seconds=_SECONDS,
            threads=cores(),
            patience=_PATIENCE,
            theme=theme,
        )
        return self._ask(AskedQuiz(_new_id(), quiz.request, course=course))

    def retry(self, mistake: int, client: str) -> AskedQuiz:
        """Store and return a quiz that repeats a mistake; raise if the client has no such mistake."""
        found = self._store.mistakes.get(mistake)
        if found.client not in ("", client):
            raise NotStoredError("there is no mistake {number} in the store", number=mistake)
        lesson = next((item.id for item in self._store.lessons.list(client, mistake_id=mistake)), None)
        return self._ask(AskedQuiz(_new_id(), found.request, mistake, lesson))

    def next_lesson(self, client: str, rules: str, themes: Sequence[Theme]) -> AskedQuiz:
        """Ask the lesson that has been due longest or, if none is due, a new position of one of the themes.

        Only lessons under these rules count. A lesson without a mistake must also have one of the themes, if any are
        given.
        """
        wanted = set(themes)
        for lesson in self._store.lessons.list(client, due=now()):
            fits = not wanted or lesson.mistake_id is not None or wanted & set(lesson.themes)
            if lesson.request.rules == rules and fits:
                return self._ask(AskedQuiz(_new_id(), lesson.request, lesson.mistake_id, lesson.id))
        theme = secrets.choice(list(themes) or THEMES)
        return self.ask(rules, None, "medium", None, DEFAULT_OBJECTIVE, theme, course=True)

    def begin_drill(self, rules: str, seed: int | None, threshold: float) -> AskedQuiz:
        """Begin a drill: deal a hand and ask the first decision that leaves a choice."""
        while True:  # the hand may leave no choice at all, but nearly every first street leaves one
            drill = Drill(rules=rules, seed=secrets.randbits(32) if seed is None else seed)
            _, following = self._drill_on(drill, threshold)
            if following is not None:
                return following
            seed = drill.seed + 1

    def _drill_on(self, drill: Drill, threshold: float) -> tuple[DrillEnd, AskedQuiz | None]:
        """Continue a drill; return how it continued, and the next decision, None at the end of the hand."""
        solver = SolverStrategy(drill.rules, seconds=_SECONDS, objective=DEFAULT_OBJECTIVE, threads=cores())

        def answer(view: SeatView) -> Answer:
            return self._answer(solver.request(view))

        step = drill_step(preset(drill.rules), drill.seed, drill.moves, answer)
        if step.view is None:
            assert step.played is not None
            points, boards = step.played.points[SEAT - 1], [str(board) for board in step.played.boards]
            return DrillEnd(skipped=step.skipped, points=points, boards=boards), None
        at = drill.model_copy(update={"moves": step.moves})
        asked = AskedQuiz(_new_id(), solver.request(step.view), threshold=threshold, drill=at)
        return DrillEnd(skipped=step.skipped, points=None, boards=None), self._ask(asked)

    def _ask(self, quiz: AskedQuiz) -> AskedQuiz:
        """Store a quiz, and return it."""
        asked = QuizAsked(
            aggregate_id=quiz.id,
            request=quiz.request.model_dump(mode="json", exclude_defaults=True),
            mistake=quiz.mistake,
            lesson=quiz.lesson,
            course=quiz.course,
            threshold=quiz.threshold,
            drill=None if quiz.drill is None else quiz.drill.model_dump(mode="json"),
        )
        self._store.events.add([asked])
        return quiz

    def check(self, quiz_id: str, rows: Rows) -> tuple[AskedQuiz, Plan, SeatView, Action]:
        """Return a quiz, its plan and view, and the placement; raise if that is invalid or the quiz is answered."""
        quiz = self._find(quiz_id)
        planned = plan(quiz.request)
        view = view_of(planned)
        return quiz, planned, view, quiz_action(view, rows)

    def answer(self, quiz_id: str, rows: Rows, client: str) -> Solved:
        """Grade an answer and store it."""
        quiz, planned, view, action = self.check(quiz_id, rows)
        found = self._answer(planned)
        grade = grade_by(found, view, action, planned)
        themes = themes_of(view, found)
        answered = QuizAnswered(
            aggregate_id=quiz.id,
            street=found.street,
            ev_loss=grade.loss,
            client=client,
            themes=themes,
            mistake=grade.is_mistake,
        )
        self._store.events.add([answered])
        mistake = self._log(quiz, rows, grade, client)
        due = self._schedule(quiz, grade, themes, mistake, client)
        if quiz.drill is None:
            return Solved(grade, themes, mistake, due, None, None)
        moves = (*quiz.drill.moves, rows_of(found.best))
        after, following = self._drill_on(quiz.drill.model_copy(update={"moves": moves}), quiz.threshold)
        return Solved(grade, themes, mistake, due, after, following)

    def _log(self, quiz: AskedQuiz, rows: Rows, grade: Grade, client: str) -> int | None:
        """Store a mistake, or another try at an earlier one; return its number, None if there is no mistake."""
        wrong = grade.is_mistake and grade.loss >= quiz.threshold
        if quiz.mistake is not None:
            self._store.mistakes.retry(quiz.mistake, solved=not wrong)
            return quiz.mistake
        if not wrong:
            return None
        chosen = dict(zip(("top", "middle", "back", "discards"), map(list, rows), strict=True))
        return self._store.mistakes.add(quiz.request, chosen, grade.loss, grade.answer, client)

    def _schedule(
        self, quiz: AskedQuiz, grade: Grade, themes: tuple[Theme, ...], mistake: int | None, client: str
    ) -> datetime | None:
        """Store when a lesson is due, or a mistake or a quiz of the course as a new lesson; return the due date."""
        if quiz.lesson is None and mistake is None and not quiz.course:
            return None
        lessons = self._store.lessons
        known = None if quiz.lesson is None else next((i for i in lessons.list(client) if i.id == quiz.lesson), None)
        card, due = reviewed(None if known is None else known.card, rating_of(grade), now())
        if known is None:
            lessons.add(client, quiz.request, themes, card, due, mistake)
        else:
            lessons.review(known.id, card, due, mistake)
        return due

    def _find(self, quiz_id: str) -> AskedQuiz:
        events = {event.kind: event.data for event in self._store.events.stream(quiz_id)}
        asked = events.get(QuizAsked.__name__)
        if asked is None:
            raise NotStoredError("there is no quiz {id}", id=quiz_id[:40])
        if QuizAnswered.__name__ in events:
            raise PhaseError("this quiz has already been answered")
        drill = asked.get("drill")
        read = {
            "request": read_request(asked["request"]),
            "drill": None if drill is None else Drill.model_validate(drill),
        }
        return AskedQuiz(quiz_id, **asked | read)

    def _answer(self, question: SolveRequest | Plan) -> Answer:
        return solve_stored(question, self._store)

    def progress(self, client: str) -> Iterator[StepView]:
        """Yield every answer of a client so far, oldest first; answers without a client count for everybody."""
        for event in self._store.events.stream(kind=QuizAnswered.__name__):
            if event.data.get("client", "") in ("", client):
                yield StepView(at=event.occurred_at, **event.data)


def _new_id() -> str:
    return secrets.token_urlsafe(9)
