"""Kernels that are made ready in the background."""

import threading
import time

import pytest

from bromeliad.core import kernel_cache
from bromeliad.service.jobs.warming import SERVICE_KERNELS, Warmer


@pytest.fixture
def made(monkeypatch):
    """Return what tells which groups a warmer has made ready; nothing is compiled."""
    made = []
    monkeypatch.setattr(
        kernel_cache, "ensure", lambda names: made.extend((threading.current_thread(), name) for name in names)
    )
    return lambda warmer: [name for thread, name in made if thread is warmer._thread]  # services before may go on


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def busy():
    """Return what says that somebody is answered, until it is cleared."""
    busy = threading.Event()
    busy.set()
    return busy


@pytest.fixture
def warmer(busy):
    """Return a warmer that has begun while somebody is answered."""
    warmer = Warmer(busy.is_set)
    warmer.start()
    return warmer


def test_what_nobody_waits_for_is_put_off_while_somebody_is_answered(made, busy, warmer):
    assert warmer.wait(["bromeliad.games.ofc.exact.earlier_streets"])
    assert warmer.wait(["bromeliad.games.ofc.rules.scoring"])
    assert made(warmer) == ["bromeliad.games.ofc.exact.earlier_streets", "bromeliad.games.ofc.rules.scoring"]
    assert not warmer.is_done
    busy.clear()
    wait_until(lambda: warmer.is_done)
    assert sorted(made(warmer)) == sorted(SERVICE_KERNELS)
    warmer.close()
    wait_until(lambda: not warmer._thread.is_alive())


def test_a_service_that_ends_makes_nothing_more_ready(made, busy, warmer):
    assert warmer.wait(["bromeliad.games.ofc.exact.earlier_streets"])
    warmer.close()
    busy.clear()
    wait_until(lambda: not warmer._thread.is_alive())
    assert made(warmer) == ["bromeliad.games.ofc.exact.earlier_streets"]
