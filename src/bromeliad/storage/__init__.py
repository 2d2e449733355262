"""Storage: data kept between runs, in one SQLite file or a PostgreSQL database."""

from typing import TYPE_CHECKING

from bromeliad.lazy import offer

if TYPE_CHECKING:
    from bromeliad.storage.store import Store as Store
    from bromeliad.storage.store import open_store as open_store

__getattr__, __all__ = offer(__name__, {"bromeliad.storage.store": "Store open_store"})
