"""Pages that need a browser to be read."""
