"""The embedded search backend: one SQLite file with a full-text index over the user's documents."""
