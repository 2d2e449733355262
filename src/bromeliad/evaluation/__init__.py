"""Measurements: strength, regret, worth, calibration, luck, opening books. Here: the levels of play."""

LEVELS = ("random", "guide", "evaluation", "greedy", "exact")
"""Levels of play without a search. *random* is uniform. *guide* takes the best placement by the promise of its rows.
*evaluation* uses the learned evaluation (or the promise, if there is none), with an exact last street. *greedy* is the
playout policy of the search. *exact* is *evaluation* with exact values of all placements on the last two streets."""

ALL_LEVELS = (*LEVELS, "search")
"""The levels and ``search``: ``bromeliad solve`` with a budget per decision. Defined here so that `--help` loads no
kernel."""
