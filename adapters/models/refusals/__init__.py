"""Refusals."""
