"""Settings: their sources, their types, and the origin of each value."""
