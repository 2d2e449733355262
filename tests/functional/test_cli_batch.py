"""Commands that do batches of work: a command that was killed can be repeated, and gives the same results."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bromeliad.cluster.checkpoint import find_run
from bromeliad.storage import open_store

MATCH = ("match", "heuristic", "random", "--hands", "30", "--json")
WORTH = ("rules", "worth", "--json", "--hands")


@pytest.fixture
def runs(own_store):
    return own_store.parent / "runs"


HELD = """
import sys, time
from bromeliad.cli.main import main
from bromeliad.cluster.checkpoint import Checkpoint

def add(self, key, text, add=Checkpoint.add):
    add(self, key, text)
    if len(self) >= int(sys.argv[1]):
        time.sleep(600)

Checkpoint.add = add
sys.exit(main(sys.argv[2:]))
"""
"""The command line, but it stops working after the given number of parts, so that a late kill finds it unfinished."""


def start(*args: str, held: int | None = None, **streams: int) -> subprocess.Popen:
    """Start a command in its own process group; it stops working after ``held`` parts, if given."""
    command = [sys.executable, *(("-m", "bromeliad") if held is None else ("-c", HELD, str(held))), *args]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **streams}
    return subprocess.Popen(command, start_new_session=True, **streams)


def kill_after(parts: int, runs: Path, *args: str) -> None:
    """Start a command, and kill it and its workers after this number of parts."""
    process = start(*args, held=parts)
    try:
        assert soon(lambda: begun(runs) > parts, 240)
        assert process.poll() is None
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def begun(runs: Path) -> int:
    """Return the number of lines in the files of unfinished runs."""
    return sum(path.read_bytes().count(b"\n") for path in runs.glob("*.jsonl"))


def soon(holds: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def timeless(data: dict) -> dict:
    for player in data.get("players", ()):
        del player["ms_per_decision"]
    return data


def test_a_killed_match_goes_on(run, runs, tmp_path):
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    expected = timeless(run(*MATCH, "--histories", str(whole), "--store", str(tmp_path / "whole.sqlite")).json)
    assert not list(runs.iterdir())
    parts.write_text("a line of before\n")
    outputs = ("--histories", str(parts), "--store", str(tmp_path / "parts.sqlite"))
    kill_after(6, runs, *MATCH, *outputs, "--workers", "2")
    done = run(*MATCH, *outputs)
    assert timeless(done.json) == expected
    assert "resuming an interrupted run" in done.err
    assert parts.read_text() == "a line of before\n" + whole.read_text()
    with open_store(str(tmp_path / "parts.sqlite")) as store:
        assert list(store.hands.export_lines()) == whole.read_text().splitlines()
    assert not list(runs.iterdir())


def test_another_command_does_not_go_on_with_it(run, runs):
    with find_run("match", {"seed": 1}).writing() as unfinished:
        unfinished.add("deck 0", "1")
    assert run("match", "heuristic", "random", "--hands", "2").err == ""
    assert len(list(runs.iterdir())) == 1


def test_workers_end_with_a_command_that_is_killed_alone_and_it_goes_on(run, runs):
    expected = run(*WORTH, "400").json
    process = start(*WORTH, "400", "--workers", "2", held=2)
    try:
        assert soon(lambda: begun(runs) > 2, 240)
    finally:
        process.kill()
        process.wait()
    assert soon(lambda: is_gone(process.pid))
    done = run(*WORTH, "400")
    assert done.json == expected
    assert "resuming an interrupted run" in done.err


def test_ctrl_c_ends_the_workers_and_keeps_what_is_done(runs):
    process = start(*WORTH, "20000", "--workers", "2", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert soon(lambda: begun(runs) > 2, 240)
    os.killpg(process.pid, signal.SIGINT)  # like a terminal: the workers get the signal too
    out, err = process.communicate(timeout=120)
    assert json.loads(out)["cancelled"]
    assert err == b""
    assert len(list(runs.iterdir())) == 1
    assert soon(lambda: is_gone(process.pid))


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--cluster", "somewhere"), "--cluster somewhere: write local, auto or HOST:PORT"),
        (("--cluster", "127.0.0.1:1"), "no Ray cluster at 127.0.0.1:1 "),
        (("--workers", "0"), "--workers must be a whole number from 1 to 10000"),
    ],
)
def test_refuses_in_one_line(run, args, expected):
    assert run(*MATCH, *args).problem.startswith(expected)


@pytest.mark.accept
def test_a_killed_book_goes_on(run, runs, tmp_path):
    """The first kill comes while guesses are measured, the second among the hands; the book is identical."""
    build = ("book", "build", "--hands", "64", "--simulations", "400", "--playouts", "800", "--json", "--output")
    whole, parts = tmp_path / "whole.book", tmp_path / "parts.book"
    assert run(*build, str(whole)).json["finished"]
    kill_after(20, runs, *build, str(parts), "--workers", "2")
    kill_after(66, runs, *build, str(parts), "--workers", "2")
    assert not parts.exists()
    done = run(*build, str(parts), "--workers", "1")
    assert "resuming an interrupted run" in done.err
    assert parts.read_bytes() == whole.read_bytes()
    assert not list(runs.iterdir())
