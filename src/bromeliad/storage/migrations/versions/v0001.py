"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ROW = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "counters",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", ROW, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counters"),
    )
    op.create_table(
        "events",
        sa.Column("id", ROW, nullable=False),
        sa.Column("aggregate_id", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.SmallInteger(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_aggregate_id", "events", ["aggregate_id"])
    op.create_index("ix_events_kind", "events", ["kind"])
    op.create_table(
        "games",
        sa.Column("id", ROW, nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("source", sa.String(length=20), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
    )
    op.create_table(
        "mistakes",
        sa.Column("id", ROW, nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("chosen", sa.JSON(), nullable=False),
        sa.Column("ev_loss", sa.Float(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retried", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mistakes"),
    )
    op.create_table(
        "results",
        sa.Column("id", ROW, nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("asked", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("objective", sa.String(length=10), nullable=False),
        sa.Column("street", sa.SmallInteger()),
        sa.Column("exact", sa.Boolean(), nullable=False),
        sa.Column("method", sa.String(length=20), nullable=False),
        sa.Column("simulations", sa.Integer()),
        sa.Column("seed", ROW, nullable=False),
        sa.Column("time", sa.Float()),
        sa.Column("threads", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("weights", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_results"),
    )
    op.create_index("ix_results_key_exact", "results", ["key", "exact"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("key", sa.String(length=64)),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("progress", sa.Float(), nullable=False),
        sa.Column("best", sa.JSON()),
        sa.Column("stats", sa.JSON(), nullable=False),
        sa.Column("algorithm", sa.String(length=20), nullable=False),
        sa.Column("time_limit", sa.Float(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
    )
    op.create_index("ix_sessions_status", "sessions", ["status"])
    op.create_table(
        "hands",
        sa.Column("id", ROW, nullable=False),
        sa.Column("game_id", ROW, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=32), nullable=False),
        sa.Column("played_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_hands_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_hands"),
        sa.UniqueConstraint("game_id", "number", name="uq_hands_game_id_number"),
    )
    op.create_index("ix_hands_digest", "hands", ["digest"])
    op.create_table(
        "decisions",
        sa.Column("id", ROW, nullable=False),
        sa.Column("hand_id", ROW, nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("street", sa.SmallInteger()),
        sa.Column("cards", sa.Text(), nullable=False),
        sa.Column("board", sa.Text(), nullable=False),
        sa.Column("placed", sa.Text(), nullable=False),
        sa.Column("discards", sa.Text(), nullable=False),
        sa.Column("ev", sa.Float()),
        sa.Column("best_ev", sa.Float()),
        sa.Column("ev_loss", sa.Float()),
        sa.Column("stderr", sa.Float()),
        sa.Column("exact", sa.Boolean()),
        sa.Column("better", sa.JSON()),
        sa.Column("method", sa.String(length=20)),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], name="fk_decisions_hand_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
    )
    op.create_index("ix_decisions_hand_id", "decisions", ["hand_id"])
    op.create_table(
        "seats",
        sa.Column("hand_id", ROW, nullable=False),
        sa.Column("seat", sa.SmallInteger(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("fantasyland", sa.SmallInteger(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("royalties", sa.Integer(), nullable=False),
        sa.Column("fouled", sa.Boolean(), nullable=False),
        sa.Column("next_fantasyland", sa.SmallInteger(), nullable=False),
        sa.Column("top_type", sa.SmallInteger()),
        sa.Column("middle_type", sa.SmallInteger()),
        sa.Column("back_type", sa.SmallInteger()),
        sa.Column("scoops", sa.SmallInteger(), nullable=False),
        sa.Column("scooped", sa.SmallInteger(), nullable=False),
        sa.Column("luck", sa.Float()),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], name="fk_seats_hand_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hand_id", "seat", name="pk_seats"),
    )
    op.create_index("ix_seats_player", "seats", ["player"])


def downgrade() -> None:
    """Drop the tables, with their indexes."""
    op.drop_table("seats")
    op.drop_table("decisions")
    op.drop_table("hands")
    op.drop_table("sessions")
    op.drop_table("results")
    op.drop_table("mistakes")
    op.drop_table("games")
    op.drop_table("events")
    op.drop_table("counters")
