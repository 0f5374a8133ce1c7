"""Claude."""
