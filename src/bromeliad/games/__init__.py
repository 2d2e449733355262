"""The games, a package each; none imports another."""
