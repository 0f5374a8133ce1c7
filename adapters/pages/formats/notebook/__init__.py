"""Jupyter notebooks."""
