"""Training of the learned evaluations."""
