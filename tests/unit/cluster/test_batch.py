"""Jobs of several parts: the order of results, resuming, and the checkpoints of unfinished runs."""

import os
import time
from pathlib import Path

import pytest

import batch_jobs
from bromeliad.cluster import Batch, Checkpoint, open_executor
from bromeliad.cluster.checkpoint import find_run, runs_directory
from bromeliad.evaluation.regret import LOOK, make_cases, measure_cases
from bromeliad.games.ofc.search_spot import default_params


def numbered(count: int, directory: Path) -> list[tuple[str, object]]:
    return [(str(i), (i, str(directory))) for i in range(count)]


def test_results_come_in_the_order_of_the_items(tmp_path: Path) -> None:
    with open_executor("local", 3) as executor:
        found = Batch(executor).ordered(batch_jobs.slowly, numbered(20, tmp_path))
        assert list(found) == [i * i for i in range(20)]


def test_parts_have_their_own_keys(tmp_path: Path) -> None:
    (tmp_path / "marks").mkdir()
    checkpoint = Checkpoint(tmp_path / "run.jsonl", {})
    batch = Batch(checkpoint=checkpoint)
    for part in (batch.part("one"), batch.part("two"), batch.part("one")):
        assert dict(part.unordered(batch_jobs.slowly, numbered(3, tmp_path / "marks"))) == {"0": 0, "1": 1, "2": 4}
    assert len(checkpoint) == len(list((tmp_path / "marks").iterdir())) == 6


def test_what_was_made_when_the_job_began_is_remembered(tmp_path: Path) -> None:
    made = []
    for number in range(2):
        batch = Batch(checkpoint=Checkpoint(tmp_path / "run.jsonl", {}))
        for _ in batch.unordered(batch_jobs.plain, [("item", 1)]):
            made.append(batch.once("begun", lambda number=number: number))  # in the middle of the work
    assert made == [0, 0]
    assert [Batch().once("begun", lambda: 7), Batch().once("begun", lambda: 8)] == [7, 8]


def test_a_regret_suite_is_the_same_whoever_does_it_and_however_often_it_stops(tmp_path: Path) -> None:
    ways = {"search": default_params(simulations=300, seed=4)}

    def measure(batch: Batch, stop: int = 100) -> list[object]:
        cases = make_cases(4, 4, 7, heads_up=True)[:stop]
        judged = measure_cases("street 4", cases, ways, None, 1, batch)
        assert all(case.chosen.keys() == {LOOK, "search"} for case in cases)
        return [(case.chosen, case.simulations, found) for case, found in zip(cases, judged, strict=True)]

    def kept() -> Checkpoint:
        return Checkpoint(tmp_path / "run.jsonl", {})

    whole = measure(Batch())
    assert measure(Batch(checkpoint=kept()), stop=2) == whole[:2]
    with open_executor("local", 2) as executor:
        assert measure(Batch(executor, kept())) == whole
    assert len(kept()) == 4


class TestRuns:
    def test_the_same_command_finds_its_run(self) -> None:
        with find_run("match", {"seed": 1}).writing() as run:
            run.add("deck 0", "1")
        assert len(find_run("match", {"seed": 1})) == 1
        assert len(find_run("match", {"seed": 2})) == len(find_run("worth", {"seed": 1})) == 0

    def test_another_program_begins_anew(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        with find_run("match", {}).writing() as run:
            run.add("deck 0", "1")
        weights = tmp_path / "weights.npz"
        weights.write_bytes(b"other weights")
        monkeypatch.setenv("BROMELIAD_WEIGHTS", str(weights))
        assert len(find_run("match", {})) == 0

    def test_old_runs_are_forgotten(self) -> None:
        for name, days in (("old", 31), ("new", 29)):
            with find_run(name, {}).writing():
                pass
            path = next(runs_directory().glob(f"{name}-*"))
            os.utime(path, times=(time.time() - days * 86_400,) * 2)
        find_run("other", {})
        assert [path.name[:3] for path in runs_directory().iterdir()] == ["new"]
