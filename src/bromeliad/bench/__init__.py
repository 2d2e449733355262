"""Benches: measurements of speed and strength, which write the figures in the documentation."""
