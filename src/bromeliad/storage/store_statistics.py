"""The size of a store in numbers."""

from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import func, select, text

from bromeliad.storage.results import ResultStatistics
from bromeliad.storage.schema import decisions, events, games, hands, jobs, mistakes, sessions
from bromeliad.storage.store import Store

_COUNTED = (games, hands, decisions, sessions, events, mistakes, jobs)


class StoreStatistics(NamedTuple):
    """The size of a store, and the use of its answers."""

    place: str
    bytes: int
    rows: dict[str, int]  # by table
    results: ResultStatistics

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as plain data."""
        results = self.results._asdict()
        results["shelves"] = [street._asdict() for street in results.pop("streets")]
        results["hit_rate"] = self.results.hit_rate
        return {"place": self.place, "bytes": self.bytes, **self.rows, "results": results}


def store_statistics(store: Store) -> StoreStatistics:
    """Return the size of a store, the number of rows by table, and the use of its answers."""
    with store.reading() as connection:
        rows = {table.name: connection.scalar(select(func.count()).select_from(table)) or 0 for table in _COUNTED}
        if connection.dialect.name == "postgresql":
            size = int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)
        else:
            files = Path(str(store.url.database)), Path(f"{store.url.database}-wal")
            size = sum(file.stat().st_size for file in files if file.exists())
    return StoreStatistics(str(store), size, rows, store.results.statistics())
