"""The base of every game: kernels, randomness, cards, and the contracts that a game fulfils."""
