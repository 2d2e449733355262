"""Every bench: measurements of speed and strength, which write the figures of the documents."""
