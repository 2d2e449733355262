"""The best arrangements of a fantasyland hand."""
