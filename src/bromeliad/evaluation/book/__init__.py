"""Opening books: how they are built, merged, verified and summarised."""
