"""The command ``ask``."""
