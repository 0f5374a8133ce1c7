"""Vectors of passages in the index file, and their comparison with the vector of a query."""
