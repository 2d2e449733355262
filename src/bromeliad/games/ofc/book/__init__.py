"""The opening book: its first deals, its file format, and the choice of a book for a question."""
