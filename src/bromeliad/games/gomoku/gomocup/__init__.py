"""Gomocup."""
