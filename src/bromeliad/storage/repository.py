"""The base of all repositories: reading row by row, and adding many rows at once."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Select, Table, insert

if TYPE_CHECKING:
    from bromeliad.storage.store import Store

_AT_ONCE = 1000


class Repository:
    """Some tables of a store."""

    def __init__(self, store: "Store") -> None:
        self._store = store

    def _stream(self, query: "Select[Any]", at_once: int = _AT_ONCE) -> "Iterator[Row[Any]]":
        """Yield what a query finds, ``at_once`` rows in memory at a time."""
        with (
            self._store.reading() as connection,
            connection.execution_options(yield_per=at_once).execute(query) as found,
        ):
            yield from found


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
