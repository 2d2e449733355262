"""Games outside of Bromeliad: tic-tac-toe and connect four, found by their entry points."""
