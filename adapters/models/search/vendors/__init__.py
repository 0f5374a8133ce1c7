"""Models that search the web and cite what they found, as backends: one file each."""
