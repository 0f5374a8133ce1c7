"""The browser's guarding proxy and the judges of its requests."""
