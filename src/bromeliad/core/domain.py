"""What every domain model stands on: entities, aggregate roots and the events that they raise."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ParamSpec

from bromeliad.errors import DomainException

__all__ = ["AggregateRoot", "DomainEvent", "Entity", "now", "passes"]

P = ParamSpec("P")


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def passes(verify: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Say whether a ``verify_x`` lets this pass: what makes a ``can_x`` of it."""
    try:
        verify(*args, **kwargs)
    except DomainException:
        return False
    return True


@dataclass(frozen=True, kw_only=True)
class DomainEvent:
    """Something that happened to an aggregate: immutable and hashable.

    Fields are given by name, so that an event may add fields without defaults after these, which have them.
    """

    aggregate_id: str
    occurred_at: datetime = field(default_factory=now)
    event_version: int = 1

    def __post_init__(self) -> None:
        if self.occurred_at.utcoffset() is None:
            raise DomainException("an event needs a time with its time zone, such as datetime.now(UTC)")


class Entity:
    """Something that stays the same while it changes: equal to another if class and id are."""

    def __init__(self, entity_id: str) -> None:
        if not entity_id:
            raise DomainException("an id may not be empty")
        self._id = entity_id

    @property
    def id(self) -> str:
        """What tells this entity from others of its class."""
        return self._id

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Entity) and other.id == self.id

    def __hash__(self) -> int:
        return hash((type(self), self._id))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._id!r})"


class AggregateRoot(Entity):
    """The entity through which a group of objects is changed; it keeps the events until somebody pulls them."""

    def __init__(self, entity_id: str) -> None:
        super().__init__(entity_id)
        self._events: list[DomainEvent] = []

    @property
    def domain_events(self) -> tuple[DomainEvent, ...]:
        """The events that nobody has pulled yet, oldest first."""
        return tuple(self._events)

    def raise_domain_event(self, event: DomainEvent) -> None:
        """Keep an event of this aggregate until it is pulled."""
        if event.aggregate_id != self.id:
            raise DomainException(
                "an event of {other!r} cannot be raised by {own!r}", other=event.aggregate_id, own=self.id
            )
        self._events.append(event)

    def pull_domain_events(self) -> tuple[DomainEvent, ...]:
        """Return the events since the last pull, oldest first, and forget them."""
        events = self.domain_events
        self._events.clear()
        return events
