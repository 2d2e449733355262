"""The opening book: first deals, the file, and the choice of the book that answers."""
