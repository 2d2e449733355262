"""The machine's resources: processor cores, and directories that nobody else can write to."""

import os
import stat
import sys
from functools import cache
from pathlib import Path

_V3 = ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe")  # as Linux names them; abm includes lzcnt


@cache
def has_v3() -> bool:
    """Return whether this is an x86-64-v3 processor (AVX2, FMA and a few more) under Linux."""
    if not sys.platform.startswith("linux") or os.uname().machine != "x86_64":
        return False
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return set(_V3) <= set(flags)


def cores() -> int:
    """Return the number of cores this process may use; containers and ``taskset`` may limit it."""
    if hasattr(os, "sched_getaffinity"):  # Linux only
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cache_root() -> Path:
    """Return the cache directory (``BROMELIAD_CACHE_DIR``), to which only this user and root can write.

    Compiled kernels are code, and whoever can write them can run it. If the usual directory cannot be trusted or
    written, a fresh private one replaces it in this process and in those that it starts.
    """
    import platformdirs  # here, because most callers only count cores

    usual = Path(os.environ.get("BROMELIAD_CACHE_DIR") or platformdirs.user_cache_dir("bromeliad", appauthor=False))
    found = own_directory(usual)
    if found is None:
        found = fresh_directory()
        _warn(usual)
        os.environ["BROMELIAD_CACHE_DIR"] = str(found)
    return found


def _warn(unusable: Path) -> None:
    from logging import getLogger

    getLogger("bromeliad").warning(
        "%s is not a directory that only you can write to: kernels are compiled again in every run."
        " Correct it (chmod go-w), or set BROMELIAD_CACHE_DIR to another directory",
        unusable,
    )


def own_directory(path: Path) -> Path | None:
    """Return the real path of a directory, created if missing; None if we cannot write to it, or others can.

    Parents count too: whoever can rename a directory can replace it.
    """
    try:
        real = path.resolve()
        for part in (*reversed(real.parents), real):
            if not part.exists():
                part.mkdir(mode=0o700, exist_ok=True)
        safe = all(_is_safe(part.stat(), part == real) for part in (real, *real.parents))
    except (OSError, RuntimeError, ValueError):  # circular links, or an invalid file name
        return None
    return real if safe and os.access(real, os.W_OK | os.X_OK) else None


def _is_safe(found: os.stat_result, last: bool) -> bool:
    """Return whether others can neither write to a directory nor, if it is not the ``last``, replace its entries."""
    if os.name != "posix":
        return True
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.getuid(), 0):
        return False
    if found.st_mode & stat.S_ISVTX and not last:  # such as /tmp: all may add, only owners may replace
        return True
    by_group = found.st_mode & stat.S_IWGRP and not _is_own_group(found.st_gid)
    return not by_group and not found.st_mode & stat.S_IWOTH


@cache
def _is_own_group(group: int) -> bool:
    """Return whether only this user and root are in a group: root's, or the user's own group of the same name."""
    import grp
    import pwd

    try:
        me, them = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    own = them.gr_gid == me.pw_gid and them.gr_name == me.pw_name
    return (own or group == 0) and set(them.gr_mem) <= {me.pw_name, "root"}


@cache
def fresh_directory() -> Path:
    """Return a new directory that only this user can open; it is deleted when the process ends."""
    import atexit
    import shutil
    import tempfile

    made = Path(tempfile.mkdtemp(prefix="bromeliad-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
