"""Edits to a user's settings file that keep every other byte."""
