"""Safety: tokens stay hidden, tables contain no formulas, Ctrl-C works at any moment."""

import csv
import os
import signal
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from bromeliad.service import app
from bromeliad.service.settings import Settings
from played_hands import played_hands

SECRET = 't0ken<&"of ours'


def test_the_browser_is_started_without_the_token(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(app.Server, "run", lambda server, sockets: server._on_start())
    shown = []
    app.serve(Settings(port=0, token=SECRET), shown.append, browse=True)
    end = time.monotonic() + 60
    while not opened and time.monotonic() < end:
        time.sleep(0.01)
    (link,) = opened
    assert "token" not in link
    assert "t0ken" not in link
    assert shown[0].count("token=") == 1
    file = Path(unquote(urlsplit(link).path))
    assert "token=t0ken%3C%26%22of%20ours" in file.read_text()
    assert file.parent.stat().st_mode & 0o077 == 0


def test_a_browser_without_a_token_is_started_with_the_address(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(app.Server, "run", lambda server, sockets: server._on_start())
    app.serve(Settings(port=0), lambda address: None, browse=True)
    end = time.monotonic() + 60
    while not opened and time.monotonic() < end:
        time.sleep(0.01)
    assert opened[0].startswith("http://127.0.0.1:")


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@sum", "=cmd|' /C calc'!A0"])
def test_names_are_no_formulas_in_tables(run, tmp_path, name):
    record, _ = played_hands(1)[0]
    players = (record.players[0].model_copy(update={"name": name}), *record.players[1:])
    (tmp_path / "hands.jsonl").write_text(record.model_copy(update={"players": players}).to_line() + "\n")
    table = tmp_path / "table.csv"
    assert run("report", str(tmp_path / "hands.jsonl"), "--csv", str(table)).code == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert rows[0]["player"].startswith("'")
    assert {row["points"].lstrip("-").isdigit() for row in rows} == {True}


@pytest.mark.parametrize("delay", [0.02 * i for i in range(1, 31)])
def test_ctrl_c_at_any_moment_of_the_start_is_one_line(delay):
    command = [sys.executable, "-X", "frozen_modules=on", "-m", "bromeliad", "solve", "--cards", "As Ah Kd 7c 2s"]
    process = subprocess.Popen(
        [*command, "--time", "60", "--no-store"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for_python(process.pid)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert "Traceback" not in err or "bromeliad" not in err  # a traceback of Python's own start is not ours
    assert process.returncode in (0, 130, -signal.SIGINT)


WRAPPED = """
import pydantic_core
import bromeliad.cli.main
from bromeliad.__main__ import run

class Length:
    def __index__(self):
        raise KeyboardInterrupt

def command():
    pydantic_core.SchemaValidator({"type": "str", "max_length": Length()})

bromeliad.cli.main.run = command
run()
"""


def test_ctrl_c_inside_of_a_library_that_wraps_it_is_one_line():
    done = subprocess.run([sys.executable, "-c", WRAPPED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "bromeliad: interrupted\n")


def wait_for_python(pid):
    """Wait until a process handles Ctrl-C and has imported our first module; on systems without /proc, do not wait."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            with Path(f"/proc/{pid}/status").open() as status:
                caught = next(line for line in status if line.startswith("SigCgt:"))
        except (OSError, StopIteration):
            return
        if int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1:
            time.sleep(0.05)
            return
        time.sleep(0.001)


def test_ctrl_c_stays_ignored_where_the_caller_ignores_it():
    code = "import signal, os, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", code, sys.executable, "-m", "bromeliad", "rules", "list"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    for _ in range(10):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    out, err = process.communicate(timeout=60)
    if process.returncode != -signal.SIGINT:  # otherwise a signal came before the process ignored it
        assert "pineapple" in out, err
