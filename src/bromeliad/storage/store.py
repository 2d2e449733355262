"""The store: one SQLite file by default, PostgreSQL by URL, and a small repository for each kind of thing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import URL, Connection, Engine
from sqlalchemy.exc import DatabaseError, DataError, IntegrityError, InterfaceError, ProgrammingError

from bromeliad.errors import StoreError
from bromeliad.storage.decisions import Decisions
from bromeliad.storage.engine import WRITING, bring_up_to_date, make_engine, store_url
from bromeliad.storage.events import Events
from bromeliad.storage.games import Games
from bromeliad.storage.hands import Hands
from bromeliad.storage.jobs import Jobs
from bromeliad.storage.mistakes import Mistakes
from bromeliad.storage.results import Results
from bromeliad.storage.sessions import Sessions


class Store:
    """What is kept between runs; safe to use from several threads, and from several processes.

    Every method of a repository is one transaction: what it has returned from is there, whatever comes after.

    Attributes
    ----------
    url
        Where it is.
    engine
        SQLAlchemy's way to it, for queries of one's own over the tables of :mod:`bromeliad.storage.schema`.
    """

    def __init__(self, url: URL) -> None:
        self.url = url
        self.engine: Engine = make_engine(url)
        self.games = Games(self)  # sequences of hands that were played together
        self.hands = Hands(self)  # hand histories
        self.decisions = Decisions(self)  # what every seat did on every street
        self.results = Results(self)  # answers of the solver
        self.sessions = Sessions(self)  # solver sessions
        self.events = Events(self)  # domain events
        self.jobs = Jobs(self)  # jobs of a service
        self.mistakes = Mistakes(self)  # mistakes made in training, to be tried again

    def __str__(self) -> str:
        """Return the path or the URL, without its password."""
        if self.url.get_backend_name() == "sqlite":
            return str(self.url.database)
        return self.url.render_as_string(hide_password=True)

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for a server, and where SQLite was told more than a path."""
        name = str(self.url.database)
        return Path(name) if self.url.get_backend_name() == "sqlite" and not name.startswith("file:") else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection to read with; what it sees does not change."""
        with self._with_own_errors(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection in a transaction, which is committed at the end of the ``with`` block."""
        with (
            self._with_own_errors(),
            self.engine.connect().execution_options(**{WRITING: True}) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def _with_own_errors(self) -> Iterator[None]:
        """Turn errors of the database into StoreError; mistakes in our own queries stay as they are."""
        try:
            yield
        except (IntegrityError, DataError, ProgrammingError):
            raise
        except (DatabaseError, InterfaceError) as error:
            problem = str(error.orig).strip().partition("\n")[0]
            raise StoreError("{store}: {problem}", store=str(self), problem=problem) from error

    def close(self) -> None:
        """Give back what the store holds open."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_store(place: str | Path | None = None) -> Store:
    """Open a store, and make it or bring it up to date if need be.

    Parameters
    ----------
    place
        The path of an SQLite file, or a URL such as ``postgresql://user@host/database``. By default the environment
        variable ``BROMELIAD_STORE``, else ``bromeliad.sqlite`` in the user's data directory.

    Raises
    ------
    StoreError
        If it cannot be opened, or is of a later version.
    """
    store = Store(store_url(place))
    try:
        _make_directory(store)
        with store._with_own_errors():
            bring_up_to_date(store.engine)
    except BaseException:
        store.close()
        raise
    return store


def _make_directory(store: Store) -> None:
    """Make the directory of an SQLite file."""
    if store.file is None:
        return
    try:
        store.file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError("{store}: {problem}", store=str(store), problem=error.strerror or str(error)) from None
