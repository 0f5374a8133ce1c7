"""Run one planned call: on the fast path where nothing is to decide, else by the fold."""
