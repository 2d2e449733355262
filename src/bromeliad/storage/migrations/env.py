"""Runs Alembic in the transaction of the connection that ``storage.database`` passes."""

from alembic import context

from bromeliad.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
