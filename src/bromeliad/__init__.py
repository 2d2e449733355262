"""Bromeliad: an open-face Chinese poker solver on a game-independent Monte Carlo tree search.

``Solver``, ``SolveRequest`` and ``Answer`` are loaded when first used: importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bromeliad.solving.answer import Answer as Answer
    from bromeliad.solving.request import SolveRequest as SolveRequest
    from bromeliad.solving.solver import Solver as Solver

__version__ = "0.1.0"
__all__ = ["Answer", "SolveRequest", "Solver", "__version__"]

_HOMES = {"Answer": "answer", "SolveRequest": "request", "Solver": "solver"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'bromeliad' has no attribute {name!r}")
    return getattr(import_module(f"bromeliad.solving.{_HOMES[name]}"), name)
