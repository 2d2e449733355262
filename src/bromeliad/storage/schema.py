"""The tables, described in docs/storage.md; migrations/ has the changes from version to version."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeDecorator

HEAD = "0005"
"""The newest migration. An existing store of this version is opened without Alembic."""

Identity = BigInteger().with_variant(Integer(), "sqlite")
"""The type of ids: SQLite numbers rows automatically only in INTEGER columns."""

Plain = JSON(none_as_null=True)
"""The type of JSON data; None is stored as NULL."""


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC: SQLite does not store time zones, so all times are written in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time as the database stores it."""
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError("a stored time needs its time zone, such as datetime.now(UTC)")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return the time with its time zone."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

games = Table(
    "games",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("rules", Text, nullable=False),  # name of the rules
    Column("source", String(20), nullable=False),  # play, match, import, page …
    Column("label", Text, nullable=False),  # the name of a file, or of the players
    Column("created_at", UtcTime, nullable=False),
)

hands = Table(
    "hands",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("game_id", ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),  # within its game, ascending
    Column("rules", Text, nullable=False),
    Column("line", Text, nullable=False),  # the hand history, byte for byte as it is exported
    Column("digest", String(32), nullable=False, index=True),  # hash of the line, by which a second import finds it
    Column("played_at", UtcTime, nullable=False),
    UniqueConstraint("game_id", "number"),
)

seats = Table(
    "seats",
    metadata,
    Column("hand_id", ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True),  # from 1; seat 1 acts first
    Column("player", Text, nullable=False, index=True),
    Column("fantasyland", SmallInteger, nullable=False),  # fantasyland cards, 0 for a normal hand
    Column("points", Integer, nullable=False),
    Column("royalties", Integer, nullable=False),
    Column("fouled", Boolean, nullable=False),
    Column("next_fantasyland", SmallInteger, nullable=False),
    Column("top_type", SmallInteger),  # index into automaton.CATEGORIES; null for a low middle or after a foul
    Column("middle_type", SmallInteger),
    Column("back_type", SmallInteger),
    Column("scoops", SmallInteger, nullable=False),  # opponents that this seat scooped
    Column("scooped", SmallInteger, nullable=False),  # opponents that scooped this seat
    Column("luck", Float),  # luck of the deals in points; null until computed
)

decisions = Table(
    "decisions",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("hand_id", ForeignKey("hands.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("seat", SmallInteger, nullable=False),
    Column("player", Text, nullable=False),
    Column("street", SmallInteger),  # from 1; null in fantasyland
    Column("cards", Text, nullable=False),  # the cards in hand
    Column("board", Text, nullable=False),  # before the placement, as a board string
    Column("placed", Text, nullable=False),  # the cards added to the rows, as a board string
    Column("discards", Text, nullable=False),
    Column("ev", Float),  # this and all following columns are null until reviewed
    Column("best_ev", Float),
    Column("ev_loss", Float),
    Column("stderr", Float),
    Column("exact", Boolean),
    Column("better", Plain),  # the best placement
    Column("method", String(20)),
)

notes = Table(
    "notes",
    metadata,
    Column("hand_id", ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True),
    Column("starred", Boolean, nullable=False),
    Column("text", Text, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(200), primary_key=True),
    Column("request", Plain, nullable=False),  # the question
    Column("key", String(64)),  # the key of its answer in the results table
    Column("status", String(20), nullable=False, index=True),
    Column("progress", Float, nullable=False),
    Column("best", Plain),
    Column("stats", Plain, nullable=False),
    Column("algorithm", String(20), nullable=False),
    Column("time_limit", Float, nullable=False),
    Column("reason", Text),  # why it ended without an answer
    Column("started_at", UtcTime),
    Column("ended_at", UtcTime),
)

results = Table(
    "results",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("key", String(64), nullable=False),  # hash of the position up to suits, with rules and objective
    Column("asked", String(64), nullable=False),  # hash of the position in its suits, memory, policy and early stop
    Column("rules", Text, nullable=False),  # name of the rules
    Column("objective", String(10), nullable=False),
    Column("street", SmallInteger),
    Column("exact", Boolean, nullable=False),
    Column("method", String(20), nullable=False),
    Column("simulations", Integer),  # requested; null if the budget was a time
    Column("seed", Identity, nullable=False),
    Column("time", Float),  # requested seconds; null if the budget was simulations
    Column("threads", Integer, nullable=False),
    Column("answer", Text, nullable=False),  # JSON, in canonical suits
    Column("weights", String(64), nullable=False),  # hash of version, weights, policy and early stop; empty if exact
    Column("created_at", UtcTime, nullable=False),
    Column("hits", Integer, nullable=False, default=0),
    Index("ix_results_key_exact", "key", "exact"),
)

counters = Table(
    "counters", metadata, Column("name", String(40), primary_key=True), Column("value", Identity, nullable=False)
)

events = Table(
    "events",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("aggregate_id", String(200), nullable=False, index=True),
    Column("kind", String(60), nullable=False, index=True),
    Column("occurred_at", UtcTime, nullable=False),
    Column("version", SmallInteger, nullable=False),
    Column("data", Plain, nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("client", String(100), nullable=False),
    Column("game", String(20), nullable=False),
    Column("request", Plain, nullable=False),
    Column("deeper", Boolean, nullable=False),
    Column("keep", Boolean, nullable=False),
    Column("status", String(20), nullable=False, index=True),  # queued (or running), completed, aborted, interrupted
    Column("answer", Text),  # JSON
    Column("reason", Text),  # why the job ended early
    Column("error", Text),
    Column("elapsed_s", Float, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
)

secrets = Table(
    "secrets", metadata, Column("name", String(40), primary_key=True), Column("value", String(64), nullable=False)
)

mistakes = Table(
    "mistakes",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("request", Plain, nullable=False),  # the spot
    Column("chosen", Plain, nullable=False),  # the player's placement
    Column("ev_loss", Float, nullable=False),
    Column("answer", Plain, nullable=False),  # the solver's answer
    Column("created_at", UtcTime, nullable=False),
    Column("retried", Integer, nullable=False, default=0),
    Column("solved", Boolean, nullable=False, default=False),
    Column("client", String(100), nullable=False, server_default=""),  # empty if everybody sees the mistake
)

lessons = Table(
    "lessons",
    metadata,
    Column("id", Identity, primary_key=True),
    Column("client", String(100), nullable=False),
    Column("request", Plain, nullable=False),  # the spot
    Column("themes", Plain, nullable=False),
    Column("mistake_id", ForeignKey("mistakes.id", ondelete="CASCADE")),
    Column("card", Plain, nullable=False),  # state of the scheduler (FSRS)
    Column("due", UtcTime, nullable=False),
    Column("reviews", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_lessons_client_due", "client", "due"),
)
