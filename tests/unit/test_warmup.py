"""``bromeliad warmup`` knows every module that has kernels to compile: tests in parallel must find them all warm."""

import re
from importlib import import_module
from pathlib import Path

import bromeliad
from bromeliad.cli.warmup import MODULES
from bromeliad.core import jit


def test_every_group_of_kernels_is_warmed_up():
    sources = Path(bromeliad.__file__).parent.rglob("*.py")
    declared = {
        name for path in sources for name in re.findall(r'^@warmup\("([^"]+)"\)', path.read_text("utf-8"), re.M)
    }
    for module in MODULES:
        import_module(module)
    assert declared
    assert declared <= set(jit.warmups())
