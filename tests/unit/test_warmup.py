"""``bromeliad warmup`` finds every module that has kernels to compile: tests in parallel must find them all warm."""

import re
from pathlib import Path

import bromeliad
from bromeliad.core import kernel_cache
from bromeliad.service.jobs.warming import SERVICE_KERNELS

ROOT = Path(bromeliad.__file__).parent


def test_every_group_of_kernels_is_found():
    declared = {path for path in ROOT.rglob("*.py") if re.search(r"^@warmup$", path.read_text("utf-8"), re.M)}
    found = {ROOT.parent.joinpath(*name.split(".")).with_suffix(".py") for name in kernel_cache.warmups()}
    assert declared
    assert declared <= found


def test_the_service_names_modules_that_have_a_warm_up():
    assert set(SERVICE_KERNELS) <= set(kernel_cache.warmups())
