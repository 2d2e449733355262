"""Storage: data kept between runs, in one SQLite file or a PostgreSQL database."""

from bromeliad.storage.store import Store as Store
from bromeliad.storage.store import open_store as open_store
