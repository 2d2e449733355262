"""Ctrl-C, very short budgets and pipes: commands whose work is cut short."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

BOARD = "Qd / 9c 9s 4h 4d / As Ac Ad 7h"  # street 4, because the last street is answered without compiling
OPENING = ("solve", "--cards", "As Ah Kd 7c 2s")

TELLING = """
import sys
from bromeliad.cli.main import main
from bromeliad.cli.progress import ProgressBar

def show(self, snapshot, show=ProgressBar.show):
    show(self, snapshot)
    print("found:", snapshot.actions[0].ev, file=sys.stderr, flush=True)
    ProgressBar.show = show

ProgressBar.show = show
sys.exit(main(sys.argv[1:]))
"""
"""The command line, but it prints a line when the first result is found: before that there is nothing to answer."""


def test_ctrl_c_answers_with_the_best_so_far():
    process = subprocess.Popen(
        [sys.executable, "-c", TELLING, *OPENING, "--time", "300", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any(line.startswith("found:") for line in process.stderr)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=180)
    answer = json.loads(out)
    assert answer["stop_reason"] == "cancelled"
    assert answer["best"]["ev"] is not None
    assert "Traceback" not in err
    assert process.returncode == 0


def test_ctrl_c_while_compiling_is_one_line(tmp_path):
    environment = {**os.environ, "BROMELIAD_CACHE_DIR": str(tmp_path), "BROMELIAD_AHEAD": "0"}
    process = subprocess.Popen(
        [sys.executable, "-m", "bromeliad", "solve", "--no-store", "--cards", "Kc 9d 3s", "--board", BOARD],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert "compiling" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err.splitlines()[-1:]) in ((130, ["bromeliad: interrupted"]), (0, []))
    assert "Traceback" not in err


@pytest.mark.parametrize("budget", [("--simulations", "1"), ("--simulations", "9"), ("--time", "0.01")])
def test_a_tiny_budget_is_told_not_crashed(run, budget):
    result = run(*OPENING, *budget, "--threads", "1")
    assert result.code in (0, 2)
    assert "Traceback" not in result.err


def test_positions_from_a_pipe_are_read_once(run, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    line = json.dumps({"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"})
    writer = threading.Thread(target=lambda: pipe.write_text(line + "\n" + line + "\n"))
    writer.start()
    result = run("solve", "--positions", str(pipe))
    writer.join()
    assert [json.loads(answer)["value"] for answer in result.out.splitlines()] == [34.9, 34.9]
