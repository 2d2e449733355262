"""The base of the domain models: entities, aggregate roots and their events."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ParamSpec

from bromeliad.errors import DomainException

P = ParamSpec("P")


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def passes(verify: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Return whether ``verify_x`` raises no DomainException: this turns it into ``can_x``."""
    try:
        verify(*args, **kwargs)
    except DomainException:
        return False
    return True


@dataclass(frozen=True, kw_only=True)
class DomainEvent:
    """Something that happened to an aggregate: immutable and hashable.

    Fields are keyword-only, so that subclasses may add fields without defaults.
    """

    aggregate_id: str
    occurred_at: datetime = field(default_factory=now)
    event_version: int = 1

    def __post_init__(self) -> None:
        if self.occurred_at.utcoffset() is None:
            raise DomainException("an event needs a time with its time zone, such as datetime.now(UTC)")


class Entity:
    """An object with an identity: equal to any other with the same class and id."""

    def __init__(self, entity_id: str) -> None:
        if not entity_id:
            raise DomainException("an id may not be empty")
        self._id = entity_id

    @property
    def id(self) -> str:
        """The identifier, unique among entities of the class."""
        return self._id

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Entity) and other.id == self.id

    def __hash__(self) -> int:
        return hash((type(self), self._id))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._id!r})"


class AggregateRoot(Entity):
    """The entity through which a group of objects is changed; it keeps its events until they are pulled."""

    def __init__(self, entity_id: str) -> None:
        super().__init__(entity_id)
        self._events: list[DomainEvent] = []

    @property
    def domain_events(self) -> tuple[DomainEvent, ...]:
        """The events that have not been pulled yet, oldest first."""
        return tuple(self._events)

    def raise_domain_event(self, event: DomainEvent) -> None:
        """Keep an event of this aggregate until it is pulled."""
        if event.aggregate_id != self.id:
            raise DomainException(
                "an event of {other!r} cannot be raised by {own!r}", other=event.aggregate_id, own=self.id
            )
        self._events.append(event)

    def pull_domain_events(self) -> tuple[DomainEvent, ...]:
        """Return and remove the events since the last pull, oldest first."""
        events = self.domain_events
        self._events.clear()
        return events
