"""The command ``index``."""
