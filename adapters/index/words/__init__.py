"""The words of all passages, in a folder next to the index file that can be rebuilt from it."""
