"""Damaged files: models, weights, checkpoints and stores are read correctly, or refused with an error of ours."""

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest

from bromeliad.cluster import Checkpoint
from bromeliad.errors import BromeliadError
from bromeliad.games.gomoku.model import load_model, plain_model, save_model
from bromeliad.games.ofc.values.weights import FORMAT, Provenance, read_weights, save_weights
from bromeliad.storage import open_store
from played_hands import played_hands

TRIES = 400
ABOUT = {
    **{"rules": "x", "game": "x", "layout": "x", "foul_cost": 1.0, "fantasyland_worth": {14: 8.0}, "hands": 1},
    **{"seed": 1, "rate": 0.1, "explore": 0.1, "package": "0"},
}


def mutated(whole, random):
    """Return data with one to three changes: a flipped bit, a random, repeated or missing piece, or the end cut off."""
    data = bytearray(whole)
    for _ in range(random.integers(1, 4)):
        start, length = random.integers(len(data)), random.integers(1, 20)
        match random.integers(5):
            case 0 | 1:
                data[start] ^= 1 << random.integers(8)
            case 2:
                data[start : start + length] = random.integers(256, size=length, dtype=np.uint8).tobytes()
            case 3:
                data[start:start] = data[start : start + length]
            case _:
                del data[start : start + (length if random.integers(4) else len(data))]
        if not data:
            return b""
    return bytes(data)


def survive(path, read, whole):
    """Read mutations of a file; return the number that was refused."""
    random = np.random.default_rng(1)
    refused = 0
    for _ in range(TRIES):
        path.write_bytes(mutated(whole, random))
        try:
            read()
        except BromeliadError:
            refused += 1
    return refused


def test_gomoku_models(tmp_path):
    path = tmp_path / "model.npz"
    save_model(path, plain_model())
    assert survive(path, lambda: load_model(path), path.read_bytes()) > TRIES // 2


def test_weights(tmp_path):
    path = tmp_path / "weights.npz"
    save_weights(path, ABOUT, np.random.default_rng(1).normal(size=(2000, 3)).astype(np.float32))
    right = read_weights(path)

    def read():
        found = read_weights(path)
        assert np.array_equal(found.parts, right.parts)

    assert survive(path, read, path.read_bytes()) > TRIES // 2


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in members.items():
            stream = io.BytesIO()
            np.save(stream, array)
            archive.writestr(f"{name}.npy", stream.getvalue())


def refused_cheaply(path):
    tracemalloc.start()
    try:
        with pytest.raises(BromeliadError):
            read_weights(path)
        return tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


def test_a_small_file_of_huge_arrays_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    about = Provenance(**ABOUT, format=FORMAT, sha256="")
    header = np.frombuffer(about.model_dump_json().encode(), np.uint8)
    zipped(path, header=header, used=np.ones(10, np.uint8), parts=np.zeros((3, 50_000_000), np.int16))
    assert path.stat().st_size < 400_000
    assert refused_cheaply(path)
    zipped(path, header=header, used=np.zeros(100_000_000, np.uint8), parts=np.zeros((3, 0), np.int16))
    assert refused_cheaply(path)
    zipped(path, header=np.zeros(100_000_000, np.uint8))
    assert refused_cheaply(path)


@pytest.mark.parametrize(
    "members",
    [
        {"parts": np.zeros((3, 5), np.int16)},
        {"parts": np.zeros(30, np.int16)},
        {"used": np.ones((2, 5), np.uint8)},
        {"used": np.ones(10, np.float64)},
        {"parts": np.zeros((3, 10), "U4")},
    ],
)
def test_arrays_of_another_form_are_refused(tmp_path, members):
    path = tmp_path / "odd.npz"
    header = np.frombuffer(Provenance(**ABOUT, format=FORMAT, sha256="").model_dump_json().encode(), np.uint8)
    zipped(path, **{"header": header, "used": np.ones(10, np.uint8), "parts": np.zeros((3, 10), np.int16)} | members)
    with pytest.raises(BromeliadError):
        read_weights(path)


def test_checkpoints(tmp_path):
    path = tmp_path / "run.jsonl"
    with Checkpoint(path, {"seed": 1}).writing() as run:
        for number in range(20):
            run.add(f"part {number}", json.dumps({"value": number}))

    def read():
        with Checkpoint(path, {"seed": 1}).writing() as run:
            for number in range(20):
                if f"part {number}" in run:
                    run.get(f"part {number}")

    assert survive(path, read, path.read_bytes()) > TRIES // 4


@pytest.mark.parametrize("head", ["1", "[]", '{"checkpoint": 1, "provenance": []}', "[" * 100_000, "null"])
def test_other_files_are_refused_as_checkpoints(tmp_path, head):
    path = tmp_path / "run.jsonl"
    path.write_text(head + "\n")
    with pytest.raises(BromeliadError):
        Checkpoint(path, {"seed": 1})


def filled(path):
    with open_store(path) as store:
        game = store.games.add("pineapple", "match")
        for record, _ in played_hands(8):
            store.hands.add_record(game, record)
        for number in range(20):
            store.jobs.add(f"job {number}", "me", "ofc", {"cards": "As"}, deeper=False, keep=False)
            store.jobs.end(f"job {number}", "completed", '{"a": 1}', None, None, 0.5)
    return path.read_bytes()


def use(path):
    """Use a store as the commands do."""
    with open_store(path) as store:
        for game in store.games.list():
            assert game.id
        list(store.hands.export_lines())
        list(store.hands.listed(5, 0))
        list(store.decisions.stream())
        list(store.events.stream())
        list(store.jobs.list("completed"))
        store.results.statistics()
        store.games.add("pineapple", "match")
        store.jobs.add("new", "me", "ofc", {}, deeper=False, keep=False)


def test_stores(tmp_path):
    path = tmp_path / "store.sqlite"
    whole = filled(path)

    def read():
        for beside in tmp_path.glob("store.sqlite-*"):
            beside.unlink()
        use(path)

    assert survive(path, read, whole) > 5
