"""The store: an SQLite file by default, PostgreSQL by URL, with a small repository per kind of data."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Self

from sqlalchemy import URL, Connection, Engine, select
from sqlalchemy.exc import DatabaseError, DataError, IntegrityError, InterfaceError, ProgrammingError

from bromeliad.errors import BromeliadError, StoreError
from bromeliad.storage.database import WRITING, bring_up_to_date, make_engine, store_url
from bromeliad.storage.decisions import Decisions
from bromeliad.storage.events import Events
from bromeliad.storage.games import Games
from bromeliad.storage.hands import Hands
from bromeliad.storage.jobs import Jobs
from bromeliad.storage.repository import Repository, dialect_insert
from bromeliad.storage.results import Results
from bromeliad.storage.schema import secrets
from bromeliad.storage.sessions import Sessions
from bromeliad.storage.training import Lessons, Mistakes

_SECRET_BYTES = 32


class Secrets(Repository):
    """Secrets of the service, such as the key by which it recognises clients."""

    def get(self, name: str) -> bytes:
        """Return a secret; create a random one on first use."""
        query = select(secrets.c.value).where(secrets.c.name == name)
        with self._store.writing() as connection:
            fresh = dialect_insert(connection, secrets).values(name=name, value=token_hex(_SECRET_BYTES))
            connection.execute(fresh.on_conflict_do_nothing())
            return bytes.fromhex(connection.execute(query).scalar_one())


class Store:
    """Data kept between runs; safe for use from several threads and processes.

    Every method of a repository is one transaction, which is committed when the method returns; imports and reviews
    are committed in batches.

    Attributes
    ----------
    url
        The location.
    engine
        SQLAlchemy's engine, for other queries over the tables of :mod:`bromeliad.storage.schema`.
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self.engine: Engine = make_engine(url)
        self.games = Games(self)
        self.hands = Hands(self)
        self.decisions = Decisions(self)
        self.results = Results(self)
        self.sessions = Sessions(self)
        self.events = Events(self)
        self.jobs = Jobs(self)
        self.mistakes = Mistakes(self)
        self.lessons = Lessons(self)
        self.secrets = Secrets(self)

    def __str__(self) -> str:
        """Return the path, or the URL without its password."""
        if self.url.get_backend_name() == "sqlite":
            return str(self.url.database)
        return self.url.render_as_string(hide_password=True)

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for a server and for an SQLite URI."""
        name = str(self.url.database)
        return Path(name) if self.url.get_backend_name() == "sqlite" and not name.startswith("file:") else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection for reading; on SQLite, its view of the data does not change."""
        with self._with_own_errors(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield a connection in a transaction, which is committed at the end of the ``with`` block."""
        with (
            self._with_own_errors(),
            self.engine.connect().execution_options(**{WRITING: True}) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def _with_own_errors(self) -> Iterator[None]:
        """Turn errors of the database and of damaged values into StoreError; let errors of wrong queries pass."""
        try:
            yield
        except (BromeliadError, IntegrityError, DataError, ProgrammingError):
            raise
        except (ValueError, LookupError, TypeError) as error:
            raise StoreError("{store} is damaged: {problem}", store=str(self), problem=str(error)[:100]) from error
        except sqlite3.DatabaseError as error:  # before a connection is set up
            raise StoreError("{store}: {problem}", store=str(self), problem=str(error)[:100]) from error
        except (DatabaseError, InterfaceError) as error:
            problem = str(error.orig).strip().partition("\n")[0]
            raise StoreError("{store}: {problem}", store=str(self), problem=problem) from error

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_store(place: str | Path | None = None) -> Store:
    """Open a store; create or migrate it if necessary.

    Parameters
    ----------
    place
        The path of an SQLite file, or a URL such as ``postgresql://user@host/database``. By default the environment
        variable ``BROMELIAD_STORE``, else ``bromeliad.sqlite`` in the user's data directory.

    Raises
    ------
    StoreError
        If the store cannot be opened, or was written by a later version.
    """
    store = Store(store_url(place))
    try:
        if store.file is not None:
            store.file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError("{store}: {problem}", store=str(store), problem=error.strerror or str(error)) from None
    try:
        with store._with_own_errors():
            bring_up_to_date(store.engine)
    except BaseException:
        store.close()
        raise
    return store
