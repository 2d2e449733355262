"""Writers that are killed at random moments: all data that they acknowledged is stored, and the file is intact."""

import multiprocessing
import os
import random
import time

import pytest
from sqlalchemy import func, select, text

import crashing
from bromeliad.storage import open_store
from bromeliad.storage.rows import rows_of
from bromeliad.storage.schema import decisions, events, hands, seats, sessions


@pytest.fixture(scope="module")
def processes():
    """Return a context that starts processes from one that has already imported everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bromeliad.storage", "alembic.command"])
    return context


def kill_a_writer(processes, place, rows, delay, *, from_the_start):
    """Start a writer and kill it after some time; return the numbers that it acknowledged."""
    reader, writer = processes.Pipe(duplex=False)
    process = processes.Process(target=crashing.write_forever, args=(str(place), rows, writer), daemon=True)
    process.start()
    writer.close()
    if not from_the_start:
        assert reader.poll(240), "the writer has not begun"
    time.sleep(delay)
    process.kill()
    process.join()
    assert process.exitcode == -9
    received = b""
    while part := os.read(reader.fileno(), 1 << 16):
        received += part
    reader.close()
    assert len(received) % 8 == 0
    return [int.from_bytes(received[i : i + 8], "little", signed=True) for i in range(0, len(received), 8)]


def check_store(place, acknowledged):
    """Open a store as the next program would, and check that it has everything that was acknowledged."""
    with open_store(place) as store, store.reading() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).all() == [("ok",)]
        assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
        there = set(connection.scalars(select(hands.c.id)))
        there |= {-int(game) * 1_000_000 - int(number) for game, number in _named(connection)}
        assert set(acknowledged) <= there
        count = connection.scalar(select(func.count()).select_from(hands))
        for table, each in ((seats, 2), (decisions, 10)):  # each hand has all its seats and decisions
            assert connection.scalar(select(func.count()).select_from(table)) == each * count
        stored = connection.scalar(select(func.count()).select_from(events))
        assert stored == 2 * connection.scalar(select(func.count()).select_from(sessions))


def _named(connection):
    return (name.split("-") for name in connection.scalars(select(sessions.c.id)))


def kill_many(processes, tmp_path, game, kills, seed):
    """Kill one writer after another; every tenth is killed while it creates a new file."""
    moments = random.Random(seed)
    rows = [rows_of(record, played) for record, played in game]
    acknowledged, place, total = [], tmp_path / "0.sqlite", 0
    for number in range(kills):
        fresh = number % 10 == 0
        if fresh:
            acknowledged, place = [], tmp_path / f"{number}.sqlite"
        delay = moments.uniform(0.0, 0.5 if fresh else 0.2)
        new = kill_a_writer(processes, place, rows, delay, from_the_start=fresh)
        acknowledged += new
        total += len(new)
        check_store(place, acknowledged)
    return total


def test_a_killed_writer_loses_nothing(processes, tmp_path, game):
    assert kill_many(processes, tmp_path, game, 8, seed=1) >= 7


@pytest.mark.accept
def test_two_hundred_killed_writers_lose_nothing(processes, tmp_path, game):
    assert kill_many(processes, tmp_path, game, 200, seed=2) >= 180
