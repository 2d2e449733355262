"""Directories that nobody else can write to: whoever can write compiled kernels can run code."""

import os
from pathlib import Path

import pytest

from bromeliad.core.machine import own_directory
from support import run_python

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")
PLACE = "from bromeliad.core.kernel_cache import cache_directory; print(cache_directory())"
RUNS = "from bromeliad.cluster.checkpoint import runs_directory; print(runs_directory())"
STRANGER = 12345


def test_a_missing_directory_is_made_for_this_user_only(tmp_path):
    before = os.umask(0)
    try:
        found = own_directory(tmp_path / "one" / "two")
    finally:
        os.umask(before)
    assert found == tmp_path / "one" / "two"
    assert [path.stat().st_mode & 0o777 for path in (found, found.parent)] == [0o700, 0o700]


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777])
def test_a_directory_that_others_can_write_is_refused(tmp_path, mode):
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(mode)
    assert own_directory(place) is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives directories away")
def test_a_directory_of_somebody_else_or_their_group_is_refused(tmp_path):
    place = tmp_path / "theirs"
    place.mkdir(0o700)
    os.chown(place, STRANGER, -1)
    assert own_directory(place) is None
    os.chown(place, 0, STRANGER)
    assert own_directory(place) == place
    place.chmod(0o770)
    assert own_directory(place) is None


def test_parents_count_unless_only_owners_may_replace_what_is_in_them(tmp_path):
    parent = tmp_path / "parent"
    (parent / "own").mkdir(parents=True)
    parent.chmod(0o777)
    assert own_directory(parent / "own") is None
    parent.chmod(0o1777)  # such as /tmp
    assert own_directory(parent / "own") == parent / "own"


def test_links_are_followed_once(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    assert own_directory(tmp_path / "link") == tmp_path / "real"
    assert own_directory(tmp_path / "circle") is None
    assert own_directory(tmp_path / "link" / "\0") is None


def planted(tmp_path):
    """Return a temporary directory in which somebody has made the directory that used to be the fallback."""
    bait = tmp_path / f"bromeliad-{os.getuid()}"
    bait.mkdir()
    bait.chmod(0o777)
    return bait


def test_kernels_are_not_loaded_from_a_directory_that_somebody_planted(tmp_path):
    bait, blocked = planted(tmp_path), tmp_path / "file"
    blocked.write_text("not a directory")
    for unusable in (blocked, bait):
        (found,) = run_python(tmp_path, PLACE, BROMELIAD_CACHE_DIR=str(unusable), TMPDIR=str(tmp_path))
        assert found.startswith(str(tmp_path / "bromeliad-"))
        assert bait not in (Path(found), *Path(found).parents)
    assert list(bait.iterdir()) == []


def test_runs_are_not_resumed_from_a_directory_that_somebody_planted(tmp_path):
    bait, blocked = planted(tmp_path), tmp_path / "file"
    blocked.write_text("not a directory")
    env = {"XDG_STATE_HOME": str(blocked), "TMPDIR": str(tmp_path), "BROMELIAD_RUNS_DIR": ""}
    (found,) = run_python(tmp_path, RUNS, **env)
    assert found.startswith(str(tmp_path / "bromeliad-"))
    assert bait not in (Path(found), *Path(found).parents)


def test_processes_share_the_fresh_directory_of_their_parent(tmp_path):
    code = (
        "import subprocess, sys\n"
        "from bromeliad.core.kernel_cache import cache_directory\n"
        "print(cache_directory(), flush=True)\n"
        f"subprocess.run([sys.executable, '-c', {PLACE!r}], check=True)"
    )
    bait = planted(tmp_path)
    first, second = run_python(tmp_path, code, BROMELIAD_CACHE_DIR=str(bait), TMPDIR=str(tmp_path))
    assert first == second
    assert list(tmp_path.iterdir()) == [bait]  # deleted at the end
