import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import batch_jobs
from bromeliad.cluster import Executor, open_executor
from bromeliad.errors import BromeliadError, CardError


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with open_executor("local", 2) as executor:
        yield executor


def numbered(count: int, *rest: str) -> Iterator[tuple[str, object]]:
    return ((f"item {i}", (i, *rest) if rest else i) for i in range(count))


def test_every_item_comes_back_once_as_plain_data_from_both_workers(two: Executor) -> None:
    found = list(two.map_unordered(batch_jobs.plain, numbered(60)))
    results = dict(found)
    assert len(found) == len(results) == 60
    assert results["item 7"] == {
        **{"number": 7, "pair": [7, 7 / 3], "text": "七", "none": None},
        "pid": results["item 7"]["pid"],
    }
    assert os.getpid() not in {result["pid"] for result in results.values()}


def test_one_local_worker_is_this_process_and_gives_the_same(two: Executor) -> None:
    with open_executor("local", 1) as one:
        alone = dict(one.map_unordered(batch_jobs.seeded, numbered(20)))
        assert one.workers == 1
        pids = {result["pid"] for _, result in one.map_unordered(batch_jobs.plain, numbered(3))}
    assert pids == {os.getpid()}
    assert dict(two.map_unordered(batch_jobs.seeded, numbered(20))) == alone
    assert len(set(alone.values())) == 20


def test_items_are_taken_as_they_are_needed(two: Executor, tmp_path: Path) -> None:
    taken = []

    def endless() -> Iterator[tuple[str, object]]:
        for i in range(10**9):
            taken.append(i)
            yield str(i), (i, str(tmp_path))

    results = two.map_unordered(batch_jobs.slowly, endless())
    assert [next(results) for _ in range(5)]
    results.close()
    assert len(taken) <= 12


def test_a_worker_that_is_killed_costs_no_item_and_doubles_none(tmp_path: Path) -> None:
    with open_executor("local", 2) as executor:
        found = list(executor.map_unordered(batch_jobs.die_once, numbered(12, str(tmp_path))))
    assert sorted(result for _, result in found) == [i * i for i in range(12)]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_worker_killed_from_outside_in_the_middle(tmp_path: Path) -> None:
    with open_executor("local", 2) as executor:
        results = executor.map_unordered(batch_jobs.slowly, numbered(30, str(tmp_path)))
        found = [next(results) for _ in range(4)]
        worker = int(next(tmp_path.iterdir()).name.split(".")[1])
        psutil.Process(worker).kill()
        found += results
    assert sorted(result for _, result in found) == [i * i for i in range(30)]


def test_an_item_whose_worker_always_dies_is_named() -> None:
    with (
        open_executor("local", 2) as executor,
        pytest.raises(BromeliadError, match="item 3 was tried 3 times"),
    ):
        list(executor.map_unordered(batch_jobs.die_in, numbered(8)))


def test_what_the_function_raises_goes_up(two: Executor) -> None:
    with pytest.raises(CardError) as refused:
        list(two.map_unordered(batch_jobs.refuse, numbered(1)))
    assert refused.value.render(str) == "card 0 is no card"
    with pytest.raises(ZeroDivisionError) as failed:
        list(two.map_unordered(batch_jobs.fail, numbered(1)))
    assert any("batch_jobs.py" in note for note in failed.value.__notes__)


def test_a_cancelled_run_ends_soon_and_its_workers_with_it(tmp_path: Path) -> None:
    before = set(psutil.Process().children())
    with open_executor("local", 2) as executor:
        pressed: list[bool] = []
        results = executor.map_unordered(
            batch_jobs.slowly, numbered(10_000, str(tmp_path)), cancelled=lambda: bool(pressed)
        )
        next(results)
        pressed.append(True)
        assert len(list(results)) < 10
    assert len(list(tmp_path.iterdir())) < 20  # the submitted items, of 10,000
    left = [child for child in set(psutil.Process().children()) - before if is_worker(child)]
    assert not psutil.wait_procs(left, timeout=60)[1]


def is_worker(process: psutil.Process) -> bool:
    try:
        return "popen_loky" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # it has just ended
        return False


def test_the_start_of_workers_is_told() -> None:
    told: list[tuple[int, int]] = []
    with open_executor("local", 2, lambda ready, wanted: told.append((ready, wanted))) as executor:
        list(executor.map_unordered(batch_jobs.plain, numbered(4)))
    assert told == [(0, 2), (2, 2)]
