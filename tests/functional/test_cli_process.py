"""What only a process of its own can show: imports, a cold cache, pipes, streams, the locale."""

import os
import subprocess
import sys

import pytest

SPOT = ("solve", "--cards", "Kc 9d 3s", "--board", "Qd Qh / 9c 9s 4h 4d / As Ac Ad 7h 7d")
HEAVY = ("numba", "numpy", "pydantic", "rich", "ruamel", "llvmlite", "sqlalchemy", "alembic")
WIDTHS = ("rich", "rich.cells", "rich._extension", "rich._unicode_data")  # help asks how wide Chinese texts are


@pytest.fixture(scope="module", autouse=True)
def warm():
    """Compile first what is cold, so that no other test hears of it."""
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


def test_cold_cache_says_that_it_compiles(run_process, tmp_path):
    env = {"BROMELIAD_CACHE_DIR": str(tmp_path)}
    cold = run_process(*SPOT, "--json", env=env)
    assert cold.code == 0
    assert cold.err == "compiling kernels (once on this machine, some seconds) ...\n"
    warm = run_process(*SPOT, "--json", env=env)
    assert warm.err == ""
    assert {**warm.json, "elapsed_s": 0} == {**cold.json, "elapsed_s": 0}
