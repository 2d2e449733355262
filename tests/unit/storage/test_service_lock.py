"""One service a store."""

import pytest

from bromeliad.errors import StoreError
from bromeliad.storage import open_store
from bromeliad.storage.database import sole_service


def test_a_store_is_held_by_one_service_at_a_time(store, empty_place):
    with open_store(empty_place) as other:
        with (
            sole_service(store),
            pytest.raises(StoreError, match="another service uses this store"),
            sole_service(other),
        ):
            raise AssertionError("both hold it")
        with sole_service(other):
            other.jobs.add("one", "me", "ofc", {}, deeper=False, keep=False)


def test_a_store_that_sqlite_knows_by_a_uri_leaves_nothing_beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_store(tmp_path / "store.sqlite").close()
    with open_store(f"sqlite:///file:{tmp_path}/store.sqlite?mode=ro&uri=true") as store, sole_service(store):
        assert store.hands.count() == 0
    assert not (tmp_path / "file:").exists()
    assert not list(tmp_path.glob("*-service"))
