"""Stores: what is remembered between calls, on disk."""
