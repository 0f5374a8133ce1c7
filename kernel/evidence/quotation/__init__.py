"""Locate quotes in pages."""
