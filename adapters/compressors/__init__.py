"""Compressors, which shorten a long page."""
