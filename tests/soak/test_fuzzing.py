"""Coverage-guided fuzzing (``make soak``): ``BROMELIAD_SOAK_FUZZ_SECONDS`` for each parser, 600 by default."""

import importlib.util
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak
FUZZING = Path(__file__).with_name("fuzzing.py")
SECONDS = int(os.environ.get("BROMELIAD_SOAK_FUZZ_SECONDS", "600"))
NAMES = re.findall(r'^    "(\w+)": ', FUZZING.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_a_parser_reads_or_refuses_everything(name, tmp_path):
    if importlib.util.find_spec("atheris") is None:
        message = "parsers are NOT fuzzed: pip install atheris"
        warnings.warn(pytest.PytestWarning(message), stacklevel=1)
        pytest.skip(message)
    command = [sys.executable, str(FUZZING), name, f"-max_total_time={SECONDS}", "-print_final_stats=1", "-timeout=30"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=SECONDS + 300)
    assert done.returncode == 0, done.stderr[-4000:]
    tried = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    print(f"{name}: {int(tried[1]):,} inputs in {SECONDS} s, all read or refused")
