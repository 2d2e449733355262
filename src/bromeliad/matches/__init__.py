"""Matches between strategies and engines of every game, with tallies and a sequential test."""
