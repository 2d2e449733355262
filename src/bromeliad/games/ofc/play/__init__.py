"""Playing hands: game states, seats, dealer, table, hand histories and strategies."""
