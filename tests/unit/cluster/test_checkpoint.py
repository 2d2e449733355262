import json
import math
from pathlib import Path

import pytest

import batch_jobs
from bromeliad.cluster import Checkpoint, open_executor
from bromeliad.errors import InputError

PROVENANCE = {"rules": "pineapple", "seed": 1, "worths": {"14": 8.1}}


def run(path: Path, directory: Path, count: int, workers: int = 1, provenance: dict[str, object] = PROVENANCE) -> dict:
    items = ((str(i), (i, str(directory))) for i in range(count))
    with open_executor("local", workers) as executor:
        return dict(executor.map_unordered(batch_jobs.slowly, items, checkpoint=Checkpoint(path, provenance)))


def done(directory: Path) -> list[int]:
    return sorted(int(path.name.split(".")[0]) for path in directory.iterdir())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "new" / "directory" / "run.jsonl"


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_goes_on_where_it_stopped(place: Path, marks: Path, workers: int) -> None:
    run(place, marks, 5)
    results = run(place, marks, 9, workers)
    assert results == {str(i): i * i for i in range(9)}
    assert done(marks) == list(range(9))  # none twice


def test_stored_results_that_are_not_asked_for_are_left_alone(place: Path, marks: Path) -> None:
    run(place, marks, 5)
    assert run(place, marks, 2) == {"0": 0, "1": 1}
    assert len(Checkpoint(place, PROVENANCE)) == 5


@pytest.mark.parametrize("cut", [1, 3, 9])
def test_a_torn_last_line_is_done_again(place: Path, marks: Path, cut: int) -> None:
    run(place, marks, 4)
    whole = place.read_bytes()
    place.write_bytes(whole[:-cut])
    assert run(place, marks, 4) == {str(i): i * i for i in range(4)}
    assert place.read_bytes().count(b"\n") == 5
    assert len(done(marks)) == (5 if cut < 9 else 6)


def test_a_torn_head_begins_anew(place: Path, marks: Path) -> None:
    place.parent.mkdir(parents=True)
    place.write_bytes(b'{"checkpoint": 1, "prov')
    assert run(place, marks, 2) == {"0": 0, "1": 1}


def test_another_provenance_is_refused_by_name(place: Path, marks: Path) -> None:
    run(place, marks, 1)
    with pytest.raises(InputError, match=r"made with seed = 1, now it is 2; delete the file"):
        run(place, marks, 1, provenance={**PROVENANCE, "seed": 2})


@pytest.mark.parametrize("text", ["no JSON\n", "[1]\n", '{"checkpoint": 7, "provenance": {}}\n'])
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(InputError, match="line 1: not a checkpoint"):
        Checkpoint(path, {})


def test_a_place_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Checkpoint(tmp_path, {})
    (tmp_path / "file").touch()
    with (
        pytest.raises(InputError, match="cannot be written"),
        Checkpoint(tmp_path / "file" / "run.jsonl", {}).writing(),
    ):
        pass


def test_a_file_in_use_is_refused(place: Path) -> None:
    with (
        Checkpoint(place, PROVENANCE).writing(),
        pytest.raises(InputError, match="is in use"),
        Checkpoint(place, PROVENANCE).writing(),
    ):
        pass


def test_what_another_run_has_added_meanwhile_is_not_lost(place: Path) -> None:
    early = Checkpoint(place, PROVENANCE)
    with Checkpoint(place, PROVENANCE).writing() as other:
        other.add("a", "1")
    with early.writing():
        early.add("b", "2")
    with Checkpoint(place, PROVENANCE).writing() as late:
        assert (late.get("a"), late.get("b")) == (1, 2)


def test_floats_come_back_bit_for_bit(place: Path) -> None:
    values = [math.pi, 0.1 + 0.2, 5e-324, -0.0, math.inf, 1e22]
    with Checkpoint(place, {}).writing() as checkpoint:
        checkpoint.add("a", json.dumps(values))
    with Checkpoint(place, {}).writing() as checkpoint:
        assert list(map(float.hex, checkpoint.get("a"))) == list(map(float.hex, values))
    checkpoint.delete()
    assert not place.exists()
