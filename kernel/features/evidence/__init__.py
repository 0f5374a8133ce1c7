"""Answer questions with quotes: passages, claims and quotes."""
