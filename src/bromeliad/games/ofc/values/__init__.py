"""Values of unfinished boards: the state of a hand, promise tables, learned weights and heuristics."""
