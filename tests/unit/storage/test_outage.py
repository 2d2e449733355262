"""PostgreSQL is stopped and started under load: no acknowledged data is lost, and work continues."""

import threading

import pytest
from sqlalchemy import select

from bromeliad.errors import StoreError
from bromeliad.games.ofc.play.game_state import GameState
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.session import SolverSession
from bromeliad.storage import open_store
from bromeliad.storage.cached import solve_stored
from bromeliad.storage.schema import sessions

WRITERS = 4
SPOT = SolveRequest(cards="As Ah Kd 7c 2s")  # the opening book knows it: no kernel is needed


class Load:
    """Threads that write sessions, and collect those that were stored, the number of failures, and other errors."""

    def __init__(self, store):
        self._store, self._stopped = store, threading.Event()
        self._news = threading.Condition()
        self.stored, self.failed, self.bugs = [], 0, []
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]
        for thread in self._threads:
            thread.start()

    def _write(self, writer):
        number = 0
        while not self._stopped.is_set():
            number += 1
            session = SolverSession(f"{writer}-{number}", GameState("hand", 2))
            session.start_solving()
            session.abort_solving("enough")
            try:
                self._store.sessions.save(session)
            except StoreError:
                with self._news:
                    self.failed += 1
                    self._news.notify_all()
            except Exception as error:
                self.bugs.append(error)
                return
            else:
                with self._news:
                    self.stored.append(session.id)
                    self._news.notify_all()

    def wait_for(self, condition):
        """Wait until a condition holds, or a thread has met an unexpected error."""
        with self._news:
            assert self._news.wait_for(lambda: condition() or self.bugs, timeout=120)

    def stop(self):
        self._stopped.set()
        for thread in self._threads:
            thread.join()


def stop_and_start(database, outages):
    """Stop and start the database under load; return the numbers of stored sessions and of failures."""
    with open_store(database.url) as store:
        load = Load(store)
        try:
            for _ in range(outages):
                stored, failed = len(load.stored), load.failed
                load.wait_for(lambda stored=stored: len(load.stored) > stored + 2 * WRITERS)
                database.stop()
                load.wait_for(lambda failed=failed: load.failed > failed)
                answer = solve_stored(SPOT, store)  # a failing store costs no answer
                assert answer.method == "book"
                database.start()
            stored = len(load.stored)
            load.wait_for(lambda: len(load.stored) > stored + 2 * WRITERS)
        finally:
            load.stop()
        assert load.bugs == []
        with store.reading() as connection:
            there = set(connection.scalars(select(sessions.c.id)))
    assert set(load.stored) <= there
    return len(load.stored), load.failed


def test_outages_of_the_database_lose_nothing(own_postgresql):
    stop_and_start(own_postgresql, 2)


@pytest.mark.soak
def test_a_hundred_outages_lose_nothing(own_postgresql):
    stored, failed = stop_and_start(own_postgresql, 100)
    print(f"100 outages: {stored} sessions acknowledged, all there; {failed} writes refused")
