"""Kernels that are prepared in the background."""

import gc
import threading
import time

import pytest

from bromeliad.core import kernel_cache
from bromeliad.service.jobs.warming import SERVICE_KERNELS, Warmer


@pytest.fixture
def made(monkeypatch):
    """Return a function that lists the groups that a warmer has prepared; nothing is compiled."""
    made = []
    monkeypatch.setattr(
        kernel_cache, "ensure", lambda names: made.extend((threading.current_thread(), name) for name in names)
    )
    # services of earlier tests may still run
    return lambda warmer: [name for thread, name in made if thread is warmer._thread]


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def busy():
    """Return an event that is set while jobs are running."""
    busy = threading.Event()
    busy.set()
    return busy


@pytest.fixture
def warmer(busy):
    """Return a warmer that was started while jobs are running."""
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


def test_ready_kernels_are_left_out_of_collections_of_garbage(made, busy, warmer):
    before = gc.get_freeze_count()
    busy.clear()
    wait_until(lambda: warmer.is_done)
    assert gc.get_freeze_count() > before + 10_000
    warmer.close()
    assert gc.get_freeze_count() <= before
