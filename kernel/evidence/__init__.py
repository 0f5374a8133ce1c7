"""Answers whose quotes are checked against the pages that were read."""
