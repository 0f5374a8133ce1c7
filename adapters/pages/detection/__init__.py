"""Detect media types by first bytes, content types and file names."""
