"""Proofs of forced wins."""
