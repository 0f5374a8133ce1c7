"""The table of backends, the choice among them, and how to open each."""
