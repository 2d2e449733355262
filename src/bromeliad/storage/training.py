"""Training: mistakes, which are spots to try again, and lessons, which are spots that a client repeats."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, select, update

from bromeliad.core.domain import now
from bromeliad.errors import NotStoredError
from bromeliad.solving.answer import Answer
from bromeliad.solving.request import SolveRequest, read_request
from bromeliad.storage.repository import Repository, insert_one, matching
from bromeliad.storage.schema import lessons, mistakes


class StoredMistake(NamedTuple):
    """A mistake: the spot, the chosen placement (plain data), its loss, and the solver's answer."""

    id: int
    request: SolveRequest
    chosen: Any
    ev_loss: float
    answer: Answer
    created_at: datetime
    retried: int
    solved: bool
    client: str


class Mistakes(Repository):
    """The mistakes of a store."""

    def add(self, request: SolveRequest, chosen: Any, ev_loss: float, answer: Answer, client: str = "") -> int:
        """Add a mistake of a client, and return its id."""
        row = {
            "request": request.model_dump(mode="json", exclude_defaults=True),
            "chosen": chosen,
            "ev_loss": ev_loss,
            "answer": answer.model_dump(mode="json"),
            "created_at": now(),
            "client": client,
        }
        with self._store.writing() as connection:
            return insert_one(connection, mistakes, row)

    def get(self, mistake_id: int) -> StoredMistake:
        """Return one mistake, or raise NotStoredError."""
        row = self._first(select(*mistakes.c).where(mistakes.c.id == mistake_id))
        if row is None:
            raise NotStoredError("there is no mistake {number} in the store", number=mistake_id)
        return _read(row)

    def list(
        self, *, solved: bool | None = None, client: str | None = None, limit: int | None = None
    ) -> Iterator[StoredMistake]:
        """Yield mistakes, costliest first: all, those that a client sees, or those that are (or are not) solved."""
        query = select(*mistakes.c).order_by(mistakes.c.ev_loss.desc(), mistakes.c.id).limit(limit)
        if client is not None:
            query = query.where(mistakes.c.client.in_(("", client)))
        return map(_read, self._stream(matching(query, {mistakes.c.solved: solved})))

    def retry(self, mistake_id: int, *, solved: bool) -> None:
        """Record another try at a mistake, and whether it was solved."""
        change = update(mistakes).where(mistakes.c.id == mistake_id)
        with self._store.writing() as connection:
            connection.execute(change.values(retried=mistakes.c.retried + 1, solved=solved))

    def remove(self, mistake_id: int) -> None:
        """Remove a mistake."""
        with self._store.writing() as connection:
            connection.execute(delete(mistakes).where(mistakes.c.id == mistake_id))


def _read(row: Any) -> StoredMistake:
    return StoredMistake(
        **{**row._mapping, "request": read_request(row.request), "answer": Answer.model_validate(row.answer)}
    )


class StoredLesson(NamedTuple):
    """A spot to repeat, with its state of spaced repetition."""

    id: int
    client: str
    request: SolveRequest
    themes: list[str]
    mistake_id: int | None  # the last mistake made on this spot
    card: dict[str, Any]  # state of the scheduler (FSRS)
    due: datetime
    reviews: int
    created_at: datetime


class Lessons(Repository):
    """The lessons of a store."""

    def add(
        self,
        client: str,
        request: SolveRequest,
        themes: tuple[str, ...],
        card: dict[str, Any],
        due: datetime,
        mistake_id: int | None = None,
    ) -> int:
        """Add a lesson that was answered once, and return its id."""
        row = {
            "client": client,
            "request": request.model_dump(mode="json", exclude_defaults=True),
            "themes": list(themes),
            "mistake_id": mistake_id,
            "card": card,
            "due": due,
            "reviews": 1,
            "created_at": now(),
        }
        with self._store.writing() as connection:
            return insert_one(connection, lessons, row)

    def list(
        self, client: str, *, due: datetime | None = None, mistake_id: int | None = None
    ) -> Iterator[StoredLesson]:
        """Yield the lessons of a client, ordered by due time: all, those due by ``due``, or those of one mistake."""
        query = matching(select(*lessons.c), {lessons.c.client: client, lessons.c.mistake_id: mistake_id})
        if due is not None:
            query = query.where(lessons.c.due <= due)
        for row in self._stream(query.order_by(lessons.c.due, lessons.c.id)):
            yield StoredLesson(**{**row._mapping, "request": read_request(row.request)})

    def review(self, lesson_id: int, card: dict[str, Any], due: datetime, mistake_id: int | None = None) -> None:
        """Record another answer: the scheduler's new state, and the mistake if the answer was wrong."""
        values: dict[str, Any] = {"card": card, "due": due, "reviews": lessons.c.reviews + 1}
        if mistake_id is not None:
            values["mistake_id"] = mistake_id
        with self._store.writing() as connection:
            connection.execute(update(lessons).where(lessons.c.id == lesson_id).values(values))
