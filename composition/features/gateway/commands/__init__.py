"""The commands ``serve`` and ``keys``."""
