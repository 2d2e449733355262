"""Measuring: strength, regret, worth, calibration, luck, opening books; and the levels of play that are measured."""

__all__ = ["ALL_LEVELS", "LEVELS"]

LEVELS = ("random", "guide", "evaluation", "greedy", "exact")
"""Levels of play without a search: uniform; the guide's best-looking placement; that of the learned evaluation (the
guide, where none was learned), the last street set exactly; the playout policy of the search; that of the evaluation,
with all placements of the last two streets valued exactly."""

ALL_LEVELS = (*LEVELS, "search")
"""With what ``bromeliad solve`` plays on a budget per decision. The names live here: `--help` must load no kernel."""
