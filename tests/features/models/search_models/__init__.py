"""Models that search, as backends."""
