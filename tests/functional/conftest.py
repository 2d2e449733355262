"""Running the command line as a user would: in this process, or in one of its own."""

import json
import os
import subprocess
import sys
from typing import Any, NamedTuple

import pytest

from bromeliad.cli.main import main
from bromeliad.i18n import language, use_language


class Run(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def problem(self) -> str:
        """The one line that a refusal prints, without its prefix."""
        assert self.out == ""
        assert self.code == 2, self
        assert self.err.startswith("bromeliad: "), self
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1, self
        return self.err.removeprefix("bromeliad: ").rstrip("\n")


@pytest.fixture(autouse=True)
def english(monkeypatch):
    """Start every test in English, whatever the machine's locale, and leave no other language behind."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    before = language()
    yield
    use_language(before)


@pytest.fixture
def run(capsys):
    """Return a function that runs the command line here and returns its exit code and what it printed."""

    def call(*args: str) -> Run:
        capsys.readouterr()
        code = main(list(args))
        out, err = capsys.readouterr()
        return Run(code, out, err)

    return call


@pytest.fixture
def run_process():
    """Return a function that runs the command line in a process of its own."""

    def call(*args: str, stdin: str = "", env: dict[str, str] | None = None, module: tuple[str, ...] = ()) -> Run:
        done = subprocess.run(
            [sys.executable, *(module or ("-m", "bromeliad")), *args],
            input=stdin.encode(),
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=300,
            check=False,
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
