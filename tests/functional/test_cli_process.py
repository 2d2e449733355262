"""Tests that need their own process: imports, a cold cache, pipes, streams, the locale."""

import os
import re
import subprocess
import sys

import pytest

SPOT = ("solve", "--cards", "Kc 9d 3s", "--board", "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d")
HEAVY = ("numba", "numpy", "pydantic", "rich", "ruamel", "llvmlite", "sqlalchemy", "alembic")
WIDTHS = ("rich", "rich.cells", "rich._extension", "rich._unicode_data")  # help needs the width of Chinese texts


@pytest.fixture(scope="module", autouse=True)
def warm():
    """Compile the kernels before the tests, so that no test sees messages about it."""
    subprocess.run([sys.executable, "-m", "bromeliad", *SPOT], capture_output=True, check=True, timeout=300)


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["solve", "--help"], ["bench", "--help"], ["nope"]])
def test_help_and_version_import_nothing_heavy(run_process, args):
    script = (
        "import sys\n"
        "from bromeliad.cli.main import main\n"
        "main(sys.argv[1:])\n"
        "heavy = [name for name in sys.modules if name.split('.')[0] in {}]\n"
        "print('heavy:', *(name for name in heavy if name not in {} and not name.startswith('rich._unicode_data.')))\n"
    )
    result = run_process(*args, module=("-c", script.format(HEAVY, WIDTHS)))
    assert result.out.splitlines()[-1].strip() == "heavy:"


def test_exit_codes_and_streams(run_process):
    good = run_process(*SPOT, "--json")
    assert good.code == 0
    assert good.err == ""
    assert good.json["value"] == 34.9
    bad = run_process("solve", "--cards", "As As")
    assert "twice" in bad.problem


def test_console_script_is_installed():
    script = os.path.join(os.path.dirname(sys.executable), "bromeliad")  # noqa: PTH118, PTH120
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("bromeliad ")


def test_locale_picks_the_language(run_process):
    assert run_process("--help", env={"LANG": "zh_TW.UTF-8", "LC_ALL": ""}).out.startswith("用法：")
    assert run_process("--help", env={"LANG": "zh_TW.UTF-8", "LC_ALL": "C.UTF-8"}).out.startswith("Usage: ")


def test_a_terminal_that_cannot_show_suits(run_process):
    result = run_process(*SPOT, env={"PYTHONIOENCODING": "ascii"})
    assert result.code == 0
    assert "34.900" in result.out
    result = run_process("solve", "--cards", "牌", env={"PYTHONIOENCODING": "ascii"})
    assert result.problem.startswith("not a card: ")


@pytest.mark.parametrize("args", [SPOT, (*SPOT, "--json"), ("--help",)])
def test_broken_pipe(args):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "bromeliad", *args], stdout=writer, stderr=subprocess.PIPE, check=False, timeout=300
        )
    finally:
        os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 1


def test_cold_cache_names_what_it_compiles(run_process, tmp_path):
    """The questions are in a file, because a single last street is answered without compiling."""
    env = {"BROMELIAD_CACHE_DIR": str(tmp_path), "BROMELIAD_AHEAD": "0", "NUMBA_DISABLE_JIT": "0"}
    line = tmp_path / "line.jsonl"
    line.write_text('{"cards": "Kc 9d 3s", "board": "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d"}\n')
    cold = run_process("solve", "--no-store", "--positions", str(line), env=env)
    assert cold.code == 0
    first, second = cold.err.splitlines()
    assert first == "compiling kernels, once on this machine: ofc.exact.last_street ..."
    assert re.fullmatch(r"compiled ofc\.exact\.last_street \(\d+ s\)", second)
    warm = run_process("solve", "--no-store", "--positions", str(line), env=env)
    assert warm.err == ""
    assert {**warm.json, "elapsed_s": 0} == {**cold.json, "elapsed_s": 0}
    alone = run_process(*SPOT, "--no-store", "--json", env=env)
    assert {**alone.json, "elapsed_s": 0} == {**cold.json, "elapsed_s": 0}


LOADED = (
    "import sys\nfrom bromeliad.cli.main import main\ncode = main(sys.argv[1:])\n"
    "print([name for name in ('numba', 'llvmlite', 'ruamel') if name in sys.modules], code)\n"
)


@pytest.mark.parametrize(
    "args",
    [
        SPOT,
        (*SPOT, "--opponent", "Kd Kh 5s / 6h 6d 6c Th 2d / Js Jc Jh 3c 3h"),
        ("solve", "--rules", "ultimate", "--cards", "Kc Jk 3s", "--board", "Qd Qh / 9c 9s 4h 4d / As Jk Ad 7h 7d"),
        ("solve", "--cards", "As Ah Kd 7c 2s"),
        ("score", "Qs Qh 7d / 9c 9s 4h 4d 2c / As Ac Jd 7h 7s"),
        ("rules", "show", "ultimate"),
    ],
)
def test_quick_answers_come_without_numba(run_process, tmp_path, args):
    """With an empty cache nothing is compiled; the second run finds the tables on disk and does not import Numba."""
    env = {"BROMELIAD_CACHE_DIR": str(tmp_path), "BROMELIAD_STORE": str(tmp_path / "store.sqlite")}
    first = run_process(*args, module=("-c", LOADED), env=env)
    assert first.err == ""
    again = run_process(*args, module=("-c", LOADED), env=env)
    allowed = {"['ruamel'] 0", "[] 0"} if args[0] == "rules" else {"[] 0"}  # rule files are printed as YAML
    assert again.out.splitlines()[-1] in allowed


STARTED = """
import sys
import psutil
from bromeliad.__main__ import run
try:
    run()
except SystemExit:
    loaded = [name for name in sys.modules if name.startswith("bromeliad.games.ofc.opponents.sampling")]
    print(loaded, psutil.Process().num_threads())
"""


def test_a_first_deal_loads_no_opponents_and_starts_no_threads(run_process):
    done = run_process("solve", "--no-store", "--cards", "As Ah Kd 7c 2s", module=("-c", STARTED))
    assert done.out.splitlines()[-1] == "[] 1"
