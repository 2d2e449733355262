"""Measuring: benches of speed and strength, and how their figures are written down."""
