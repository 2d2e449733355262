"""The base of all repositories: reading row by row, and adding many rows at once."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Select, Table, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from bromeliad.storage.store import Store

_AT_ONCE = 1000


class Repository:
    """Access to some tables of a store."""

    def __init__(self, store: "Store") -> None:
        self._store = store

    def _stream(self, query: "Select[Any]", at_once: int = _AT_ONCE) -> "Iterator[Row[Any]]":
        """Yield the rows of a query, with ``at_once`` rows in memory at a time."""
        with (
            self._store.reading() as connection,
            connection.execution_options(yield_per=at_once).execute(query) as found,
        ):
            yield from found

    def _first(self, query: "Select[Any]") -> "Row[Any] | None":
        """Return the first row of a query; None if there is none."""
        with self._store.reading() as connection:
            return connection.execute(query).first()

    def _count(self, table: Table) -> int:
        with self._store.reading() as connection:
            return connection.scalar(select(func.count()).select_from(table)) or 0


def matching(query: "Select[Any]", wanted: Mapping[Any, object]) -> "Select[Any]":
    """Return the query limited to rows that have the wanted value in each column; None allows any value."""
    return query.where(*(column == value for column, value in wanted.items() if value is not None))


def dialect_insert(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an insert for the connection's database that can have an ON CONFLICT clause."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def insert_one(connection: Connection, table: Table, row: Mapping[str, Any]) -> int:
    """Add a row within the caller's transaction, and return its id."""
    return int(connection.execute(insert(table).returning(table.c.id), row).scalar_one())


def insert_many(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows, all with the same columns, within the caller's transaction.

    SQLAlchemy's insert takes several times as long as SQLite itself. It is used only if values have to be translated
    (JSON), and for PostgreSQL, where its share of the time is small.
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
    """Return the boolean columns, whose values SQLite's driver accepts as they are."""
    return {column.name for column in table.c if column.type.python_type is bool}
