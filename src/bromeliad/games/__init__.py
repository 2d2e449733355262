"""The games. Each is a package of its own; none imports another."""
