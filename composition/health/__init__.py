"""Is everything set up, does it answer, and what to do if not."""
