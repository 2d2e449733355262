"""Fantasyland."""
