"""Solver sessions: a question from its start to its answer."""
