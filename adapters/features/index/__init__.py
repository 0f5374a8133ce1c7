"""The embedded search backend: a SQLite file with a full-text index over the user's documents."""
