"""A ``Service`` for a JSON search API that one block of settings describes."""
