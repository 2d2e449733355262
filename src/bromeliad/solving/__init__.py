"""Solving."""
