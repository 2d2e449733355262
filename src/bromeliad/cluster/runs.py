"""Where unfinished runs of commands are kept: the same command finds its own and goes on with it."""

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from bromeliad.cluster.checkpoint import Checkpoint
from bromeliad.cluster.work import fingerprint

__all__ = ["ENVIRONMENT", "find_run", "runs_directory"]

ENVIRONMENT = "BROMELIAD_RUNS_DIR"
_KEPT_DAYS = 30


def runs_directory() -> Path:
    """Return the directory of unfinished runs."""
    named = os.environ.get(ENVIRONMENT)
    return Path(named or Path(platformdirs.user_state_dir("bromeliad", appauthor=False)) / "runs")


def find_run(command: str, provenance: Mapping[str, Any]) -> Checkpoint:
    """Return the checkpoint of a command: that of its last run if it was not finished, else an empty one.

    Parameters
    ----------
    provenance
        Everything that decides the results, but for the program and its weights, which are added.
    """
    whole = {**provenance, "program": fingerprint()}
    digest = hashlib.sha256(json.dumps([command, whole], sort_keys=True).encode()).hexdigest()[:16]
    _forget_old()
    return Checkpoint(runs_directory() / f"{command}-{digest}.jsonl", whole)


def _forget_old() -> None:
    """Delete runs that nobody has gone on with for long."""
    for path in runs_directory().glob("*.jsonl"):
        try:
            if time.time() - path.stat().st_mtime > _KEPT_DAYS * 86_400:
                path.unlink()
        except FileNotFoundError:  # somebody else's run has just ended
            continue
