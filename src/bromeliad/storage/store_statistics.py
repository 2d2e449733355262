"""What is in a store, in numbers."""

from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import func, select, text

from bromeliad.storage.results import LibraryStatistics
from bromeliad.storage.schema import decisions, events, games, hands, jobs, mistakes, sessions
from bromeliad.storage.store import Store

__all__ = ["StoreFacts", "facts_of"]

_COUNTED = (games, hands, decisions, sessions, events, mistakes, jobs)


class StoreFacts(NamedTuple):
    """How large a store is, and how often its answers were of use."""

    place: str
    bytes: int
    rows: dict[str, int]  # by table
    library: LibraryStatistics

    def to_json(self) -> dict[str, Any]:
        """Return the facts as plain data."""
        library = self.library
        shelves = [shelf._asdict() for shelf in library.shelves]
        results = {**library._asdict(), "hit_rate": library.hit_rate, "shelves": shelves}
        return {"place": self.place, "bytes": self.bytes, **self.rows, "results": results}


def facts_of(store: Store) -> StoreFacts:
    """Return the facts of a store."""
    with store.reading() as connection:
        rows = {table.name: connection.scalar(select(func.count()).select_from(table)) or 0 for table in _COUNTED}
        if connection.dialect.name == "postgresql":
            size = int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
        else:
            files = Path(str(store.url.database)), Path(f"{store.url.database}-wal")
            size = sum(file.stat().st_size for file in files if file.exists())
    return StoreFacts(str(store), size, rows, store.results.statistics())
