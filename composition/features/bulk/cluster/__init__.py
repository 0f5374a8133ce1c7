"""A run on several machines: the same plan, the same rows, the same bytes."""
