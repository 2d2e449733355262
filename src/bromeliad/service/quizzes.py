"""Training: quizzes that are asked, answered and logged, and the mistakes that come back."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any, NamedTuple

from bromeliad.core.domain import DomainEvent
from bromeliad.core.machine import cores
from bromeliad.errors import InputError, PhaseError
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.playing.grading import Grade, grade_by
from bromeliad.playing.quiz import Difficulty, make_quiz, quiz_action, view_of
from bromeliad.service.problems import Refusal
from bromeliad.solving.answer import Answer
from bromeliad.solving.plan import Plan, plan
from bromeliad.solving.request import SolveRequest, read_request
from bromeliad.storage import Store
from bromeliad.storage.cached import solve_stored

MISTAKE = 0.05
"""Points from which an answer is kept as a mistake."""

_SECONDS = 0.5  # for the answer to one position
_PATIENCE = 4.0  # seconds for finding a position that is hard enough


@dataclass(frozen=True, kw_only=True)
class QuizAsked(DomainEvent):
    """A quiz was asked; ``mistake`` is the number of the one that it repeats."""

    request: dict[str, Any]
    mistake: int | None


@dataclass(frozen=True, kw_only=True)
class QuizAnswered(DomainEvent):
    """A quiz was answered."""

    street: int | None
    ev_loss: float


class AskedQuiz(NamedTuple):
    """A quiz that waits for its answer."""

    id: str
    request: SolveRequest
    mistake: int | None


class Solved(NamedTuple):
    """An answered quiz; ``mistake`` is its number in the log, if it was one."""

    grade: Grade
    mistake: int | None


class Step(NamedTuple):
    """One answer in the log."""

    at: datetime
    street: int | None
    ev_loss: float


class Quizzes:
    """All quizzes of a service."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def ask(
        self, rules: str, street: int, difficulty: Difficulty, seed: int | None, objective: ObjectiveName
    ) -> AskedQuiz:
        """Find a position as hard as it is wanted."""
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
        )
        return self._ask(quiz.request, None)

    def retry(self, mistake: int) -> AskedQuiz:
        """Ask a mistake again."""
        return self._ask(self._store.mistakes.get(mistake).request, mistake)

    def _ask(self, request: SolveRequest, mistake: int | None) -> AskedQuiz:
        quiz = AskedQuiz(secrets.token_urlsafe(9), request, mistake)
        data = request.model_dump(mode="json", exclude_defaults=True)
        self._store.events.add([QuizAsked(aggregate_id=quiz.id, request=data, mistake=mistake)])
        return quiz

    def check(self, quiz_id: str, rows: tuple[tuple[str, ...], ...]) -> tuple[AskedQuiz, Plan, SeatView, Action]:
        """Return a quiz and an answer to it, or raise what is wrong with that; a quiz is answered once."""
        quiz = self._find(quiz_id)
        planned = plan(quiz.request)
        view = view_of(planned)
        return quiz, planned, view, quiz_action(view, rows)

    def answer(self, quiz_id: str, rows: tuple[tuple[str, ...], ...]) -> Solved:
        """Grade an answer, and keep it."""
        quiz, planned, view, action = self.check(quiz_id, rows)
        found = self._answer(planned)
        grade = grade_by(found, view, action, planned)
        self._store.events.add([QuizAnswered(aggregate_id=quiz.id, street=found.street, ev_loss=grade.loss)])
        return Solved(grade, self._log(quiz, rows, grade))

    def _log(self, quiz: AskedQuiz, rows: tuple[tuple[str, ...], ...], grade: Grade) -> int | None:
        """Keep a mistake, or note that an old one was tried again; return its number."""
        wrong = grade.loss >= MISTAKE
        if quiz.mistake is not None:
            self._store.mistakes.retry(quiz.mistake, solved=not wrong)
            return quiz.mistake
        if not wrong:
            return None
        chosen = dict(zip(("top", "middle", "back", "discards"), map(list, rows), strict=True))
        return self._store.mistakes.add(quiz.request, chosen, grade.loss, grade.answer)

    def _find(self, quiz_id: str) -> AskedQuiz:
        events = {event.kind: event.data for event in self._store.events.stream(quiz_id)}
        asked = events.get(QuizAsked.__name__)
        if asked is None:
            raise Refusal(HTTPStatus.NOT_FOUND, InputError("there is no quiz {id}", id=quiz_id[:40]))
        if QuizAnswered.__name__ in events:
            raise PhaseError("this quiz was answered already")
        return AskedQuiz(quiz_id, read_request(asked["request"]), asked["mistake"])

    def _answer(self, question: SolveRequest | Plan) -> Answer:
        return solve_stored(question, self._store)

    def progress(self) -> Iterator[Step]:
        """Yield every answer so far, oldest first."""
        for event in self._store.events.stream(kind=QuizAnswered.__name__):
            yield Step(event.occurred_at, event.data["street"], event.data["ev_loss"])
