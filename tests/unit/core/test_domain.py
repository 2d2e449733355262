from dataclasses import FrozenInstanceError, dataclass
from datetime import UTC, datetime

import pytest

from bromeliad.core.domain import AggregateRoot, DomainEvent, Entity, passes
from bromeliad.errors import DomainException, PhaseError


@dataclass(frozen=True, kw_only=True)
class Happened(DomainEvent):
    what: str


class Other(Entity):
    pass


def test_entities_are_equal_by_class_and_id():
    assert Entity("a") == Entity("a")
    assert hash(Entity("a")) == hash(Entity("a"))
    assert Entity("a") != Entity("b")
    assert Entity("a") != Other("a")
    assert Entity("a") != "a"
    assert repr(Other("a")) == "Other('a')"


def test_an_entity_needs_an_id():
    with pytest.raises(DomainException, match="may not be empty"):
        Entity("")


def test_events_are_frozen_hashable_and_timed_in_utc():
    event = Happened(aggregate_id="a", what="rain")
    assert event.occurred_at.tzinfo is UTC
    assert event.event_version == 1
    assert hash(event) == hash(Happened(aggregate_id="a", what="rain", occurred_at=event.occurred_at))
    with pytest.raises(FrozenInstanceError):
        event.what = "sun"


def test_an_event_without_time_zone_is_refused():
    with pytest.raises(DomainException, match="time zone"):
        Happened(aggregate_id="a", what="rain", occurred_at=datetime(2026, 1, 1))


def test_events_wait_until_they_are_pulled():
    root = AggregateRoot("a")
    first, second = Happened(aggregate_id="a", what="1"), Happened(aggregate_id="a", what="2")
    root.raise_domain_event(first)
    root.raise_domain_event(second)
    assert root.domain_events == (first, second)
    assert root.pull_domain_events() == (first, second)
    assert root.domain_events == root.pull_domain_events() == ()


def test_an_aggregate_raises_only_its_own_events():
    root = AggregateRoot("a")
    with pytest.raises(DomainException, match="'b' cannot be raised by 'a'"):
        root.raise_domain_event(Happened(aggregate_id="b", what="1"))
    assert root.domain_events == ()


def test_passes_turns_a_refusal_into_no_and_lets_mistakes_through():
    def verify(value: int) -> None:
        if value < 0:
            raise PhaseError("no")
        _ = 1 // value

    assert passes(verify, 1)
    assert not passes(verify, -1)
    with pytest.raises(ZeroDivisionError):
        passes(verify, 0)
