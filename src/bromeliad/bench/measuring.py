"""Tools that benches share: clocks, memory, the load of the machine, new processes, and OpenSpiel."""

import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from subprocess import Popen
from typing import Any, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Spent(NamedTuple):
    """The time that some work took."""

    seconds: float
    cpu: float  # processor seconds of the process that did it


def timed(work: Callable[[], object]) -> Spent:
    """Return the time that a call takes."""
    start, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - start, time.process_time() - cpu)


def thread_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call on this thread, which other load on the machine does not change."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def load() -> float:
    """Return the load of the machine over the last minute; NaN if unknown."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan


def peak_mb(process: int | str = "self") -> float:
    """Return the peak resident memory of a running process in MB (Linux only); NaN if unknown."""
    status = Path(f"/proc/{process}/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), math.nan)


def wait_for(process: Popen[bytes], start: float) -> Spent:
    """Wait for the end of a process; return its time since ``start``, by the clock of :func:`time.perf_counter`.

    Raise RuntimeError if the process fails.
    """
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{process.args!r} ended with code {process.returncode}")
    return Spent(seconds, used.ru_utime + used.ru_stime)


def in_new_process(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of a call in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args, **kwargs).result()


def spiel_game(name: str) -> Any:
    """Return a game of OpenSpiel; None if OpenSpiel is not installed."""
    try:
        return import_module("pyspiel").load_game(name)
    except ImportError:
        return None


def spiel_bot(game: Any, simulations: int, seed: int) -> Any:
    """Return OpenSpiel's MCTS bot in C++, with random rollouts."""
    spiel = import_module("pyspiel")
    return spiel.MCTSBot(game, spiel.RandomRolloutEvaluator(1, seed), 1.414, simulations, 1000, False, seed, False)
