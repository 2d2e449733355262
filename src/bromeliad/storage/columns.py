"""Column types that SQLite and PostgreSQL keep alike."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer
from sqlalchemy.types import TypeDecorator

__all__ = ["Identity", "Plain", "UtcTime"]

Identity = BigInteger().with_variant(Integer(), "sqlite")
"""Numbers of rows; SQLite counts up by itself only what is called INTEGER."""

Plain = JSON(none_as_null=True)
"""Plain data; None is stored as NULL."""


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC: SQLite forgets time zones, so none but UTC is ever written."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the moment as the database keeps it."""
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError("a stored time needs its time zone, such as datetime.now(UTC)")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return the moment with its time zone."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
