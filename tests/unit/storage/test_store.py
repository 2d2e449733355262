"""Opening a store: its location, the settings of SQLite, migrations up and down, and refusals."""

import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, select, text, update
from sqlalchemy.exc import IntegrityError

import bromeliad.storage
from bromeliad.errors import StoreError
from bromeliad.storage import open_store
from bromeliad.storage.database import migrate, store_url
from bromeliad.storage.schema import HEAD, games, metadata, seats

REVISIONS = [
    script.revision
    for script in ScriptDirectory(Path(bromeliad.storage.__file__).parent / "migrations").walk_revisions()
]


def tables_of(store):
    return set(inspect(store.engine).get_table_names()) - {"alembic_version"}


def test_migrations_create_the_schema_and_remove_it(store):
    assert tables_of(store) == set(metadata.tables)
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    store.games.add("pineapple", "play")
    found = [tables_of(store)]
    for revision in (*REVISIONS[1:], "base"):
        migrate(store.engine, "downgrade", revision)
        found.append(tables_of(store))
        assert found[-1] < found[-2]
    assert found[-1] == set()
    for revision, expected in zip(reversed(REVISIONS), reversed(found[:-1]), strict=True):
        migrate(store.engine, "upgrade", revision)
        assert tables_of(store) == expected
    assert store.games.add("pineapple", "play") == 1


def test_head_is_the_newest_migration():
    assert REVISIONS[0] == HEAD
    assert sorted(REVISIONS, reverse=True) == REVISIONS


def test_a_store_of_an_earlier_version_keeps_its_data(empty_place):
    with open_store(empty_place) as store:
        store.games.add("pineapple", "play", "old")
        migrate(store.engine, "downgrade", REVISIONS[-1])
    with open_store(empty_place) as store:
        assert [game.label for game in store.games.list()] == ["old"]
        assert tables_of(store) == set(metadata.tables)


def test_a_store_that_is_opened_again_has_its_data(empty_place):
    with open_store(empty_place) as first:
        number = first.games.add("pineapple", "play", "a, b")
    with open_store(empty_place) as again:
        game = again.games.get(number)
    assert (game.rules, game.source, game.label, game.hands) == ("pineapple", "play", "a, b", 0)


def test_many_threads_open_a_new_store_at_once(empty_place):
    problems = []

    def work():
        try:
            with open_store(empty_place) as store:
                for _ in range(5):
                    store.games.add("pineapple", "play")
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    with open_store(empty_place) as store:
        assert len(list(store.games.list())) == 30


def test_the_view_of_a_reader_does_not_change(sqlite_store):
    sqlite_store.games.add("pineapple", "play")
    with open_store(sqlite_store.url.database) as other, other.reading() as connection:
        before = connection.execute(select(games.c.id)).all()
        sqlite_store.games.add("pineapple", "play")
        assert connection.execute(select(games.c.id)).all() == before
    assert len(list(sqlite_store.games.list())) == 2


def test_sqlite_is_set_up(sqlite_store):
    with sqlite_store.reading() as connection:
        settings = {name: connection.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "foreign_keys")}
        assert settings == {"journal_mode": "wal", "foreign_keys": 1}
        assert connection.scalar(text("PRAGMA synchronous")) == 1
        assert connection.scalar(text("PRAGMA busy_timeout")) >= 10_000


def test_foreign_keys_hold(store):
    row = {column.name: 1 for column in seats.c} | {"player": "x", "fouled": False, "hand_id": 99}
    with pytest.raises(IntegrityError), store.writing() as connection:
        connection.execute(seats.insert(), row)


def test_times_are_read_in_utc(store):
    number = store.games.add("pineapple", "play")
    moment = datetime(2026, 3, 1, 20, 15, 30, 123456, timezone(timedelta(hours=8)))
    with store.writing() as connection:
        connection.execute(update(games).values(created_at=moment))
    found = store.games.get(number).created_at
    assert found == moment
    assert found.utcoffset() == timedelta(0)
    with pytest.raises(Exception, match="time zone"), store.writing() as connection:
        connection.execute(update(games).values(created_at=moment.replace(tzinfo=None)))
    assert abs(datetime.now(UTC) - found) > timedelta(0)


def test_the_place_comes_from_the_environment(own_store, monkeypatch):
    with open_store() as store:
        assert str(store) == str(own_store)
    assert own_store.exists()
    monkeypatch.delenv("BROMELIAD_STORE")
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, appauthor: str(own_store.parent / "home"))
    with open_store() as store:
        assert str(store) == str(own_store.parent / "home" / "bromeliad.sqlite")


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("mysql://host/db", "not mysql"),
        ("://", "not a URL"),
        ("sqlite://", "needs a file"),
        ("postgresql://nobody@127.0.0.1:1/none", "refused"),
        ("/dev/null/x/store.sqlite", "Not a directory"),
    ],
)
def test_wrong_places_are_refused(place, problem):
    with pytest.raises(StoreError, match=problem):
        open_store(place)


def test_passwords_are_not_shown():
    with pytest.raises(StoreError) as caught:
        open_store("postgresql://me:secret@127.0.0.1:1/none")
    assert "secret" not in str(caught.value)
    assert "me:***@" in str(caught.value)
    assert store_url("postgres://me@host/db").drivername == "postgresql+psycopg"


def test_other_files_are_refused_and_kept(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("not a database, and long enough to be seen as none " * 30)
    with pytest.raises(StoreError, match="not a database"):
        open_store(other)
    assert other.read_text().startswith("not a database")


def test_a_store_of_a_later_version_is_refused(tmp_path):
    place = tmp_path / "store.sqlite"
    with open_store(place) as store, store.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="later version"):
        open_store(place)
