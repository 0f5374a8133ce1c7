"""Models that answer questions from passages."""
