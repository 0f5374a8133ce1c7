"""Validate requests, and the answers of backends."""
