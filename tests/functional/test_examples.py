"""Every example runs as it is, in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
ASKED = {"engine.py": '{"id": 1, "ask": "hello"}\n{"id": 2, "ask": "quit"}\n'}
SAID = {
    "engine.py": ['{"id": 1, "protocol": 1, "name": "pairs"'],
    "score_boards.py": ["royalties 7  +11", "foul         -27", "with a scoop of 5: (13, 18, -31)"],
    "solve_last_street.py": ["street 5: 34.9 points (exact)", "refused: the same card appears twice: 9c"],
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example(path):
    command, asked = [sys.executable, "-W", "error", path], ASKED.get(path.name)
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout
    for text in SAID.get(path.name, []):
        assert text in done.stdout
