"""Stores on both databases: in an SQLite file, and on PostgreSQL if it is installed."""

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
    """Return the directory of PostgreSQL's programs, on the path or where Debian puts them; None if there is none."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if all((place / name).exists() for name in PROGRAMS)), None)


def unprivileged():
    """Return options that start a process as an ordinary user, because PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    return {"user": "postgres" if "postgres" in names else "nobody", "extra_groups": []}


class PostgreSQL:
    """A PostgreSQL server that can be stopped and started; its data and its only socket are in one directory."""

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
        """Stop it as a crash would, without waiting for its clients."""
        self._run(self._programs / "pg_ctl", "-D", self._directory / "data", "-m", "immediate", "stop")


@pytest.fixture(scope="session")
def postgresql():
    """Return the URL of a PostgreSQL server that all tests share."""
    with running_postgresql() as found:
        yield found.url


@pytest.fixture
def own_postgresql():
    """Return a PostgreSQL server that one test may stop and start."""
    with running_postgresql() as found:
        yield found


@contextmanager
def running_postgresql():
    """Yield a running PostgreSQL server in a temporary directory; skip the test if PostgreSQL is not installed."""
    if find_programs() is None:
        message = "PostgreSQL is NOT tested: initdb and pg_ctl are not installed here"
        warnings.warn(pytest.PytestWarning(message), stacklevel=1)
        pytest.skip(message)
    # Not in pytest's own directory: other users may not enter it, and the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="bromeliad-") as directory:
        found = PostgreSQL(Path(directory))
        found.start()
        try:
            yield found
        finally:
            found.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_place(request, tmp_path):
    """Return the path or URL of a store that does not exist yet, on each database."""
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
