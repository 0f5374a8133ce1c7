"""Citations."""
