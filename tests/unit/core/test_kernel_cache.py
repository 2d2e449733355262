"""The cache between runs: its directory, tables that survive damage, and warm-ups."""

import sys

import numpy as np
import pytest

from bromeliad.core import kernel_cache
from bromeliad.core.jit import JIT
from bromeliad.core.kernel_cache import (
    cache_directory,
    cached_arrays,
    cached_object,
    ensure,
    is_cold,
    program,
    warmup,
    warmups,
)
from support import run_python


def test_the_cache_directory_depends_on_bounds_checks(tmp_path):
    code = "from bromeliad.core.kernel_cache import cache_directory; print(cache_directory())"
    folders = {
        run_python(tmp_path, code, BROMELIAD_CACHE_DIR=str(tmp_path), NUMBA_BOUNDSCHECK=check)[0]
        for check in ("0", "1")
    }
    assert len(folders) == 2
    assert all(folder.startswith(str(tmp_path)) for folder in folders)


# --- tables on disk ------------------------------------------------------------------------------------------------


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "cache_directory", lambda: tmp_path)
    return tmp_path


def build_tables(calls):
    calls.append(1)
    return {"one": np.arange(1000, dtype=np.int32), "two": np.ones((2, 2))}


def assert_tables(arrays):
    assert sorted(arrays) == ["one", "two"]
    assert arrays["one"].tolist() == list(range(1000))
    assert arrays["two"].tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_tables_are_built_once(own_cache):
    calls = []
    for _ in range(3):
        assert_tables(cached_arrays("tables", lambda: build_tables(calls)))
    assert len(calls) == 1
    assert [path.name.partition("-")[0] for path in own_cache.iterdir()] == ["tables"]


def damage_nothing_left(data):
    return b""


def damage_no_archive(data):
    return b"this is not an archive"


def damage_cut_short(data):
    return data[: len(data) // 2]


def damage_one_byte(data):
    return data[:600] + bytes([data[600] ^ 0xFF]) + data[601:]


def damage_header(data):
    return data.replace(b'"one"', b'"oxe"')


def damage_start(data):
    return b"PK\x03\x04" + b"\x00" * 100


@pytest.mark.parametrize(
    "damage",
    [damage_nothing_left, damage_no_archive, damage_cut_short, damage_one_byte, damage_header, damage_start],
)
def test_a_damaged_file_is_built_again(own_cache, damage):
    calls = []
    cached_arrays("tables", lambda: build_tables(calls))
    (path,) = own_cache.glob("tables-*.arrays")
    path.write_bytes(damage(path.read_bytes()))
    assert_tables(cached_arrays("tables", lambda: build_tables(calls)))
    assert len(calls) == 2
    assert_tables(cached_arrays("tables", lambda: build_tables(calls)))
    assert len(calls) == 2


def test_tables_come_back_as_they_were(own_cache):
    made = {"empty": np.zeros((0, 3)), "one": np.arange(7, dtype=np.int8), "two": np.arange(6.0).reshape(2, 3).T}
    for _ in range(2):
        found = cached_arrays("tables", lambda: made)
        for name, array in made.items():
            assert (found[name].dtype, found[name].tolist()) == (array.dtype, array.tolist())
            assert found[name].flags.aligned
            assert found[name].flags.writeable


def test_objects_are_built_once_and_again_after_damage(own_cache):
    calls = []

    def build():
        calls.append(1)
        return {"rules": ("pineapple", 14)}

    for _ in range(2):
        assert cached_object("rules", build) == {"rules": ("pineapple", 14)}
    assert len(calls) == 1
    (path,) = own_cache.glob("rules-*.object")
    path.write_bytes(damage_one_byte(path.read_bytes() + b"x" * 600))
    assert cached_object("rules", build) == {"rules": ("pineapple", 14)}
    assert len(calls) == 2


@pytest.mark.parametrize("seed", range(20))
def test_no_damage_is_ever_loaded(own_cache, seed):
    random = np.random.default_rng(seed)
    calls = []
    cached_arrays("tables", lambda: build_tables(calls))
    (path,) = own_cache.glob("tables-*.arrays")
    whole = path.read_bytes()
    for _ in range(100):
        data = bytearray(whole)
        for place in random.integers(len(data), size=random.integers(1, 4)):
            data[place] ^= 1 << random.integers(8)
        path.write_bytes(bytes(data))
        before = len(calls)
        assert_tables(cached_arrays("tables", lambda: build_tables(calls)))
        assert len(calls) == before + (bytes(data) != whole)


def test_a_cache_that_cannot_be_written_costs_only_time(own_cache, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    calls = []
    monkeypatch.setattr(kernel_cache, "write_checked", full)
    for _ in range(2):
        assert_tables(cached_arrays("tables", lambda: build_tables(calls)))
    assert len(calls) == 2


# --- warm-up -------------------------------------------------------------------------------------------------------


def test_warm_up_runs_once_and_says_so(own_cache, monkeypatch):
    monkeypatch.setattr(kernel_cache, "_warmups", {})
    monkeypatch.setattr(kernel_cache, "_ready", set())
    runs, told = [], []

    def warm():
        runs.append("one")

    monkeypatch.setitem(sys.modules, __name__, sys.modules[warm.__module__])
    warmup(warm)
    assert __name__ in warmups()
    assert is_cold(__name__) is JIT
    ensure([__name__], told.append)
    ensure([__name__], told.append)
    assert runs == ["one"]
    assert told == ([__name__] if JIT else [])
    assert not is_cold(__name__)


def test_the_cache_directory_exists():
    assert cache_directory().is_dir()


def test_the_name_of_the_program_knows_the_code_that_searches(monkeypatch):
    before = program()
    assert program() == before
    program.cache_clear()
    monkeypatch.setattr(kernel_cache, "fingerprint", lambda names: " ".join(names))
    assert {"bromeliad.search.mcts", "bromeliad.games.gomoku.game"} <= set(program().split())
    program.cache_clear()
