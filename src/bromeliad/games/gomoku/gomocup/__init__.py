"""The Gomocup protocol."""
