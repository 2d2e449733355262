"""Where the store is: asked for, named in the environment, or a file in the user's data directory."""

import os
from pathlib import Path

import platformdirs

__all__ = ["ENVIRONMENT", "FILE_NAME", "store_place"]

ENVIRONMENT = "BROMELIAD_STORE"
FILE_NAME = "bromeliad.sqlite"


def store_place(place: str | Path | None = None) -> str:
    """Return the URL or path of the store; None asks the environment, and then takes the user's own file."""
    named = str(place) if place is not None else os.environ.get(ENVIRONMENT, "")
    if named:
        return named
    return str(Path(platformdirs.user_data_dir("bromeliad", appauthor=False)) / FILE_NAME)
