"""The cache of answers in one SQLite file. Its errors never fail a call."""
