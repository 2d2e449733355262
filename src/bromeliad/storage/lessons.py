"""Lessons: spots that a client repeats, each with its state of spaced repetition."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import insert, select, update

from bromeliad.core.domain import now
from bromeliad.solving.request import SolveRequest, read_request
from bromeliad.storage.repository import Repository, matching
from bromeliad.storage.schema import lessons


class StoredLesson(NamedTuple):
    """A spot to repeat."""

    id: int
    client: str
    request: SolveRequest
    themes: list[str]
    mistake_id: int | None  # the mistake that it comes from
    card: dict[str, Any]  # of the scheduler
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
        """Add a lesson that was answered once, and return its number."""
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
            return int(connection.scalar(insert(lessons).returning(lessons.c.id), row) or 0)

    def list(
        self, client: str, *, due: datetime | None = None, mistake_id: int | None = None
    ) -> Iterator[StoredLesson]:
        """Yield the lessons of a client, ordered by due date: all, those due by a time, or of a mistake."""
        query = matching(select(*lessons.c), {lessons.c.client: client, lessons.c.mistake_id: mistake_id})
        if due is not None:
            query = query.where(lessons.c.due <= due)
        for row in self._stream(query.order_by(lessons.c.due, lessons.c.id)):
            yield StoredLesson(**{**row._mapping, "request": read_request(row.request)})

    def review(self, lesson_id: int, card: dict[str, Any], due: datetime, mistake_id: int | None = None) -> None:
        """Record another answer: the new state, and a mistake if it was one."""
        values: dict[str, Any] = {"card": card, "due": due, "reviews": lessons.c.reviews + 1}
        if mistake_id is not None:
            values["mistake_id"] = mistake_id
        with self._store.writing() as connection:
            connection.execute(update(lessons).where(lessons.c.id == lesson_id).values(values))
