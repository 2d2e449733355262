"""Stars and notes of hands."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

ROW = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of stars and notes."""
    op.create_table(
        "notes",
        sa.Column("hand_id", ROW, autoincrement=False, nullable=False),
        sa.Column("starred", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], name="fk_notes_hand_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hand_id", name="pk_notes"),
    )


def downgrade() -> None:
    """Drop the table of stars and notes."""
    op.drop_table("notes")
