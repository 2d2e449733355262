"""Kernels: dispatch on the state's class, atomics under threads, and a cache that notices edits."""

import threading
from typing import NamedTuple

import numpy as np
import pytest

from bromeliad.core.jit import (
    JIT,
    atomic_add,
    compare_and_swap,
    generic,
    kernel,
    load_acquire,
    store_release,
)
from bromeliad.core.machine import has_v3
from bromeliad.errors import KernelError
from support import run_python

TIMES = 200_000 if JIT else 2_000


class Counter(NamedTuple):
    data: np.ndarray


class Doubler(NamedTuple):
    data: np.ndarray


class Stranger(NamedTuple):
    data: np.ndarray


@generic
def advance(state, by):
    """Move the state on; every game must say how."""


@generic
def bonus(state):
    return 7


@generic(optional=True)
def hint(state):
    """A game may leave this out."""


@advance.register(Counter)
def _(state, by):
    state.data[0] += by
    return state.data[0]


@advance.register(Doubler)
def _(state, by):
    state.data[0] *= 2
    return state.data[0] + by


@bonus.register(Doubler)
def _(state):
    return state.data[0]


@kernel
def play(state, times):
    """A search in small: generic over the class of the state."""
    total = 0
    for i in range(times):
        total += advance(state, i) + bonus(state)
    return total


def expected(cls, times):
    value, total = 1, 0
    for i in range(times):
        if cls is Counter:
            value += i
            total += value + 7
        else:
            value *= 2
            total += value + i + value
    return total


# --- generic -------------------------------------------------------------------------------------------------------


@pytest.mark.kernel
@pytest.mark.parametrize("cls", [Counter, Doubler])
def test_dispatch_is_the_same_in_kernels_and_in_python(cls):
    state = cls(np.ones(1, np.int64))
    assert play(state, 10) == expected(cls, 10)
    plain = cls(np.ones(1, np.int64))
    assert sum(advance(plain, i) + bonus(plain) for i in range(10)) == expected(cls, 10)
    assert plain.data[0] == state.data[0]


@pytest.mark.kernel
def test_a_missing_function_is_named():
    stranger = Stranger(np.ones(1, np.int64))
    for call in (lambda: advance(stranger, 1), lambda: play(stranger, 3)):
        with pytest.raises(KernelError, match=r"Stranger does not provide advance\(\)"):
            call()


def test_who_provides_what():
    assert advance.provided_by(Counter)
    assert not advance.provided_by(Stranger)
    assert not bonus.provided_by(Counter)
    assert bonus.provided_by(Doubler)
    assert (advance.required, bonus.required, hint.required) == (True, False, False)
    assert advance.__name__ == "advance"
    assert "every game must" in advance.__doc__
    assert hint(Stranger(np.ones(1, np.int64))) is None


# --- atomics -------------------------------------------------------------------------------------------------------


@kernel
def add_often(counts, sums, times):
    for _ in range(times):
        atomic_add(counts, 1, 1)
        atomic_add(sums, 0, 0.5)


@kernel
def add_by_swapping(cells, times):
    """Add with compare_and_swap alone; count failures in cells[1]."""
    for _ in range(times):
        while True:
            old = load_acquire(cells, 0)
            if compare_and_swap(cells, 0, old, old + 1):
                break


@kernel
def add_one(cells, value):
    return atomic_add(cells, 0, value)


@kernel
def swap_one(cells, old, new):
    return compare_and_swap(cells, 0, old, new)


@kernel
def store_and_load(cells, value):
    store_release(cells, 1, value)
    return load_acquire(cells, 1)


def in_two_threads(function, *args):
    threads = [threading.Thread(target=function, args=args) for _ in range(2 if JIT else 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(threads)


@pytest.mark.kernel
def test_atomic_adds_are_exact_with_two_threads():
    counts, sums = np.zeros(3, np.int64), np.zeros(1, np.float64)
    add_often(counts, sums, 0)  # compile first, so that the threads really overlap
    threads = in_two_threads(add_often, counts, sums, TIMES)
    assert counts.tolist() == [0, threads * TIMES, 0]
    assert sums[0] == threads * TIMES / 2


@pytest.mark.kernel
def test_compare_and_swap_is_exact_with_two_threads():
    cells = np.zeros(2, np.int64)
    add_by_swapping(cells, 0)
    threads = in_two_threads(add_by_swapping, cells, TIMES)
    assert cells[0] == threads * TIMES


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_atomics_return_what_they_should(dtype):
    cells = np.array([5, 0], dtype)
    assert add_one(cells, dtype(3)) == 5
    assert not swap_one(cells, dtype(5), dtype(1))
    assert swap_one(cells, dtype(8), dtype(2))
    assert store_and_load(cells, dtype(9)) == 9
    assert cells.tolist() == [2, 9]


@pytest.mark.kernel
def test_an_atomic_add_of_floats_returns_what_was_there():
    cells = np.array([0.25, 0.0])
    assert add_one(cells, 0.5) == 0.25
    assert cells[0] == 0.75


@kernel
def overflow(words):
    words[0] = words[0] * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)


@pytest.mark.kernel
def test_unsigned_arithmetic_wraps_silently_in_every_thread():
    words = np.array([2**64 - 3], np.uint64)
    failures = []

    def run():
        try:
            overflow(words)
        except Warning as warning:
            failures.append(warning)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not failures
    assert int(words[0]) == ((2**64 - 3) * 0x9E3779B97F4A7C15 + 1) % 2**64


# --- the cache -----------------------------------------------------------------------------------------------------


def run_compiled(folder, code, **env):
    """Run code in a fresh process that compiles kernels, by default into a cache of the folder's own."""
    return run_python(folder, code, **{"BROMELIAD_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0", **env})


GAME = """
from typing import NamedTuple
import numpy as np
from search import value

class Foreign(NamedTuple):
    data: np.ndarray

@value.register(Foreign)
def _(state):
    return state.data[0] * {factor}
"""
SEARCH = """
from bromeliad.core.jit import generic, kernel

@generic
def value(state):
    "What the state is worth."

@kernel
def search(state):
    return value(state) + 1
"""
MAIN = """
import numpy as np
import game
from search import search
print(search(game.Foreign(np.array([10], np.int64))))
if hasattr(search, "stats"):
    print(sum(search.stats.cache_hits.values()), sum(search.stats.cache_misses.values()))
"""


def test_the_cache_notices_an_edit_of_a_game_outside_the_package(tmp_path):
    """The kernel's own source does not change: only the game's, which numba would not look at."""
    (tmp_path / "search.py").write_text(SEARCH)
    outputs = []
    for factor in (2, 2, 3):
        (tmp_path / "game.py").write_text(GAME.format(factor=factor))
        outputs.append(run_compiled(tmp_path, MAIN))
    assert outputs == [["21", "0", "1"], ["21", "1", "0"], ["31", "0", "1"]]


HELPER = """
# {comment}
from bromeliad.core.jit import kernel

STEP = {step}

@kernel
def add(number):
    return number + STEP
"""
CALLER = """
from helper import add
from bromeliad.core.jit import kernel

@kernel
def twice(number):
    "{text}"
    return add(add(number))
"""
TWICE = """
from caller import twice
print(twice(10))
print(sum(twice.stats.cache_hits.values()), sum(twice.stats.cache_misses.values()))
"""


def write_kernels(folder, *, comment="", step=1, text="Add."):
    """Write the kernel ``twice`` and the module that it imports."""
    (folder / "helper.py").write_text(HELPER.format(comment=comment, step=step))
    (folder / "caller.py").write_text(CALLER.format(text=text))


def test_the_cache_notices_what_a_kernel_imports_and_overlooks_comments(tmp_path):
    """A changed constant two modules away compiles again; a comment, a docstring and another folder do not."""
    outputs = []
    for folder, comment, step, text in (
        ("one", "first", 1, "Add."),
        ("one", "second", 1, "Add twice."),
        ("two", "third\n#", 1, "Add."),
        ("two", "third", 2, "Add."),
    ):
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        write_kernels(place, comment=comment, step=step, text=text)
        outputs.append(run_compiled(place, TWICE, BROMELIAD_CACHE_DIR=str(tmp_path / "cache")))
    assert outputs == [["12", "0", "1"], ["12", "1", "0"], ["12", "1", "0"], ["14", "0", "1"]]


# --- damage --------------------------------------------------------------------------------------------------------


def cut_short(data):
    return data[: len(data) // 2]


def emptied(data):
    return b""


def one_bit(data):
    return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]


@pytest.mark.parametrize("damage", [cut_short, emptied, one_bit])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_kernel_is_compiled_again(tmp_path, suffix, damage):
    write_kernels(tmp_path)
    assert run_compiled(tmp_path, TWICE) == ["12", "0", "1"]
    damaged = [path for path in (tmp_path / "cache").rglob(f"*{suffix}") if path.name.startswith("caller")]
    for path in damaged:
        path.write_bytes(damage(path.read_bytes()))
    assert len(damaged) == 1
    assert run_compiled(tmp_path, TWICE) == ["12", "0", "1"]
    assert run_compiled(tmp_path, TWICE) == ["12", "1", "0"]


def test_a_kernel_under_the_name_of_another_is_not_loaded(tmp_path):
    write_kernels(tmp_path)
    run_compiled(tmp_path, TWICE)
    (own,) = (tmp_path / "cache").rglob("caller*.nbc")
    (other,) = (tmp_path / "cache").rglob("helper*.nbc")
    own.write_bytes(other.read_bytes())
    assert run_compiled(tmp_path, TWICE) == ["12", "0", "1"]


COLLISION = """
import sys
from pathlib import Path
from caller import twice
from bromeliad.core import compiler
from bromeliad.core.files import write_checked

print(twice(10), twice(0.5))  # two kernels, in files 1 and 2
cache = Path(compiler.cache_directory())
(one,), (two,) = cache.glob("caller*.1.nbc"), cache.glob("caller*.2.nbc")
first = compiler.read_checked(one)
write_checked(two, first)  # as if another process had chosen this name too
"""
AFTER = """
from caller import twice
print(twice(10), twice(0.5))
print(sum(twice.stats.cache_hits.values()), sum(twice.stats.cache_misses.values()))
"""


def test_a_kernel_that_another_process_wrote_under_this_name_is_not_loaded(tmp_path):
    """Two processes that compile at once may choose one name for two kernels."""
    write_kernels(tmp_path)
    assert run_compiled(tmp_path, COLLISION) == ["12", "2.5"]
    assert run_compiled(tmp_path, AFTER) == ["12", "2.5", "1", "1"]


# --- kernels built ahead -------------------------------------------------------------------------------------------

BUILD = """
import os
from pathlib import Path
from bromeliad.core import kernel_cache
kernel_cache.AHEAD = Path(os.environ["AHEAD"])
os.environ |= kernel_cache.ahead_environment()
"""
USE = """
import os
from pathlib import Path
from bromeliad.core import kernel_cache
kernel_cache.AHEAD = Path(os.environ["AHEAD"])
"""


@pytest.mark.skipif(not has_v3(), reason="kernels are built ahead for x86-64-v3 processors under Linux")
def test_kernels_built_ahead_are_loaded_unless_the_code_has_changed_or_they_are_damaged(tmp_path):
    write_kernels(tmp_path)
    ahead = tmp_path / "ahead"

    def used(number, **more):
        own = str(tmp_path / f"own{number}")
        return run_compiled(tmp_path, USE + TWICE, AHEAD=str(ahead), BROMELIAD_CACHE_DIR=own, **more)

    assert run_compiled(tmp_path, BUILD + TWICE, AHEAD=str(ahead)) == ["12", "0", "1"]
    assert used(1) == ["12", "1", "0"]
    assert not [*(tmp_path / "own1").rglob("*.nbc")]
    assert used(2, BROMELIAD_AHEAD="0") == ["12", "0", "1"]
    write_kernels(tmp_path, step=2)
    assert used(3) == ["14", "0", "1"]
    write_kernels(tmp_path)
    for path in ahead.rglob("caller*.nbc"):
        path.write_bytes(one_bit(path.read_bytes()))
    assert used(4) == ["12", "0", "1"]


# --- without numba -------------------------------------------------------------------------------------------------

INTERPRETED = """
import sys
from caller import twice
from bromeliad.core.jit import interpreted
with interpreted():
    print(twice(10))
print("numba" in sys.modules)
print(twice(11), "numba" in sys.modules)
"""


def test_numba_is_loaded_by_the_first_call_that_is_not_interpreted(tmp_path):
    write_kernels(tmp_path)
    assert run_compiled(tmp_path, INTERPRETED) == ["12", "False", "13", "True"]


SPARED = """
from bromeliad.core.jit import kernel

@kernel
def carried(number):
    return number * 3

@kernel(inline=False)
def spared(number):
    return number * 5

@kernel(inline=True)
def small(number):
    return carried(number) + spared(number)

@kernel
def whole(number):
    return small(number)

print(whole(2))
for made in (carried, spared):
    (found,) = made.dispatcher.overloads.values()
    function = found.library._final_module.get_function(found.fndesc.llvm_func_name)
    print(b"alwaysinline" in b" ".join(function.attributes))
"""


def test_a_kernel_can_stay_out_of_the_inlined_kernels_that_call_it(tmp_path):
    (tmp_path / "spared.py").write_text(SPARED)
    found = run_compiled(tmp_path, "import spared")
    assert found == ["16", "True", "False"]


SHARED = """
from bromeliad.core.jit import kernel

@kernel
def add(number):
    return number + 1
"""
WARMED = """
from shared import add
from bromeliad.core.jit import kernel
from bromeliad.core.kernel_cache import warmup

@kernel
def work(number):
    return add(number) * {factor}

@warmup
def _warm_up():
    work(1)
"""
COMPILE = """
from bromeliad.core import kernel_cache
import first, second

names = ["first", "second"]
print(*sorted(name for name, _ in kernel_cache.compile_cold(names)))
print(*map(kernel_cache.is_cold, names))
kernel_cache.ensure(names)
print(*(sum(module.work.stats.cache_hits.values()) for module in (first, second)))
print(*kernel_cache.compile_cold(names))
"""


def test_processes_compile_into_one_cache(tmp_path):
    (tmp_path / "shared.py").write_text(SHARED)
    for name, factor in (("first", 2), ("second", 3)):
        (tmp_path / f"{name}.py").write_text(WARMED.format(factor=factor))
    found = run_compiled(tmp_path, COMPILE)
    assert found == ["first", "second", "False", "False", "1", "1"]
