"""A store serves only one service."""

import pytest

from bromeliad.errors import StoreError
from bromeliad.storage import open_store
from bromeliad.storage.database import sole_service


def test_a_store_serves_one_service_at_a_time(store, empty_place):
    with open_store(empty_place) as other:
        with (
            sole_service(store),
            pytest.raises(StoreError, match="another service uses this store"),
            sole_service(other),
        ):
            raise AssertionError("two services have locked the store")
        with sole_service(other):
            other.jobs.add("one", "me", "ofc", {}, deeper=False, keep=False)


def test_no_lock_file_is_created_for_an_sqlite_uri(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_store(tmp_path / "store.sqlite").close()
    with open_store(f"sqlite:///file:{tmp_path}/store.sqlite?mode=ro&uri=true") as store, sole_service(store):
        assert store.hands.count() == 0
    assert not (tmp_path / "file:").exists()
    assert not list(tmp_path.glob("*-service"))
