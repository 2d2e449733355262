"""What every test stands on: a store and runs of its own, never those of the person who runs the tests."""

import itertools

import pytest
from hypothesis import HealthCheck, settings

from opening_books import made_up_book

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # a machine may be slow: that is no fault of what is tested


@pytest.fixture(scope="session")
def stores(tmp_path_factory):
    """Return places for stores, each in a directory that does not exist yet: making thousands would take its time."""
    folder = tmp_path_factory.mktemp("stores")
    return (folder / str(number) / "store.sqlite" for number in itertools.count())


@pytest.fixture(autouse=True)
def own_store(stores, monkeypatch):
    """Let the default store of this test, and of the processes that it starts, be a file that does not exist yet."""
    place = next(stores)
    monkeypatch.setenv("BROMELIAD_STORE", str(place))
    monkeypatch.setenv("BROMELIAD_RUNS_DIR", str(place.parent / "runs"))
    return place


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Return the only book there is: of one hand."""
    path = tmp_path / "one.book"
    made_up_book(path)
    monkeypatch.setenv("BROMELIAD_BOOK", str(path))
    return path
