"""Search models."""
