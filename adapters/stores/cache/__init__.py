"""The cache: answers kept for a while in one SQLite file. Its trouble never fails a call."""
