"""The machine's resources: processor cores, and directories that nobody else can write to."""

import atexit
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path


def cores() -> int:
    """Return the number of cores this process may use; containers and ``taskset`` may limit it."""
    if hasattr(os, "sched_getaffinity"):  # Linux only
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cache_root() -> Path:
    """Return the cache directory (``BROMELIAD_CACHE_DIR``): one that only this user and root can write to.

    Compiled kernels are code, and whoever can write them can run it. If the usual directory cannot be trusted or
    written, a fresh private one takes its place, in this process and those that it starts.
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
    """Return a directory without its links, made if it is missing; None if it is not writable, or others can write it.

    Parents count too: whoever can rename a directory can replace it.
    """
    try:
        real = path.resolve()
        for part in (*reversed(real.parents), real):
            if not part.exists():
                part.mkdir(mode=0o700, exist_ok=True)
        safe = all(_is_safe(part.stat(), part == real) for part in (real, *real.parents))
    except (OSError, RuntimeError, ValueError):  # links in a circle, or no name of a file
        return None
    return real if safe and os.access(real, os.W_OK | os.X_OK) else None


def _is_safe(found: os.stat_result, last: bool) -> bool:
    """Return whether others can neither write to a directory nor, above the last one, replace what is in it."""
    if os.name != "posix":
        return True
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.getuid(), 0):
        return False
    if found.st_mode & stat.S_ISVTX and not last:  # such as /tmp: everybody may add, only owners may replace
        return True
    by_group = found.st_mode & stat.S_IWGRP and not _is_own_group(found.st_gid)
    return not by_group and not found.st_mode & stat.S_IWOTH


@cache
def _is_own_group(group: int) -> bool:
    """Return whether a group is root's, or has no member but this user, as is usual where every user has a group."""
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
    made = Path(tempfile.mkdtemp(prefix="bromeliad-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
