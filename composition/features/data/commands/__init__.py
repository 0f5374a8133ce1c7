"""The command ``data``."""
