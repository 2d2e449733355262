"""Lessons to repeat, and the clients of mistakes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ROW = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of lessons and the clients of mistakes."""
    op.create_table(
        "lessons",
        sa.Column("id", ROW, nullable=False),
        sa.Column("client", sa.String(length=100), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("themes", sa.JSON(), nullable=False),
        sa.Column("mistake_id", ROW),
        sa.Column("card", sa.JSON(), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reviews", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["mistake_id"], ["mistakes.id"], name="fk_lessons_mistake_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_lessons"),
    )
    op.create_index("ix_lessons_client_due", "lessons", ["client", "due"])
    op.add_column("mistakes", sa.Column("client", sa.String(length=100), nullable=False, server_default=""))


def downgrade() -> None:
    """Drop the table of lessons and the clients of mistakes."""
    op.drop_table("lessons")
    op.drop_column("mistakes", "client")
