"""Models that search the web, as backends."""
