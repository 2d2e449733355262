"""Hands as they are played: states, seats, dealer, table, histories, strategies."""
