"""What every repository is: a view of the store."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, Select

if TYPE_CHECKING:
    from bromeliad.storage.store import Store

__all__ = ["Repository"]

_AT_ONCE = 1000


class Repository:
    """Some tables of a store."""

    def __init__(self, store: "Store") -> None:
        self._store = store

    def _stream(self, query: "Select[Any]", at_once: int = _AT_ONCE) -> "Iterator[Row[Any]]":
        """Yield what a query finds, so many rows in memory at a time."""
        with (
            self._store.reading() as connection,
            connection.execution_options(yield_per=at_once).execute(query) as found,
        ):
            yield from found
