"""Bromeliad: an open-face Chinese poker solver on a game-independent Monte Carlo tree search."""

__version__ = "0.1.0"
