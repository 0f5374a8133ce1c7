"""The hashed keys of the gateway in one SQLite file."""
