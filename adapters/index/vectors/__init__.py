"""Passages as vectors, in the index file: what a query means is compared with what they mean."""
