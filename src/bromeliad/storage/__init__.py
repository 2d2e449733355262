"""Storage: what is kept between runs, in one SQLite file or a PostgreSQL database."""

from bromeliad.storage.store import Store, open_store

__all__ = ["Store", "open_store"]
