"""Adding many rows at once: the statement is made once, and the rows go to the driver as they are."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Table, insert

__all__ = ["insert_many"]


def insert_many(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, all with the same columns, within somebody's transaction.

    SQLAlchemy's own way costs several times what SQLite needs for a row. It is taken only where a column's values have
    to be translated, as plain data have, and for PostgreSQL, where other things cost more.
    """
    if not rows:
        return
    names, dialect = tuple(rows[0]), connection.dialect
    translated = [name for name in names if table.c[name].type.dialect_impl(dialect).bind_processor(dialect)]
    if dialect.name != "sqlite" or set(translated) - _flags(table):
        connection.execute(insert(table), rows)
        return
    statement = insert(table).compile(dialect=dialect, column_keys=list(names))
    order = statement.positiontup or names
    connection.exec_driver_sql(str(statement), list(map(itemgetter(*order), rows)))


def _flags(table: Table) -> set[str]:
    """Return the columns of true and false, which SQLite's driver takes as they are."""
    return {column.name for column in table.c if column.type.python_type is bool}
