"""A store on each database: an SQLite file, and PostgreSQL where its programs are installed."""

import os
import pwd
import shutil
import subprocess
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from bromeliad.storage import open_store
from played_hands import played_hands

PROGRAMS = ("initdb", "pg_ctl")


def find_programs():
    """Return the directory of PostgreSQL's programs: on the path, or where Debian puts them; None if there are none."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if all((place / name).exists() for name in PROGRAMS)), None)


def unprivileged():
    """Return how a process is started that PostgreSQL accepts: it refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    return {"user": "postgres" if "postgres" in names else "nobody", "extra_groups": []}


class PostgreSQL:
    """A PostgreSQL in a directory, reachable by a socket there only, that can be stopped and started."""

    def __init__(self, directory):
        self._directory, self._programs, self._options = directory, find_programs(), unprivileged()
        if self._options:
            shutil.chown(directory, self._options["user"])
        self.url = f"postgresql://bromeliad@/postgres?host={directory}"
        ways = ("--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        self._run(self._programs / "initdb", "-D", directory / "data", "-U", "bromeliad", *ways)

    def _run(self, *command):
        subprocess.run(
            command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=60, cwd=self._directory, **self._options,
        )  # fmt: skip

    def start(self):
        """Start it, and wait until it answers."""
        place = self._directory
        settings = f"-c listen_addresses= -c unix_socket_directories={place} -c fsync=off"
        self._run(self._programs / "pg_ctl", "-D", place / "data", "-w", "-l", place / "log", "-o", settings, "start")

    def stop(self):
        """Stop it as a crash would, without waiting for anybody."""
        self._run(self._programs / "pg_ctl", "-D", self._directory / "data", "-m", "immediate", "stop")


@contextmanager
def running_postgresql(directory):
    """Yield a PostgreSQL that runs."""
    found = PostgreSQL(directory)
    found.start()
    try:
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="session")
def postgresql():
    """Return the URL of a PostgreSQL that runs while the tests do."""
    with _temporary_postgresql() as found:
        yield found.url


@pytest.fixture
def own_postgresql():
    """Return a PostgreSQL that one test may stop and start."""
    with _temporary_postgresql() as found:
        yield found


@contextmanager
def _temporary_postgresql():
    if find_programs() is None:
        message = "PostgreSQL is NOT tested: initdb and pg_ctl are not installed here"
        warnings.warn(pytest.PytestWarning(message), stacklevel=1)
        pytest.skip(message)
    # Not under pytest's own directory, which nobody else may enter; a socket's path is short, too.
    with tempfile.TemporaryDirectory(prefix="bromeliad-") as directory, running_postgresql(Path(directory)) as found:
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_place(request, tmp_path):
    """Return the path or URL of a store that is not there yet, on each database."""
    if request.param == "sqlite":
        return str(tmp_path / "a" / "store.sqlite")
    url = request.getfixturevalue("postgresql")
    name = f"test_{abs(hash(str(tmp_path)))}"
    with psycopg.connect(url) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{url}&options=-csearch_path%3D{name}"


@pytest.fixture
def store(empty_place):
    """Return an empty store, on each database."""
    with open_store(empty_place) as opened:
        yield opened


@pytest.fixture
def sqlite_store(tmp_path):
    """Return an empty store in an SQLite file."""
    with open_store(tmp_path / "store.sqlite") as opened:
        yield opened


@pytest.fixture(scope="session")
def game():
    """Return a game of five hands."""
    return played_hands(5)
