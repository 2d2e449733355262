"""What every game needs and no game owns: kernels, randomness, cards, and what a game must provide."""
