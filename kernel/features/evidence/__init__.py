"""Answer questions with quotes: passages, claims, quotes, and the comparison of ``bench``."""
