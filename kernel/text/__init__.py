"""Truncate, clean and redact text. Pure."""
