"""Playing."""
