"""One service a store: a second one would take the first one's jobs for left behind."""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import text

from bromeliad.errors import StoreError
from bromeliad.storage.store import Store

__all__ = ["sole_service"]

_LOCK = 0x62726F6D  # the number of our advisory lock


def sole_service(store: Store) -> AbstractContextManager[None]:
    """Hold a store for this service until the end of the block; the end of the process lets go of it, too.

    Raises
    ------
    StoreError
        If another service holds it.
    """
    if store.url.get_backend_name() == "postgresql":
        return _by_server(store)
    return nullcontext() if store.file is None else _by_file(store.file)


@contextmanager
def _by_server(store: Store) -> Iterator[None]:
    with store.reading() as connection:
        lock = {"lock": _LOCK}
        if not connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), lock):
            raise _taken(store)
        connection.commit()  # the lock belongs to the connection, not to a transaction
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), lock)


@contextmanager
def _by_file(file: Path) -> Iterator[None]:
    """Hold a file beside the store by SQLite's own lock, which all systems have and which dies with its process."""
    with closing(sqlite3.connect(f"{file}-service", timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise _taken(file) from None
        yield


def _taken(place: object) -> StoreError:
    return StoreError("{store}: another service uses this store; end it, or give another --store", store=str(place))
