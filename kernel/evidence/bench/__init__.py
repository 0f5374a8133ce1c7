"""Measure search: how good rows are, and whether a difference is more than chance."""
