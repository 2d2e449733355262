"""The database: its location, the set-up of SQLite, schema versions, and the lock of the service."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import platformdirs
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, select, table, text
from sqlalchemy import column as sa_column
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from bromeliad.errors import StoreError
from bromeliad.storage.schema import HEAD

if TYPE_CHECKING:
    from bromeliad.storage.store import Store

WRITING = "writing"  # execution option of connections that will write
_PATIENCE_MS = 30_000  # the longest wait for another process's write
_MIGRATION_LOCK = 7_026_662  # this and the next: numbers of PostgreSQL's advisory locks
_SERVICE_LOCK = 0x62726F6D
_DEFAULT = "default"  # the default store, for options that need a value
_VERSION = table("alembic_version", sa_column("version_num"))


def store_url(place: str | Path | None = None) -> URL:
    """Return the URL of a store, given as a URL or as the path of an SQLite file.

    None or ``default`` means the store that ``BROMELIAD_STORE`` names, or else a file in the user's data directory.
    """
    place = os.environ.get("BROMELIAD_STORE", "") if place in (None, _DEFAULT) else str(place)
    if not place:
        directory = Path(platformdirs.user_data_dir("bromeliad", appauthor=False))
        return URL.create("sqlite", database=str(directory / "bromeliad.sqlite"))
    if "://" not in place:
        return URL.create("sqlite", database=str(Path(place).expanduser()))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):
        raise StoreError("not a URL of a store: write a path, or postgresql://user@host/database") from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise StoreError(
            "a store is an SQLite file or a PostgreSQL database, not {name}", name=url.get_backend_name()[:40]
        )
    return url


def make_engine(url: URL) -> Engine:
    """Return an engine for a URL, without opening a connection."""
    try:
        if url.get_backend_name() == "postgresql":
            return create_engine(url, pool_pre_ping=True)
        if url.database in (None, "", ":memory:"):
            raise StoreError("a store needs a file: write a path")
        engine = create_engine(url, connect_args={"timeout": _PATIENCE_MS / 1000})
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise StoreError("{problem}: PostgreSQL needs `pip install bromeliad[postgres]`", problem=str(error)) from None
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: Any, record: object) -> None:
    """Set up an SQLite connection; `_begin` begins transactions, because the driver would not before schema changes."""
    connection.isolation_level = None
    for setting in (f"busy_timeout={_PATIENCE_MS}", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}").close()


def _begin(connection: Connection) -> None:
    """Begin a transaction; one that will write takes the lock now, because SQLite would not wait for it later."""
    writes = connection.get_execution_options().get(WRITING, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def bring_up_to_date(engine: Engine) -> None:
    """Create the tables, or migrate them to the current version; raise StoreError if the store has a later version."""
    with engine.connect() as connection:
        version = _version(connection)
    if version == HEAD:
        return
    if version is not None and version > HEAD:
        raise StoreError("written by a later version of Bromeliad ({version}): update the program", version=version)
    migrate(engine, "upgrade", "head")


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    found: str | None = connection.scalar(select(_VERSION.c.version_num))
    return found


def migrate(engine: Engine, direction: Literal["upgrade", "downgrade"], revision: str) -> None:
    """Run migrations in one transaction; another process that migrates the store waits for its end."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    with engine.connect().execution_options(**{WRITING: True}) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
        config.attributes["connection"] = connection
        getattr(command, direction)(config, revision)


def sole_service(store: "Store") -> AbstractContextManager[None]:
    """Lock a store for this service until the end of the block, or of the process.

    A second service on the same store would mark the first one's jobs as interrupted. A store given as an SQLite URI
    is not locked.

    Raises
    ------
    StoreError
        If another service has locked the store.
    """
    if store.url.get_backend_name() == "postgresql":
        return _by_server(store)
    return nullcontext() if store.file is None else _by_file(store.file)


@contextmanager
def _by_server(store: "Store") -> Iterator[None]:
    with store.reading() as connection:
        lock = {"lock": _SERVICE_LOCK}
        if not connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), lock):
            raise _taken(store)
        connection.commit()  # the lock belongs to the connection, not to a transaction
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), lock)


@contextmanager
def _by_file(file: Path) -> Iterator[None]:
    """Lock a file beside the store through SQLite, which works on all systems; the lock ends with the process."""
    with closing(sqlite3.connect(f"{file}-service", timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise _taken(file) from None
        yield


def _taken(place: object) -> StoreError:
    return StoreError("{store}: another service uses this store; end it, or give another --store", store=str(place))
