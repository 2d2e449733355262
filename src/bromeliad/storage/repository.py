"""What every repository is: a view of the store."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bromeliad.storage.store import Store

__all__ = ["Repository"]


class Repository:
    """Some tables of a store."""

    def __init__(self, store: "Store") -> None:
        self._store = store
