"""Domain events, in the order in which they were stored."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select

from bromeliad.core.domain import DomainEvent
from bromeliad.storage.json_columns import to_plain
from bromeliad.storage.repository import Repository, matching
from bromeliad.storage.schema import events

_OWN_COLUMNS = {field.name for field in fields(DomainEvent)}


class StoredEvent(NamedTuple):
    """A stored event: ``kind`` is the name of its class, ``data`` has the fields that the class adds."""

    id: int
    aggregate_id: str
    kind: str
    occurred_at: datetime
    version: int
    data: dict[str, Any]


def insert_events(connection: Connection, news: Iterable[DomainEvent]) -> int:
    """Add events within the caller's transaction, and return their number."""
    rows = [
        {
            "aggregate_id": event.aggregate_id,
            "kind": type(event).__name__,
            "occurred_at": event.occurred_at,
            "version": event.event_version,
            "data": {
                field.name: to_plain(getattr(event, field.name))
                for field in fields(event)
                if field.name not in _OWN_COLUMNS
            },
        }
        for event in news
    ]
    if rows:
        connection.execute(insert(events), rows)
    return len(rows)


class Events(Repository):
    """The domain events of a store."""

    def add(self, news: Iterable[DomainEvent]) -> int:
        """Add events in their order, and return their number."""
        with self._store.writing() as connection:
            return insert_events(connection, news)

    def stream(self, aggregate_id: str | None = None, kind: str | None = None) -> Iterator[StoredEvent]:
        """Yield events, oldest first: all, those of one aggregate, or those of one kind."""
        wanted = {events.c.aggregate_id: aggregate_id, events.c.kind: kind}
        return map(StoredEvent._make, self._stream(matching(select(*events.c).order_by(events.c.id), wanted)))
