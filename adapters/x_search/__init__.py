"""Backends that search X."""
