"""Decide how many pages become a dataset. Pure."""
