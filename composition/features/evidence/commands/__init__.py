"""The commands ``ask`` and ``bench``."""
