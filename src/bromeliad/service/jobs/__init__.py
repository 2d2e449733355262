"""Jobs: their queue, their worker threads, and their place in the store."""
