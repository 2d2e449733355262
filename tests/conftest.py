"""What every test stands on: a store of its own, never that of the person who runs the tests."""

import pytest


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory, monkeypatch):
    """Let the default store of this test, and of the processes that it starts, be a file that does not exist yet."""
    place = tmp_path_factory.mktemp("store") / "store.sqlite"
    monkeypatch.setenv("BROMELIAD_STORE", str(place))
    return place
