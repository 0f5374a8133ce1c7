"""The dialects of the gateway: one file each, found by its name."""
