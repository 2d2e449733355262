"""Where the store is: asked for, named in the environment, or a file in the user's data directory."""

import os
from pathlib import Path

import platformdirs

__all__ = ["DEFAULT", "ENVIRONMENT", "FILE_NAME", "store_place"]

ENVIRONMENT = "BROMELIAD_STORE"
FILE_NAME = "bromeliad.sqlite"
DEFAULT = "default"
"""How the default place is written where one has to be."""


def store_place(place: str | Path | None = None) -> str:
    """Return the URL or path of the store; None, or ``default``, asks the environment first.

    Without a word there it is a file in the user's data directory.
    """
    named = os.environ.get(ENVIRONMENT, "") if place in (None, DEFAULT) else str(place)
    if named:
        return named
    return str(Path(platformdirs.user_data_dir("bromeliad", appauthor=False)) / FILE_NAME)
