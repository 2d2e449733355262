"""The luck of deals, and the worth of decisions."""
