"""The keys of the gateway, hashed, in one SQLite file."""
