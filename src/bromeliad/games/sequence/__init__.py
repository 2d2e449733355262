"""The board game Sequence: official rules and the course variant, with hidden hands, on the common search."""
