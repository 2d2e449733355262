"""The levels of play by name; in a module of its own, so that the command line knows them without loading kernels."""

__all__ = ["ALL_LEVELS", "LEVELS"]

LEVELS = ("random", "guide", "evaluation", "greedy", "exact")
"""Levels of play without a search: uniform; the guide's best-looking placement; that of the learned evaluation (the
guide, where none was learned), the last street set exactly; the playout policy of the search; that of the evaluation,
with all placements of the last two streets valued exactly."""

ALL_LEVELS = (*LEVELS, "search")
"""And what ``bromeliad solve`` plays with a budget for each decision."""
