"""Models that search the web, as backends: what one is, and what runs it."""
